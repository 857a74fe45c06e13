#!/bin/sh
# The part of interop.sh that runs in the root, in a clone of beamwalk that was built: records into FOLDER/PIPELINE.
#
#   tests/interop/inside.sh FOLDER [PIPELINE...]
set -eu
folder=$1
shift
export TARGET=x86-64-linux-avx2-sse41-cuda-cuda_capability_80 PREDICT="$folder/predict" QUIET="$folder/quiet.so" LIMIT=600
rm -rf "$folder"
mkdir -p "$folder"
cc -O1 -Wall -I/usr/include/halide19 tests/interop/predict.c -ldl -o "$PREDICT"
c++ -std=c++17 -O1 -Wall -fPIC -shared -isystem /usr/include/halide19 tests/interop/quiet.cpp -o "$QUIET"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
while read -r name arguments k options; do
	case $name in '' | '#'*) continue ;; esac
	case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
	[ "$arguments" != - ] || arguments=
	generator=build/pipelines/$name
	if [ -e "tests/interop/$name.cpp" ]; then
		generator=$scratch/$name
		[ -e "$generator" ] || c++ -std=c++17 -O0 -isystem /usr/include/halide19 "tests/interop/$name.cpp" -l:libHalide_GenGen19.a -l:libHalide19.so -o "$generator"
	fi
	if [ ! -d "$folder/$name" ]; then
		mkdir "$folder/$name"
		build/beamwalk describe "$generator" ${arguments:+-G "$arguments"} -o "$folder/$name/description.json" || status=1
	fi
	sh tests/interop/record.sh "$folder/$name" "$generator" "$arguments" "$k" "$options" || status=1
done <tests/interop/cases
rm -f "$PREDICT" "$QUIET"
exit $status
