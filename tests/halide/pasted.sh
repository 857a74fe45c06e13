# A generator with exported schedules pasted into its source, one executable for many schedules. Sourced by tests.

# Adds an export to the header FOLDER/exports.h as schedule_ID, which PASTED=ID selects.
# add_export FOLDER ID FILE
add_export() {
	sed "s/schedule_[A-Za-z0-9_]*(/schedule_$2(/" "$3" >>"$1/exports.h"
	echo "$2" >>"$1/ids"
}

# Ends the header: exported(PIPELINE) schedules as selected, and returns false where nothing is selected.
end_exports() { # FOLDER
	{
		echo 'static bool exported(Halide::Pipeline pipeline)'
		echo '{'
		echo '	const char *selected = getenv("PASTED");'
		echo '	const std::string id = selected ? selected : "";'
		sed 's/.*/	if (id == "&") { schedule_&(pipeline); return true; }/' "$1/ids"
		echo '	return false;'
		echo '}'
	} >>"$1/exports.h"
}

# Compiles sources that include exports.h as FOLDER/pasted, as a user would: with Halide and nothing of beamwalk.
build_pasted() { # FOLDER SOURCE...
	pasted_folder=$1
	shift
	# shellcheck disable=SC2086 # several words
	$CXX -std=c++17 -Wall -Wextra -Wshadow -Werror -I"$pasted_folder" $HALIDE_CPPFLAGS "$@" "$BW_BUILD/libbwgengen.a" $HALIDE_LIBS -o "$pasted_folder/pasted"
}

# Runs it in a process of its own: an object in FOLDER/ID/bw_filter.o.
run_pasted() { # FOLDER ID GENERATOR TARGET
	mkdir -p "$1/$2"
	PASTED=$2 "$1/pasted" -g "$3" -o "$1/$2" -f bw_filter -n bw_filter -e object "target=$4"
}
