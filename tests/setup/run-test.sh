#!/bin/sh
# Runs one test program: ends it after half an hour, and mends what cmocka 1.1 prints for a skipped case, which is
# "not ok N # SKIP", where TAP wants "ok", and the reason, which stands in a line before it (tests/core/test.h). The last line of the log is the
# processor time.
# PoCL finds no memory in a root without /sys; filters run in tests' own processes too.
if [ ! -e /sys/devices/system/cpu ]; then
	: "${HWLOC_SYNTHETIC:=numa:1(memory=4294967296) core:2 pu:1}"
	export HWLOC_SYNTHETIC
fi
# What a test stores and remembers is its own, for others run beside it; what is compiled once is for all.
for test; do :; done
name=$(printf '%s' "${test#"$BW_SRC/"}" | tr / -)
export XDG_DATA_HOME="$XDG_DATA_HOME/$name" XDG_STATE_HOME="$XDG_STATE_HOME/$name"
exec 4>&1
status=$({ { timeout -k 10 1800 "$@" 3>&- 4>&-; echo $? >&3; } | sed '
	/^# SKIP: /{ h; d; }
	s/^not \(ok [0-9]* *# SKIP\)/\1/
	/^ok [0-9]* *# SKIP/{ G; s/^\(ok [0-9]*\) *# SKIP *\(.*\)\n# SKIP: /\1 - \2 # SKIP /; s/\n.*//; x; s/.*//; x; }' >&4; } 3>&1)
echo "# processor time of this shell, then of the test with all its processes (user, system):"
times
exit "$status"
