#!/bin/sh
# The part of apps.sh that runs in the root, in a clone of beamwalk that was built: has the source of
# Halide and the generators in FOLDER, and what is measured in FOLDER/found (app.sh).
#
#   tests/interop/apps-inside.sh FOLDER LIMIT [APP...]
set -eu
folder=$1
export TARGET=x86-64-linux-avx2-sse41-cuda-cuda_capability_80 PREDICT="$folder/predict" QUIET="$folder/quiet.so" WEIGHTS="$folder/baseline.weights" LIMIT="$2" MEMORY=12500000
shift 2
mkdir -p "$folder/found"
libraries=/usr/lib/$(cc -print-multiarch)
. tests/apps/source.sh
halide_source "$folder"
cc -O1 -Wall -I/usr/include/halide19 tests/interop/predict.c -ldl -o "$PREDICT"
c++ -std=c++17 -O1 -Wall -fPIC -shared -isystem /usr/include/halide19 tests/interop/quiet.cpp -o "$QUIET"
perl -0777 -ne 'print substr($_, index($_, pack("V4", 0x68776631, 3, 3, 6)), 20400)' "$libraries/halide19/libautoschedule_anderson2021.so" >"$WEIGHTS"

# shellcheck disable=SC2046 # several programs
make -s -f tests/apps/build.mk -j"$(nproc)" SOURCE="$folder/source" FOLDER="$folder" CXX=c++ HALIDE_CPPFLAGS=-I/usr/include/halide19 HALIDE_LIBS=-l:libHalide19.so \
	HALIDE_GENGEN="$libraries/libHalide_GenGen19.a" $(sed '/^#/d' tests/interop/apps.table | awk -v folder="$folder" '{ print folder "/generators/apps." $2 }' | sort -u)

sed '/^#/d' tests/interop/apps.table | while read -r name arguments; do
	case " ${*:-$name} " in *" $name "*) echo "$folder/found $name $arguments" ;; esac
done | xargs -P "$(nproc)" -L 1 sh tests/interop/app.sh
