#!/bin/sh
# How long expressions take, on one core.
: "${BW_BUILD:=.}"
exec taskset -c 0 "$BW_BUILD/tests/speed/expr"
