#!/bin/sh
# make installcheck: what was installed works from where it lies, away from the sources and the build.
#   installed.sh BEAMWALK MANDIR HALIDE DATADIR      (HALIDE: yes or no)
set -eu
beamwalk=$1
mandir=$2
halide=$3
datadir=$4
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
for page in man1/beamwalk.1 man1/beamwalk-bench.1 man5/beamwalk-devices.5 man5/beamwalk-lesson.5 man5/beamwalk-pipeline.5 man5/beamwalk-schedule.5 man5/beamwalkrc.5 man7/beamwalk-commands.7; do
	[ -s "$mandir/$page" ] || die "no manual page $page"
done
for file in bash-completion/completions/beamwalk zsh/site-functions/_beamwalk fish/vendor_completions.d/beamwalk.fish; do
	grep -q 'Completion of beamwalk(1)' "$datadir/$file" || die "no completion in $file"
done
"$beamwalk" pipelines | grep -q '^harris ' || die "harris is not among the pipelines"
"$beamwalk" learn 1 --batch >/dev/null || die "the first lesson fails"
"$beamwalk" devices | grep -q '^A100 ' || die "A100 is not among the devices"
"$beamwalk" schedule harris --beam 2 -o harris.schedule || die "cannot schedule harris"
head -n 1 harris.schedule | grep -qx 'beamwalk-schedule 1' || die "harris.schedule is no schedule"
printf 'assert decision end\nview nest\n' | "$beamwalk" repl harris --beam 2 | grep -q '^LOOP NEST of state 1' || die "no view without a screen"
printf '{"beamwalk-bench":2,"id":1,"do":"hello"}\n' | "$(dirname "$beamwalk")/beamwalk-bench" | grep -q '"hello"' || die "beamwalk-bench is not beside it"
if [ "$halide" = yes ]; then
	"$beamwalk" describe harris -o harris.json || die "cannot describe harris: its generator or the plugin"
	"$beamwalk" schedule harris.json --beam 2 -o again.schedule || die "cannot schedule the description"
	sed '/^#/d' harris.schedule >first
	sed '/^#/d' again.schedule >second
	cmp -s first second || die "the installed description is not the generator's"
fi
echo "installcheck: $beamwalk works"
