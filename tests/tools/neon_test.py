#!/usr/bin/env python3
"""What reads sixteen characters at a time on 64-bit ARM gives what the plain way gives: the fuzz target that compares both, compiled for
ARM and run by QEMU on its seeds and on fields that are made at random.

Skipped (77) without aarch64-linux-gnu-g++ (Debian: g++-aarch64-linux-gnu) and qemu-aarch64 (qemu-user).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FUZZ = REPOSITORY / "tests" / "fuzz"

DRIVER = r"""
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "ingest/sixteen_characters.h"

#ifndef FRX_SIXTEEN_CHARACTERS
#error "there is no fast way to compare"
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

void compare(const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    compare(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::mt19937 random(24);
  constexpr std::string_view characters = "0123456789012345678901234567890123456789.,,.-e \"n";
  int rows = 0;
  for (; rows < 20000; ++rows) {
    std::string row;
    for (int field = 0; field < 4; ++field) {
      row += field == 0 ? "\"" : ",\"";
      const std::size_t size = random() % 20;
      for (std::size_t i = 0; i < size; ++i) row += characters[random() % (rows % 2 == 0 ? 44 : characters.size())];
      row += '"';
    }
    compare(row);
  }
  std::printf("%d rows and %d seeds: both ways agree\n", rows, argc - 1);
}
"""


def main():
    compiler, machine = shutil.which("aarch64-linux-gnu-g++"), shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if not compiler or not machine:
        print("needs aarch64-linux-gnu-g++ and qemu-aarch64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        driver, program = pathlib.Path(folder) / "driver.cc", pathlib.Path(folder) / "program"
        driver.write_text(DRIVER)
        ours = [REPOSITORY / "src" / name for name in ("ingest/quoted_numbers.cc", "base/numbers.cc", "base/text.cc")]
        sources = [driver, FUZZ / "fuzz_quoted_numbers.cc", *ours]
        # Libraries of headers alone are those of this machine, searched behind the compiler's own.
        subprocess.run([compiler, "-std=c++20", "-O1", "-static", f"-I{REPOSITORY / 'src'}", f"-I{REPOSITORY / 'tests'}", "-idirafter", "/usr/include",
                        *sources, "-o", program], check=True)
        seeds = sorted((FUZZ / "corpus" / "fuzz_quoted_numbers").iterdir())
        done = subprocess.run([machine, program, *seeds], capture_output=True, text=True, env=os.environ, timeout=300)
    print(done.stdout + done.stderr, end="")
    assert done.returncode == 0 and "both ways agree" in done.stdout, done.returncode


if __name__ == "__main__":
    main()
