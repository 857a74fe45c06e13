# What random.sh has timed, exported, pasted into the generator and compiled without beamwalk: the linked objects are, to the byte,
# those in the cache, which were timed. Sourced by random.sh; adds count + 4 results.
. "$BW_SRC/tests/halide/pasted.sh"

export_one() { # ID
	"$BW_BUILD/beamwalk" export "$pipeline" "$folder/$1.schedule" -o "$folder/$1.h" && add_export "$folder" "$1" "$folder/$1.h"
}

# Links as beamwalk does and looks for the outcome in the cache. The runtime is one of those there.
compare_one() { # ID
	run_pasted "$folder" "$1" "$pipeline" x86-64-linux-opencl-no_runtime || return 1
	for runtime in "$folder"/cache/beamwalk/*.o; do
		cc -shared -o "$folder/$1/bw_filter.so" "$folder/$1/bw_filter.o" "$runtime" -Wl,-Bsymbolic -ldl -lpthread -lm || return 1
		for timed in "$folder"/cache/beamwalk/*.so; do
			cmp -s "$folder/$1/bw_filter.so" "$timed" && echo "$timed" >"$folder/$1.found" && return 0
		done
	done
	echo "the object is none of those that were timed"
	return 1
}

compare_some() { # ID...
	for id; do
		compare_one "$id" >"$folder/$id.said" 2>&1
		echo $? >"$folder/$id.status"
	done
}

ids=
i=0
while [ "$i" -lt "$count" ]; do
	ids="$ids $(printf %02d "$i")"
	i=$((i + 1))
done
status=0
for id in searched $ids; do
	export_one "$id" || status=1
done
end_exports "$folder"
report $status "$pipeline: all schedules exported"

sed -e 's/^#include <Halide.h>/&\n#include "exports.h"/' -e 's/if (auto_schedule)/if (auto_schedule || exported(get_pipeline()))/' "$BW_SRC/pipelines/$pipeline.cpp" >"$folder/pasted.cpp"
build_pasted "$folder" "$folder/pasted.cpp"
report $? "$pipeline: they compile in the generator's source"

# shellcheck disable=SC2086 # several words
set -- $ids
while [ $# -gt $((count / 2)) ]; do
	first="$first $1"
	shift
done
# shellcheck disable=SC2086 # several words
compare_some $first searched &
compare_some "$@"
wait
for id in searched $ids; do
	report "$(cat "$folder/$id.status")" "$pipeline: $id: exported, the object that was timed: $(tail -n 1 "$folder/$id.said")"
done
[ "$(cat "$folder"/*.found | sort -u | wc -l)" -ge "$count" ]
report $? "$pipeline: these objects differ"
