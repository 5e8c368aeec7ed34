#!/usr/bin/env python3
"""What reads sixteen characters at a time on 64-bit ARM gives what the plain way gives: the fuzz targets that compare both, compiled for
ARM and run by QEMU on their seeds and on changes of them. QEMU notices no reads beyond an end; the same targets under AddressSanitizer do.

Skipped (77) without aarch64-linux-gnu-g++ (Debian: g++-aarch64-linux-gnu) and qemu-aarch64 (qemu-user).
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FUZZ = REPOSITORY / "tests" / "fuzz"

# Targets, and what they need of src/ besides headers.
TARGETS = {
    "fuzz_quoted_numbers": ["ingest/quoted_numbers.cc", "base/numbers.cc", "base/text.cc"],
    "fuzz_event_layouts": [f"ingest/chrome_trace/{name}.cc" for name in ("event_layouts", "event_fields", "json_cursor")],
}

# Characters are replaced by others of the same seed, left out, or repeated.
DRIVER = r"""
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "ingest/sixteen_characters.h"

#ifndef FRX_SIXTEEN_CHARACTERS
#error "there is no fast way to compare"
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

void compare(const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }

int main(int argc, char** argv) {
  std::mt19937 random(24);
  constexpr int changes = 5000;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string seed(std::istreambuf_iterator<char>(file), {});
    compare(seed);
    for (int change = 0; change < changes; ++change) {
      std::string text = seed;
      for (unsigned edits = 1 + random() % 8; edits > 0 && !text.empty(); --edits) {
        const std::size_t at = random() % text.size(), from = random() % text.size();
        if (random() % 2 == 0) {
          text[at] = text[from];
        } else if (random() % 2 == 0) {
          text.erase(at, 1 + random() % 4);
        } else {
          text.insert(at, text.substr(from, 1 + random() % 24));
        }
      }
      compare(text);
    }
  }
  std::printf("%d seeds with %d changes each: both ways agree\n", argc - 1, changes);
}
"""


def run(target, sources, compiler, machine, folder):
    driver, program = folder / "driver.cc", folder / target
    driver.write_text(DRIVER)
    # Libraries of headers alone are those of this machine, searched behind the compiler's own.
    subprocess.run([compiler, "-std=c++20", "-O1", "-static", f"-I{REPOSITORY / 'src'}", f"-I{REPOSITORY / 'tests'}", "-idirafter", "/usr/include",
                    driver, FUZZ / f"{target}.cc", *(REPOSITORY / "src" / source for source in sources), "-o", program], check=True)
    seeds = sorted((FUZZ / "corpus" / target).iterdir())
    assert seeds, target
    done = subprocess.run([machine, program, *seeds], capture_output=True, text=True, timeout=120, check=False)
    print(f"{target}: {done.stdout}{done.stderr}", end="")
    assert done.returncode == 0 and "both ways agree" in done.stdout, done.returncode


def main():
    compiler, machine = shutil.which("aarch64-linux-gnu-g++"), shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if not compiler or not machine:
        print("needs aarch64-linux-gnu-g++ and qemu-aarch64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for target, sources in TARGETS.items():
            run(target, sources, compiler, machine, pathlib.Path(folder))


if __name__ == "__main__":
    main()
