# shellcheck shell=sh
# A fresh Debian in a folder, with nothing in it, and a clean clone of what is committed. Sourced by the scripts that try what a newcomer
# would see; they need root, debootstrap and a mirror.

root_die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# The mirrors that this machine uses for a suite, as lines of sources.list.
root_mirrors() { # SUITE
	# shellcheck disable=SC2016 # these are apt's own fields
	apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
		grep -E " $1(-updates|-security)? main\$" | sort -u
}

# Makes the root; the bare system is kept beside it, in DIRECTORY.tar. KEEP yes: leaves it as it is. Another suite than this machine's
# comes from debootstrap's own mirror.
root_make() { # DIRECTORY SUITE KEEP
	if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		root_die "needs root and debootstrap"
	fi
	keep=$3
	if [ ! -e "$1.tar" ]; then
		uri=$(root_mirrors "$2" | awk -v suite="$2" '$3 == suite { print $2; exit }')
		rm -rf "$1"
		debootstrap --variant=minbase "$2" "$1" ${uri:+"$uri"}
		if [ -n "$uri" ]; then
			root_mirrors "$2" >"$1/etc/apt/sources.list"
		fi
		rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/archives/*.deb
		tar -C "$1" -cf "$1.tar" .
		keep=no
	fi
	if [ "$keep" = no ]; then
		rm -rf "$1"
		mkdir -p "$1"
		tar -C "$1" -xf "$1.tar"
	fi
	cp /etc/resolv.conf /etc/hosts "$1/etc/"
}

# Clones into the root's /root/beamwalk, or fetches what was committed since.
root_clone() { # DIRECTORY SOURCE
	if [ -d "$1/root/beamwalk/.git" ]; then
		git -C "$1/root/beamwalk" fetch -q "$2" HEAD
		git -C "$1/root/beamwalk" reset -q --hard FETCH_HEAD
	else
		git clone -q --no-hardlinks "$2" "$1/root/beamwalk"
	fi
}

# Reads the options of a script that works in such a root, as OPTIONS of getopts names them, and makes the root, with the clone in it.
# -C names another DIRECTORY, -k keeps the root of the last run, -s names another SUITE, -l a limit in seconds. Sets directory, limit (empty
# where none was named), flags (the letters of all other options that were given) and taken (how many arguments were options).
# shellcheck disable=SC2034 # these are for the script
root_start() { # SOURCE DIRECTORY SUITE OPTIONS ARGUMENTS...
	source=$1 directory=$2 suite=$3 options=$4
	shift 4
	kept=no
	limit=
	flags=
	OPTIND=1
	while getopts "$options" option; do
		case $option in
		C) directory=$OPTARG ;;
		k) kept=yes ;;
		l) limit=$OPTARG ;;
		s) suite=$OPTARG ;;
		\?) exit 2 ;;
		*) flags=$flags$option ;;
		esac
	done
	taken=$((OPTIND - 1))
	root_make "$directory" "$suite" "$kept"
	root_clone "$directory" "$source"
}

# Runs a command in the clone, as root, without a terminal: mounts and processes of its own, which go when it ends; nothing of this
# machine's /dev is in reach.
# shellcheck disable=SC2016 # the inner shell expands these
root_run() { # DIRECTORY COMMAND...
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
		mount -t tmpfs tmpfs "$root/dev/shm"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" sh -c "cd /root/beamwalk && exec \"\$@\"" sh "$@"
	' sh "$@" </dev/null
}
