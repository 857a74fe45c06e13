# shellcheck shell=sh
# The source of Halide, from Debian's source package. Sourced by the scripts that try Halide's apps.

# Fetches the source package into FOLDER/lists, with lists of its own: the machine's need not name sources. Where a mirror has no
# more of it than the tree as Halide's authors released it, that is all there is.
halide_fetch() { # FOLDER
	lists=$1/lists
	mkdir -p "$lists/state/partial"
	# shellcheck disable=SC2016 # these are apt's own fields
	apt-get indextargets --format 'deb-src [trusted=yes] $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | grep ' main$' | sort -u >"$lists/sources.list"
	private="-q -o Dir::Etc::SourceList=$lists/sources.list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$lists/state"
	# shellcheck disable=SC2086 # several options
	(cd "$lists" && apt-get $private update >/dev/null && apt-get $private source --download-only halide >/dev/null 2>&1) || true
}

# Has the source in FOLDER/source: Debian's, else as it was released. Ends the script if there is neither.
halide_source() { # FOLDER
	[ ! -d "$1/source" ] || return 0
	halide_fetch "$1"
	if ! dpkg-source --no-check -x "$1"/lists/halide_*.dsc "$1/source" >/dev/null 2>&1; then
		rm -rf "$1/source"
		mkdir "$1/source"
		tar -C "$1/source" --strip-components=1 -xf "$(ls "$1"/lists/halide_*.orig.tar.?z)" || {
			rm -rf "$1/source"
			echo "${0##*/}: Halide's source package cannot be fetched (apt-get source, dpkg-dev)" >&2
			exit 1
		}
	fi
}
