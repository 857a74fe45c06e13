#!/bin/sh
# How long a frame of each view takes on a large pipeline and screen, with its code compiled: least and median, in ms. 16 ms are the bound.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
export BW_BUILD BW_SRC
cache=$(mktemp -d "${TMPDIR:-/tmp}/bw-frames-XXXXXX") || exit 99
trap 'rm -rf "$cache"' EXIT
if [ -x "$BW_BUILD/pipelines/local_laplacian" ]; then
	"$BW_BUILD/tests/speed/frames" --bound 16 "$BW_SRC/data/devices.json" local_laplacian "$cache"
else
	"$BW_BUILD/tests/speed/frames" --bound 16 "$BW_SRC/data/devices.json" "$BW_SRC/data/descriptions/local_laplacian.json"
fi
