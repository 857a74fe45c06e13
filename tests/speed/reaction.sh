#!/bin/sh
# How long the longest step of a search takes: 20 ms are the bound, after which a search that is told to stop stands. Of bundled pipelines, and of those that
# have thousands of tilings for a Func.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
exec "$BW_BUILD/tests/speed/reaction" --bound 20 "$BW_SRC/data/devices.json" "$BW_SRC"/data/descriptions/*.json "$BW_SRC"/tests/soak/descriptions/*.json
