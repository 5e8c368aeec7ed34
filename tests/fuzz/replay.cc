// fuzz_replay [--mutate N] TARGET SEED...: runs the seeds and past crashes of a fuzz target as an ordinary test, and each of them cut off
// at every power of two; then N inputs that the mutator of the target makes of the seeds, the same ones each time. Needs no libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "fuzz/mutate/changes.h"

// The targets are compiled with LLVMFuzzerTestOneInput defined as their own names.
#define FRX_FUZZ_TARGET(name, mutator) extern "C" int name(const std::uint8_t* data, std::size_t size);
#include "fuzz/targets.def"
#undef FRX_FUZZ_TARGET

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most = 1 << 16;  // bytes of a mutated input

struct Target {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
  frx::fuzz::Mutator mutate;
};

constexpr Target targets[] = {
#define FRX_FUZZ_TARGET(name, mutator) {#name, name, frx::fuzz::mutator},
#include "fuzz/targets.def"
#undef FRX_FUZZ_TARGET
};

void run(const Target& target, std::string_view bytes) { target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()); }

void run_all_prefixes(const Target& target, std::string_view bytes) {
  for (std::size_t size = 1; size < bytes.size(); size *= 2) run(target, bytes.substr(0, size));
  run(target, bytes);
}

// The last file tells what crashed.
void keep(const std::string& input) {
  static const char* const file = std::getenv("FRX_FUZZ_KEEP");
  if (file) (void)frx::write_file(file, input);
}

// Each input is a seed, or one of the latest inputs, changed once more.
void run_mutated(const Target& target, std::vector<std::string> seeds, std::uint64_t times) {
  const std::size_t own = seeds.size();
  for (std::uint64_t i = 0; i < times; ++i) {
    frx::fuzz::Changes changes(i, most);
    std::string input = seeds[changes.below(seeds.size())];
    target.mutate(input, changes);
    if (input.size() > most) continue;
    keep(input);
    run(target, input);
    if (seeds.size() < own + 64) seeds.emplace_back();
    seeds[own + i % (seeds.size() - own)] = std::move(input);
  }
}

// Files, and those in folders.
std::vector<std::string> paths_of(std::span<const char* const> given) {
  std::vector<std::string> paths;
  for (const char* one : given) {
    if (!fs::is_directory(one)) {
      paths.emplace_back(one);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(one)) paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

int replay(const Target& target, std::span<const char* const> given, std::uint64_t times) {
  std::vector<std::string> seeds;
  target.run(nullptr, 0);
  for (const std::string& path : paths_of(given)) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);  // the last line names the seed that crashed
    frx::Result<std::string> bytes = frx::read_file(path);
    if (!bytes) return 2;
    run_all_prefixes(target, *bytes);
    seeds.push_back(std::move(*bytes));
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "%s has no seeds\n", std::string(target.name).c_str());
    return 1;
  }
  run_mutated(target, std::move(seeds), times);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::span<const char* const> arguments(argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0)));
  std::uint64_t times = 0;
  if (arguments.size() >= 2 && std::string_view(arguments[0]) == "--mutate") {
    times = std::strtoull(arguments[1], nullptr, 10);
    arguments = arguments.subspan(2);
  }
  const auto* const target = std::find_if(std::begin(targets), std::end(targets),
                                          [&](const Target& one) { return arguments.size() >= 2 && one.name == arguments[0]; });
  if (target == std::end(targets)) {
    std::fprintf(stderr, "usage: fuzz_replay [--mutate N] TARGET SEED...\n");
    return 2;
  }
  return replay(*target, arguments.subspan(1), times);
}
