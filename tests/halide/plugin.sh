# Running a generator with the plugin. Sourced by tests.

# An object bw_filter.o in FOLDER, as the environment's BEAMWALK_REQUEST says. The autoscheduler is named in two ways.
run_plugin() { # EXECUTABLE GENERATOR FOLDER ARGUMENT...
	plugin_executable=$1 plugin_generator=$2 plugin_folder=$3
	shift 3
	if [ "$HALIDE_MAJOR" = 14 ]; then set -- -s beamwalk auto_schedule=true "$@"; else set -- autoscheduler=beamwalk "$@"; fi
	"$plugin_executable" -g "$plugin_generator" -o "$plugin_folder" -f bw_filter -n bw_filter -e object -p "$BW_BUILD/libbeamwalk-halide$HALIDE_MAJOR.so" "$@"
}
