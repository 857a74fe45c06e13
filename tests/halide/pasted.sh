# A generator with exported schedules pasted into its source, one executable for many schedules. Sourced by tests.

# The end of its function's name.
function_of() { # ID
	printf %s "$1" | tr -c 'A-Za-z0-9_' _
}

# Adds an export to the header FOLDER/exports.h as schedule_ID, which PASTED=ID selects.
# add_export FOLDER ID FILE
add_export() {
	sed "s/schedule_[A-Za-z0-9_]*(/schedule_$(function_of "$2")(/" "$3" >>"$1/exports.h"
	echo "$2" >>"$1/ids"
}

# Ends the header: exported(PIPELINE) schedules as selected, and returns false where nothing is selected.
end_exports() { # FOLDER
	{
		echo 'static bool exported(Halide::Pipeline pipeline)'
		echo '{'
		echo '	const char *selected = getenv("PASTED");'
		echo '	const std::string id = selected ? selected : "";'
		while read -r id; do
			echo "	if (id == \"$id\") { schedule_$(function_of "$id")(pipeline); return true; }"
		done <"$1/ids"
		echo '	return false;'
		echo '}'
	} >>"$1/exports.h"
}

# Compiles sources that include exports.h as FOLDER/pasted, as a user would: with Halide and nothing of beamwalk.
build_pasted() { # FOLDER SOURCE...
	pasted_folder=$1
	shift
	# shellcheck disable=SC2086 # several words
	$CXX -std=c++17 -Wall -Wextra -Wshadow -Werror -I"$pasted_folder" -I"$BW_SRC/pipelines" $HALIDE_CPPFLAGS "$@" "$HALIDE_GENGEN" $HALIDE_LIBS -o "$pasted_folder/pasted"
}

# Runs it in a process of its own: an object in FOLDER/ID/bw_filter.o.
run_pasted() { # FOLDER ID GENERATOR TARGET [KEY=VALUE...]
	pasted_folder=$1 pasted_id=$2 pasted_generator=$3 pasted_target=$4
	shift 4
	mkdir -p "$pasted_folder/$pasted_id"
	PASTED=$pasted_id "$pasted_folder/pasted" -g "$pasted_generator" -o "$pasted_folder/$pasted_id" -f bw_filter -n bw_filter -e object "target=$pasted_target" "$@"
}
