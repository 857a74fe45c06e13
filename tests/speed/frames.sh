#!/bin/sh
# How long a frame of each view takes on a large pipeline and screen: least and median, in ms. 16 ms are the bound.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
"$BW_BUILD/tests/speed/frames" --bound 16 "$BW_SRC/data/devices.json" "$BW_SRC/data/descriptions/local_laplacian.json"
