#!/usr/bin/env bash
# Run by conda-build in the unpacked source archive: PREFIX is what it installs into.
set -euo pipefail
cmake -S . -B build/conda -G Ninja -DCMAKE_BUILD_TYPE=Release -DFRX_BUILD_TESTS=OFF -DFRX_SYSTEM_LIBRARIES=ON \
  -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib
cmake --build build/conda --parallel "${CPU_COUNT:-2}" --target frx libfrx frx_user_files
cmake --install build/conda --strip
