#!/bin/sh
# Generators built with Halide 14 and with Halide 19, in one go with one build of beamwalk: each is described, scheduled, compiled, run
# and compared through the plugin for its Halide. Both say the same of an algorithm, and the schedule of one is the other's. What the
# plugins do not fit is refused. Run by tests/setup/halide19.sh, where both are installed; prints TAP.
#
#   tests/halide/side-by-side.sh BUILD
set -u
build=$(cd "$1" && pwd) || exit 99
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME="$folder/cache" XDG_DATA_HOME="$folder/data"

number=0 failed=0
report() { # STATUS TEXT
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		failed=$((failed + 1))
		echo "not ok $number - $2"
		sed 's/^/# /' "$folder/said"
	fi
}

# run COMMAND...: what it says is kept.
run() {
	"$@" >"$folder/said" 2>&1
}

# compile VERSION SOURCE OUTPUT LINK...
compile() {
	version=$1 from=$2 to=$3
	shift 3
	run c++ -std=c++17 -O0 "-DBW_HALIDE_MAJOR=$version" -isystem "/usr/include/halide$version" "$from" "$@" -o "$to"
}

for name in blur harris; do
	compile 14 "$source/pipelines/$name.cpp" "$folder/${name}14" /usr/src/halide14/GenGen.cpp -l:libHalide14.so
	report $? "$name built with Halide 14"
	compile 19 "$source/pipelines/$name.cpp" "$folder/${name}19" -l:libHalide_GenGen19.a -l:libHalide19.so
	report $? "$name built with Halide 19"
	for version in 14 19; do
		run "$build/beamwalk" describe "$folder/$name$version" -o "$folder/$name$version.json" && grep -q "\"halide\":\"$version\\.0\\.0\"" "$folder/$name$version.json"
		report $? "$name of Halide $version is described by the plugin for $version"
		run "$build/beamwalk" schedule "$folder/$name$version" --beam 8 -o "$folder/$name$version.schedule"
		report $? "$name of Halide $version is scheduled"
		run "$build/beamwalk" time "$folder/$name$version" --seconds 0 --time-limit 600 "$folder/$name$version.schedule" && grep -Eq ' right (within bound )? *minimum' "$folder/said"
		report $? "$name of Halide $version runs and is right"
	done
	sed 's/"halide":"[0-9.]*"//' "$folder/${name}14.json" >"$folder/a"
	sed 's/"halide":"[0-9.]*"//' "$folder/${name}19.json" >"$folder/b"
	run cmp "$folder/a" "$folder/b"
	report $? "$name: both say the same of the algorithm"
	run "$build/beamwalk" time "$folder/${name}19" --seconds 0 --time-limit 600 "$folder/${name}14.schedule" && grep -Eq ' right (within bound )? *minimum' "$folder/said"
	report $? "$name: a schedule for Halide 14 runs with Halide 19 and is right"
done

# By hand: each generator with the other's plugin.
try() { # GENERATOR PLUGIN ARGUMENT...
	generator=$1 plugin=$2
	shift 2
	! run "$folder/$generator" -g blur -o "$folder" -e object target=x86-64-linux -p "$build/libbeamwalk-halide$plugin.so" "$@" && grep -q "undefined symbol: .*Halide" "$folder/said"
	report $? "$generator does not load the plugin for Halide $plugin"
}
try blur14 19 -s beamwalk auto_schedule=true
try blur19 14 autoscheduler=beamwalk

echo "1..$number"
[ $failed = 0 ]
