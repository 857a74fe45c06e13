# shellcheck shell=sh
# A bare Debian in a folder, and in it a clean clone of what is committed. Sourced by the scripts that try what a newcomer would see. They
# need root, debootstrap, name spaces for mounts, and the package registry that this machine's apt uses.

# Where the roots are, and beside them the bare systems that they begin as, one for each suite.
: "${BW_ROOTS:=/var/cache/beamwalk}"

root_die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# The registry that this machine's apt uses, as lines of sources.list for a suite. Another suite than this machine's is taken from the same
# one; sid has neither updates nor a security suite.
root_mirrors() { # SUITE
	own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	# shellcheck disable=SC2016 # these are apt's own fields
	apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
		grep -E " ($1|$own)(-updates|-security)? main\$" | sed -E "s/ $own((-updates|-security)? main)\$/ $1\\1/" |
		grep -Ev ' sid-(updates|security) ' | sort -u
}

# Gives a root the registry's settings of this machine's apt: sources, proxies and the like, credentials, keys and pins.
root_registry() { # DIRECTORY SUITE
	cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
	if [ -n "$(root_mirrors "$2")" ]; then
		rm -f "$1"/etc/apt/sources.list.d/*
		root_mirrors "$2" >"$1/etc/apt/sources.list"
	fi
	apt-config dump Acquire | grep -v '^Acquire::IndexTargets' >"$1/etc/apt/apt.conf.d/01registry"
	for name in auth.conf auth.conf.d keyrings preferences preferences.d trusted.gpg.d; do
		[ ! -e "/etc/apt/$name" ] || cp -a "/etc/apt/$name" "$1/etc/apt/"
	done
}

# Runs debootstrap by way of the same registry and proxy. What it mounts goes with it.
root_debootstrap() { # DIRECTORY SUITE
	eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
	uri=$(root_mirrors "$2" | awk -v suite="$2" '$3 == suite { print $2; exit }')
	include=
	case $uri in https:*) include=--include=ca-certificates ;; esac
	env ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
		unshare --mount debootstrap --variant=minbase $include "$2" "$1" ${uri:+"$uri"} && root_registry "$1" "$2"
}

# Makes the bare system of a suite, unless there is one that is less than a week old. Where a new one cannot be made, an old one will do.
root_base() { # SUITE
	base=$BW_ROOTS/$1.tar
	[ -z "$(find "$base" -mtime -7 2>/dev/null)" ] || return 0
	mkdir -p "$BW_ROOTS" && made=$(mktemp -d "$BW_ROOTS/new-XXXXXX") || return
	if root_debootstrap "$made/root" "$1" >"$made/log" 2>&1 && rm -rf "$made"/root/var/lib/apt/lists/* "$made"/root/var/cache/apt/archives/*.deb &&
		tar -C "$made/root" -cf "$made/tar" . && mv "$made/tar" "$base"; then
		rm -rf "$made"
		return
	fi
	echo "${0##*/}: no bare system of $1 was made:" >&2
	tail -n 5 "$made/log" | sed 's/^/    /' >&2
	rm -rf "$made"
	[ -e "$base" ] && echo "${0##*/}: the one of $(date -r "$base" +%F) is taken" >&2
}

# Says why no root can be made here; nothing if one can.
root_lacks() {
	if [ "$(id -u)" != 0 ]; then
		echo "not root"
	elif ! command -v debootstrap >/dev/null; then
		echo "no debootstrap"
	elif ! unshare --mount true 2>/dev/null; then
		echo "nothing can be mounted here"
	fi
}

# Makes the root of a suite. KEEP yes: leaves the one that is there as it is.
root_make() { # DIRECTORY SUITE KEEP
	lacks=$(root_lacks)
	[ -z "$lacks" ] || root_die "a bare root cannot be made: $lacks"
	if [ "$3" = no ] || [ ! -e "$1/etc/apt" ]; then
		root_base "$2" || root_die "a bare root of $2 cannot be made"
		rm -rf "$1"
		mkdir -p "$1"
		tar -C "$1" -xf "$BW_ROOTS/$2.tar"
	fi
	root_registry "$1" "$2"
}

# Clones into the root's /root/beamwalk, or fetches what was committed since. The checkout may be another user's.
root_clone() { # DIRECTORY SOURCE
	if [ -d "$1/root/beamwalk/.git" ]; then
		git -c safe.directory='*' -C "$1/root/beamwalk" fetch -q "$2" HEAD
		git -C "$1/root/beamwalk" reset -q --hard FETCH_HEAD
	else
		git -c safe.directory='*' clone -q --no-hardlinks "$2" "$1/root/beamwalk"
	fi
}

# Reads the options of a script that works in such a root, as OPTIONS of getopts names them, and makes the root, with the clone in it.
# -C names another DIRECTORY than $BW_ROOTS/NAME-SUITE, -k keeps the root of the last run, -s names another SUITE, -l a limit in
# seconds. Sets directory, suite, kept (yes or no), limit (empty where none was named), flags (the letters of all other options that were
# given) and taken (how many arguments were options).
# shellcheck disable=SC2034 # these are for the script
root_start() { # SOURCE NAME SUITE OPTIONS ARGUMENTS...
	source=$1 name=$2 suite=$3 options=$4
	shift 4
	directory=
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
	: "${directory:=$BW_ROOTS/$name-$suite}"
	root_make "$directory" "$suite" "$kept"
	root_clone "$directory" "$source"
}

# Runs a command in the clone, as root, without a terminal: mounts and processes of its own, which go when it ends or is stopped (unshare
# itself heeds no other signal); nothing of this machine's /dev is in reach.
# shellcheck disable=SC2016 # the inner shell expands these
root_run() ( # DIRECTORY COMMAND...
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
		mount -t tmpfs tmpfs "$root/dev/shm"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" sh -c "
			[ ! -d /root/beamwalk ] || cd /root/beamwalk
			exec \"\$@\"" sh "$@"
	' sh "$@" </dev/null &
	trap 'kill -KILL $!' INT TERM HUP
	wait $!
)
