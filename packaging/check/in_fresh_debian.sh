# shellcheck shell=sh
# Run by tools/check_packages as root of a Debian that has apt and nothing else, with what is handed out in /hand-over.
set -e
export DEBIAN_FRONTEND=noninteractive HOME=/root
cd /hand-over
quietly() { "$@" >/tmp/log 2>&1 || { cat /tmp/log; echo "failed: $*"; exit 1; }; }
installed() { dpkg-query -W -f '${Package}\n' | wc -l; }

echo "Debian $(cat /etc/debian_version), $(installed) packages"
echo "-- tarball"
tarball=$(echo frx-*-linux-*)
"$tarball/bin/frx" profile --ncu strided_copy.csv | grep 'Primary *:'

echo "-- apt-get install ./frx_*.deb"
quietly apt-get update
before=$(installed)
quietly apt-get install -y --no-install-recommends ./frx_*.deb
echo "$(($(installed) - before)) packages were installed"
frx --version | head -1
frx profile --ncu strided_copy.csv | grep 'Primary *:'
fournex --help | head -1

echo "-- the other packages, and projects that use the library"
quietly apt-get install -y --no-install-recommends ./libfrx0_*.deb ./libfrx-dev_*.deb ./python3-fournex_*.deb
(cd / && python3 /hand-over/analyse_in_process.py)
quietly apt-get install -y --no-install-recommends gcc g++ cmake ninja-build pkg-config
# shellcheck disable=SC2046  # several words are several arguments
gcc -o by_pkg_config consumer/analyse.c $(pkg-config --cflags --libs frx)
./by_pkg_config | sed -n '1s/: .*/, built with pkg-config/p'
quietly cmake -S consumer -B by_cmake -G Ninja
quietly cmake --build by_cmake
by_cmake/in_cxx | sed -n '1s/: .*/, built with find_package/p'

echo "-- wheel, while the packages are removed"
quietly apt-get purge -y frx libfrx0 libfrx-dev python3-fournex
quietly apt-get install -y --no-install-recommends python3-venv
quietly apt-get purge -y libelf1
python3 -m venv /venv
quietly /venv/bin/pip install --no-index fournex-*.whl
(cd / && /venv/bin/python /hand-over/analyse_in_process.py)
/venv/bin/frx profile --ncu strided_copy.csv | grep 'Primary *:'
left=$(find / -xdev \( -name '*frx*' -o -name '*fournex*' \) -not -path '/hand-over/*' -not -path '/venv/*' -not -path '/proc/*' -not -path '/var/lib/apt/*')
echo "files of frx that are left: ${left:-none}"
[ -z "$left" ]
