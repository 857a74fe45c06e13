#!/bin/sh
# Tries quickstart as a newcomer would: in a fresh Debian 12 root with nothing in it, as root, without a terminal, from a
# clean clone of what is committed. Not part of `make check`: it takes minutes, and needs root, debootstrap and a mirror.
#
#   tests/setup/fresh-root.sh [-C DIRECTORY] [-k] [ARGUMENTS of quickstart]...     (without arguments: check)
#
#   -C  where to make the root (default /tmp/beamwalk-root); the bare system is kept beside it, in DIRECTORY.tar
#   -k  keep the root of the last run as it is, and fetch what was committed since
set -eu

directory=/tmp/beamwalk-root
keep=no
while getopts C:k option; do
	case $option in
	C) directory=$OPTARG ;;
	k) keep=yes ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- check

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
	echo "fresh-root.sh: needs root and debootstrap" >&2
	exit 1
fi
source=$(cd "$(dirname "$0")/../.." && pwd)

# The mirrors that this machine uses for bookworm, as lines of sources.list.
mirrors() {
	# shellcheck disable=SC2016 # these are apt's own fields
	apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
		grep -E ' bookworm(-updates|-security)? main$' | sort -u
}

if [ ! -e "$directory.tar" ]; then
	uri=$(mirrors | awk '$3 == "bookworm" { print $2; exit }')
	rm -rf "$directory"
	debootstrap --variant=minbase bookworm "$directory" ${uri:+"$uri"}
	if [ -n "$uri" ]; then
		mirrors >"$directory/etc/apt/sources.list"
	fi
	rm -rf "$directory"/var/lib/apt/lists/* "$directory"/var/cache/apt/archives/*.deb
	tar -C "$directory" -cf "$directory.tar" .
	keep=no
fi
if [ $keep = no ]; then
	rm -rf "$directory"
	mkdir -p "$directory"
	tar -C "$directory" -xf "$directory.tar"
fi
cp /etc/resolv.conf /etc/hosts "$directory/etc/"

clone=$directory/root/beamwalk
if [ -d "$clone/.git" ]; then
	git -C "$clone" fetch -q "$source" HEAD
	git -C "$clone" reset -q --hard FETCH_HEAD
else
	git clone -q --no-hardlinks "$source" "$clone"
fi

# Mounts and processes of its own, which go when it ends; nothing of this machine's /dev is in reach.
# shellcheck disable=SC2016 # the inner shell expands these
exec unshare --mount --pid --fork --kill-child sh -c '
	root=$1
	shift
	mount -t proc proc "$root/proc"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
	mount -t tmpfs tmpfs "$root/dev/shm"
	exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" sh -c "cd /root/beamwalk && exec ./quickstart \"\$@\"" sh "$@"
' sh "$directory" "$@" </dev/null
