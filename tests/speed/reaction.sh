#!/bin/sh
# How long the longest step of a search takes: 20 ms are the bound, after which a search that is told to stop stands. Of bundled pipelines, of those that
# have thousands of tilings for a Func, and of a chain of 200 stencils.
: "${BW_BUILD:=.}" "${BW_SRC:=.}"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$BW_BUILD/beamwalk" describe stencil_chain -G stencils=200 --output "$folder/chain.json" || exit 1
"$BW_BUILD/tests/speed/reaction" --bound 20 "$BW_SRC/data/devices.json" "$BW_SRC"/data/descriptions/*.json "$BW_SRC"/tests/soak/descriptions/*.json "$folder/chain.json"
