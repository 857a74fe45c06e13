#!/bin/sh
# Halide's own apps, unchanged, under its anderson2021: in the root of interop.sh (a Debian 13 with Halide 19 and a built clone of beamwalk), fetches Debian's source of
# Halide 19, compiles the generators of its apps, and records for each what beamwalk describes and what anderson2021 finds by its defaults;
# where that takes longer than LIMIT seconds, by its sampled search (randomize_tilings=1 freeze_inline_compute_root=1).
#
#   tests/interop/apps.sh FOLDER [LIMIT [APP...]]       FOLDER gets APP/description.json, APP/1.nest, APP/1.features; the log says what did not end
set -eu
folder=$1 limit=${2:-600}
shift
[ $# = 0 ] || shift
export TARGET=x86-64-linux-avx2-sse41-cuda-cuda_capability_80 PREDICT="$folder/predict"
mkdir -p "$folder"
cc -O1 -Wall -I/usr/include/halide19 tests/interop/predict.c -ldl -o "$PREDICT"

if [ ! -d "$folder/source" ]; then
	command -v dpkg-source >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install dpkg-dev >/dev/null
	lists=$(mktemp -d)
	sed -n 's/^deb \(.*trixie main\)/deb-src \1/p' /etc/apt/sources.list >"$lists/sources.list"
	mkdir -p "$lists/state/lists/partial"
	private="-o Dir::Etc::SourceList=$lists/sources.list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$lists/state/lists"
	# shellcheck disable=SC2086 # several options
	(cd "$lists" && apt-get -q $private update >/dev/null && apt-get -q $private source --download-only halide >/dev/null && dpkg-source --no-check -x halide_19*.dsc "$folder/source" >/dev/null)
	rm -rf "$lists"
fi

# GENERATOR SOURCE ARGUMENTS: as the apps' own builds have them.
while read -r name source arguments; do
	case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
	at=$folder/$name
	mkdir -p "$at" "$folder/generators"
	generator=$folder/generators/$name
	[ -e "$generator" ] || c++ -std=c++17 -O0 -w -isystem /usr/include/halide19 -I "$folder/source/tools" -I "$folder/source/apps/support" "$folder/source/apps/$source" -l:libHalide_GenGen19.a -l:libHalide19.so -o "$generator" || continue
	[ -e "$at/description.json" ] || build/beamwalk describe "$generator" -g "$name" ${arguments:+-G "$arguments"} -o "$at/description.json" || echo "$name: is not described" >&2
	[ ! -e "$at/1.features" ] || continue
	LIMIT=$limit sh tests/interop/record.sh "$at" "$generator" "$arguments" 1 "" && continue
	echo "$name: anderson2021 by its defaults did not end in $limit s" >&2
	LIMIT=$limit sh tests/interop/record.sh "$at" "$generator" "$arguments" 1 "randomize_tilings=1 freeze_inline_compute_root=1" || echo "$name: nor did its sampled search" >&2
done <<'END'
harris harris/harris_generator.cpp
unsharp unsharp/unsharp_generator.cpp
bilateral_grid bilateral_grid/bilateral_grid_generator.cpp
camera_pipe camera_pipe/camera_pipe_generator.cpp
conv_layer conv_layer/conv_layer_generator.cpp
depthwise_separable_conv depthwise_separable_conv/depthwise_separable_conv_generator.cpp
hist hist/hist_generator.cpp
iir_blur iir_blur/iir_blur_generator.cpp
max_filter max_filter/max_filter_generator.cpp
nl_means nl_means/nl_means_generator.cpp
halide_blur blur/halide_blur_generator.cpp
mat_mul cuda_mat_mul/mat_mul_generator.cpp size=1024
interpolate interpolate/interpolate_generator.cpp
stencil_chain stencil_chain/stencil_chain_generator.cpp
bgu bgu/bgu_generator.cpp
local_laplacian local_laplacian/local_laplacian_generator.cpp
lens_blur lens_blur/lens_blur_generator.cpp
END
