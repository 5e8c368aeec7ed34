#!/usr/bin/env bash
# Installs what building and testing needs, on Debian 12 or newer and its relatives.
#
#   tools/install_dependencies.sh [--tests] [--packages] [--wheel] [MORE_PACKAGES...]
#
# --tests adds what only tests need (PyTorch is large; without it they are skipped), --packages what builds and checks packages, --wheel asks
# for nothing but what builds the wheel.
# Only missing packages are installed; when nothing is missing, nothing is asked of the network.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)

packages=(
  g++ cmake ninja-build
  ccache lld                             # not needed, but builds are several times faster with them
  libfmt-dev nlohmann-json3-dev libexpected-dev libyaml-cpp-dev libcli11-dev libfast-float-dev
  libboost-dev                           # Beast: HTTP, headers alone
  libelf-dev                             # cubins inside profiles
  libprotozero-dev                       # Nsight Compute reports are protobuf messages
  liblz4-dev                             # compressed device code in programs
  libsqlite3-dev                         # exports of Nsight Systems are databases, and so is the history
  libzstd-dev                            # compressed reports (.ncu-repz)
  libisal-dev                            # not needed: gzip is unpacked several times as fast with it
  zlib1g-dev                             # compressed traces (.json.gz), run bundles as zip archives
  npm                                    # the page and the figures of reports; fetches the grammar of CUDA; brings nodejs
  libgtest-dev libgmock-dev
  mandoc                                 # checks the manual pages
)
optional=()
wheel_packages=(python3-pip python3-setuptools python3-wheel python3-venv)
for argument in "$@"; do
  case $argument in
    --wheel) packages=("${wheel_packages[@]}") ;;
    # dpkg-shlibdeps, file: CPack; lintian and a Debian of its own: tools/check_packages.
    --packages) packages+=("${wheel_packages[@]}" dpkg-dev file lintian mmdebstrap) ;;
    # The Python SDK is tested with real training loops, on the CPU, its types by mypy, its tables by pandas; the hook by pre-commit; pages in a real browser; endpoints by libcurl, which is loaded when it is there.
    # A history on ClickHouse (10 MB, 80 MB unpacked) and the compiler that takes less than half the time for tests (cmake/test_compiler.cmake), where the release has them.
    --tests) packages+=("${wheel_packages[@]}" python3-torch chromium libcurl4 mypy python3-pandas pre-commit); optional+=(clickhouse-server clang-19) ;;
    *) packages+=("$argument") ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "This is no Debian system; needed are: ${packages[*]}" >&2
  exit 0
fi

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }

# What is optional, not there, and known to the lists of apt.
missing=()
add_optional() {
  local package
  for package in "${optional[@]}"; do
    if [[ " ${missing[*]} " != *" $package "* ]] && ! is_installed "$package" && apt-cache show "$package" >/dev/null 2>&1; then
      missing+=("$package")
    fi
  done
}
add_optional
for package in "${packages[@]}"; do
  # Many a machine has a newer npm than Debian's; a source archive brings what npm would fetch, and needs node alone.
  if [ "$package" = npm ]; then
    if command -v npm >/dev/null; then continue; fi
    if compgen -G "$here/build/npm/web/installed-*" >/dev/null; then package=nodejs; fi
  fi
  is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing, and only root can install them: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
add_optional  # a new machine had no lists before
echo "Installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null

# Tests start servers of their own.
if [[ " ${missing[*]} " == *" clickhouse-server "* ]] && [ -d /run/systemd/system ]; then "${as_root[@]}" systemctl disable --now clickhouse-server >/dev/null; fi
