#!/bin/sh
# make installcheck: what was installed works from where it lies, away from the sources and the build.
#   installed.sh BEAMWALK MANDIR HALIDE      (HALIDE: yes or no)
set -eu
beamwalk=$1
mandir=$2
halide=$3
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bw-installed-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
XDG_CACHE_HOME=$scratch/cache
XDG_STATE_HOME=$scratch/state
XDG_CONFIG_HOME=$scratch/config
XDG_DATA_HOME=$scratch/data
export XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME

die() {
	echo "installcheck: $*" >&2
	exit 1
}

"$beamwalk" --version | grep -q '^beamwalk [0-9]' || die "no version"
[ -r "$mandir/man1/beamwalk.1" ] || die "no manual"
"$beamwalk" pipelines | grep -q '^harris ' || die "harris is not among the pipelines"
"$beamwalk" devices | grep -q '^A100 ' || die "A100 is not among the devices"
"$beamwalk" schedule harris --beam 2 -o harris.schedule || die "cannot schedule harris"
head -n 1 harris.schedule | grep -qx 'beamwalk-schedule 1' || die "harris.schedule is no schedule"
printf '{"beamwalk-bench":2,"id":1,"do":"hello"}\n' | "$(dirname "$beamwalk")/beamwalk-bench" | grep -q '"hello"' || die "beamwalk-bench is not beside it"
if [ "$halide" = yes ]; then
	"$beamwalk" describe harris -o harris.json || die "cannot describe harris: its generator or the plugin"
	"$beamwalk" schedule harris.json --beam 2 -o again.schedule || die "cannot schedule the description"
	sed '/^#/d' harris.schedule >first
	sed '/^#/d' again.schedule >second
	cmp -s first second || die "the installed description is not the generator's"
fi
echo "installcheck: $beamwalk works"
