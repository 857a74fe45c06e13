# What random.sh has timed, exported, pasted into the generator and compiled without beamwalk: the objects are, to the byte,
# those in the cache, which were linked and timed. Sourced by random.sh; adds a result for
# each schedule and three more.
. "$BW_SRC/tests/halide/pasted.sh"

# The generator's own arguments among the options of a schedule: KEY=VALUE after each -G.
arguments_of() { # ID
	options_of "$1" | tr ' ' '\n' | sed -n '/^-G$/{n;p;}'
}

export_one() { # ID
	# shellcheck disable=SC2046 # several words
	"$beamwalk" export "$pipeline" $(options_of "$1") "$folder/$1.schedule" -o "$folder/$1.h" && add_export "$folder" "$1" "$folder/$1.h"
}

# Compiles as beamwalk does and looks for the outcome in the cache.
compare_one() { # ID
	# shellcheck disable=SC2046 # several words, or none
	run_pasted "$folder" "$1" "$pipeline" x86-64-linux-opencl-cl_doubles-no_runtime $(arguments_of "$1") || return 1
	for timed in "$folder"/cache/beamwalk/*.o; do
		cmp -s "$folder/$1/bw_filter.o" "$timed" && echo "$timed" >"$folder/$1.found" && return 0
	done
	echo "the object is none of those that were timed"
	return 1
}

status=0
for id in $names; do
	export_one "$id" || status=1
done
end_exports "$folder"
report $status "$pipeline: all schedules exported"

sed -e 's/^#include <Halide.h>/&\n#include "exports.h"/' -e 's/if (using_autoscheduler())/if (using_autoscheduler() || exported(get_pipeline()))/' "$BW_SRC/pipelines/$pipeline.cpp" >"$folder/pasted.cpp"
build_pasted "$folder" "$folder/pasted.cpp"
report $? "$pipeline: they compile in the generator's source"

each compare_one
for id in $names; do
	report "$(cat "$folder/$id.status")" "$pipeline: $id: exported, the object that was timed: $(tail -n 1 "$folder/$id.said")"
done
[ "$(cat "$folder"/*.found | sort -u | wc -l)" -ge "$count" ]
report $? "$pipeline: these objects differ"
