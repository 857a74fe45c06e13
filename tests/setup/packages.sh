#!/bin/sh
# The Debian packages, in bare roots: built twice, in two folders, which must give the same bytes, without errors of lintian and of what
# checks the desktop's files; then installed in a second root, tried there by autopkgtest, and removed. `make check-deb`; takes half an hour, and
# needs root, debootstrap and a mirror. The packages are left in /var/cache/beamwalk.
#
#   tests/setup/packages.sh [-C DIRECTORY] [-k] [-s SUITE]      (as fresh-root.sh)
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/setup/root.sh"

root_start "$source" packages bookworm C:ks: "$@"
inside='set -eu
	export DEBIAN_FRONTEND=noninteractive
	install() { apt-get -q -y --no-install-recommends install "$@" >>/root/log 2>&1 || { tail /root/log; exit 1; }; }
	apt-get -q update >/root/log'

# shellcheck disable=SC2016 # for the shell in there
root_run "$directory" sh -c "$inside"'
	install build-essential appstream desktop-file-utils lintian
	apt-get -q -y --no-install-recommends build-dep ./ >>/root/log 2>&1
	desktop-file-validate desktop/beamwalk.desktop
	# Newer ones warn that there is no homepage.
	appstreamcli validate --no-net desktop/beamwalk.metainfo.xml | tee /root/said
	! grep "^E:" /root/said
	rm -rf /root/first /srv/second-time
	for folder in /root/first /srv/second-time; do
		mkdir -p $folder
		cp -a . $folder/beamwalk
		(cd $folder/beamwalk && dpkg-buildpackage -b -us -uc -j2) >$folder/log 2>&1 || { tail -n 30 $folder/log; exit 1; }
	done
	cd /root/first
	lintian --fail-on error ./*.changes
	for package in *.deb; do
		cmp "$package" "/srv/second-time/$package"
		echo "$package: the same from both folders, $(stat -c %s "$package") bytes"
	done'

used=$directory-used
root_make "$used" "$suite" no
root_clone "$used" "$source"
cp "$directory"/root/first/*.deb "$used/root"
rm "$used"/root/*-dbgsym_*.deb
# shellcheck disable=SC2016
root_run "$used" sh -c "$inside"'
	find / -xdev -name "*beamwalk*" ! -path "/root/*" ! -path "/var/*" | sort >/root/before
	install ../*.deb
	beamwalk --version
	beamwalk pipelines | head -n 3
	install autopkgtest
	autopkgtest ../*.deb ./ -- null
	dpkg --purge beamwalk libbeamwalk-halide beamwalk-bench >>/root/log
	find / -xdev -name "*beamwalk*" ! -path "/root/*" ! -path "/var/*" ! -path "/tmp/*" | sort | cmp /root/before -
	echo "installed, used and removed without a trace"'
cp "$directory"/root/first/*.deb "${directory%/*}"
rm -rf "$used"
[ $kept = yes ] || rm -rf "$directory"
