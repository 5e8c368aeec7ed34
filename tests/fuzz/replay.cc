// fuzz_replay TARGET FOLDER: runs the seeds and past crashes of a fuzz target as an ordinary test, and
// each of them cut off at every power of two. Needs no libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

// The targets are compiled with LLVMFuzzerTestOneInput defined as their own names.
#define FRX_FUZZ_TARGET(name) extern "C" int name(const std::uint8_t* data, std::size_t size);
#include "fuzz/targets.def"
#undef FRX_FUZZ_TARGET

namespace {

struct Target {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Target targets[] = {
#define FRX_FUZZ_TARGET(name) {#name, name},
#include "fuzz/targets.def"
#undef FRX_FUZZ_TARGET
};

void run_all_prefixes(const Target& target, const std::string& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (std::size_t size = 1; size < bytes.size(); size *= 2) target.run(data, size);
  target.run(data, bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  const auto* const target =
      std::find_if(std::begin(targets), std::end(targets), [&](const Target& one) { return argc == 3 && one.name == argv[1]; });
  if (target == std::end(targets)) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FOLDER\n");
    return 2;
  }
  int seeds = 0;
  target->run(nullptr, 0);
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) {
    std::printf("%s\n", entry.path().c_str());
    std::fflush(stdout);  // the last line names the seed that crashed
    const frx::Result<std::string> bytes = frx::read_file(entry.path());
    if (!bytes) return 2;
    run_all_prefixes(*target, *bytes);
    ++seeds;
  }
  if (seeds == 0) std::fprintf(stderr, "%s has no seeds\n", argv[1]);
  return seeds > 0 ? 0 : 1;
}
