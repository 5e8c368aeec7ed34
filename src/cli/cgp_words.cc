#include "cli/cgp_words.h"

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"

namespace frx::cli {
namespace {

struct CgpWords {
  std::string_view cgp, ours;
};

constexpr CgpWords all_words[] = {
    {"profile kernel", "kernel profile"},
    {"profile cublas", "kernel cublas"},
    {"profile binary", "kernel binary"},
    {"profile python", "kernel python"},
    {"trace", "trace"},
    {"roofline", "kernel roofline"},
    {"diff", "kernel diff"},
    {"contract verify", "kernel verify"},
    {"contract generate", "kernel contract"},
    {"baseline", "kernel baseline"},
    {"compete", "kernel compete"},
    {"doctor", "doctor"},
    {"explain ptx", "analyze"},
};

// What cgp has and frx does not measure, and what does.
constexpr CgpWords not_ours[] = {
    {"profile simd", "perf stat counts instructions of CPUs"},
    {"profile scalar", "perf stat counts instructions of CPUs"},
    {"profile parallel", "perf stat counts instructions of CPUs"},
    {"profile quant", "frx kernel profile measures the kernel on the GPU; perf stat, code on the CPU"},
    {"profile wasm", "the profiler of the WebAssembly runtime measures it"},
    {"profile wgpu", "timestamp queries of WebGPU measure it"},
    {"profile metal", "Instruments of Xcode measures it"},
    {"profile library", "frx kernel binary measures the kernels of a program that calls the library"},
    {"profile compare", "frx kernel diff compares two profiles that were measured"},
    {"bench", "cargo bench or hyperfine times programs of the CPU; frx bench times two CUDA programs"},
    {"tui", "frx kernel profile prints the profile; --format html of frx profile is a page"},
    {"explain wgsl", "the compiler of the WebGPU implementation explains it"},
    {"explain simd", "a static analyser of CPU code, such as llvm-mca, explains it"},
};

// The same for options.
constexpr struct {
  std::string_view cgp, option, ours;
} not_our_options[] = {
    {"roofline", "--empirical",
     "it timed one core against the bandwidth of all of them; likwid-bench or STREAM measure CPUs, frx kernel profile a kernel on the GPU"},
    {"diff", "--before", "frx kernel diff --baseline F --current F compares two profiles that were measured"},
    {"diff", "--after", "frx kernel diff --baseline F --current F compares two profiles that were measured"},
};

const CgpWords* find(std::span<const CgpWords> table, std::string_view name) {
  const auto at = std::ranges::find(table, name, &CgpWords::cgp);
  return at == table.end() ? nullptr : &*at;
}

Failure unknown(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CgpWords& one : all_words) names.push_back(one.cgp);
  const std::string_view near = nearest(name, names);
  return fail(ErrorKind::usage, "unknown command '{}'", printable(name)).hint(near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

// Static analysis of PTX takes the file as an argument here.
void take_kernel_as_argument(std::vector<std::string>& words) { std::erase(words, "--kernel"); }

}  // namespace

Result<std::vector<std::string>> words_for_cgp(std::span<const std::string> args, bool json) {
  std::string name = args[0];
  std::size_t used = 1;
  if (words_begin_cgp(name) && args.size() > 1) name += " " + args[used++];
  if (const CgpWords* const foreign = find(not_ours, name))
    return fail(ErrorKind::usage, "{}: frx does not measure that", foreign->cgp).hint(std::string(foreign->ours));
  for (const auto& one : not_our_options) {
    if (one.cgp == name && std::ranges::find(args, one.option) != args.end())
      return fail(ErrorKind::usage, "{} {}: frx does not measure that", one.cgp, one.option).hint(std::string(one.ours));
  }
  const CgpWords* const known = find(all_words, name);
  if (!known) return unknown(name);
  if (!command_named(known->ours)) return fail(ErrorKind::usage, "{}: this build of frx does not have it", known->cgp);
  std::vector<std::string> words;
  for (const std::string_view word : split(known->ours, ' ')) words.emplace_back(word);
  words.insert(words.end(), args.begin() + static_cast<std::ptrdiff_t>(used), args.end());
  if (known->cgp == "explain ptx") take_kernel_as_argument(words);
  if (json) words.insert(std::ranges::find(words, "--"), "--json");
  return words;
}

bool words_begin_cgp(std::string_view word) {
  const auto begins = [&](const CgpWords& one) { return one.cgp.starts_with(word) && one.cgp.substr(word.size()).starts_with(' '); };
  return std::ranges::any_of(all_words, begins) || std::ranges::any_of(not_ours, begins);
}

std::string spelled(std::string_view command, std::string_view program) {
  const auto at = std::ranges::find(all_words, command, &CgpWords::ours);
  return fmt::format("{} {}", program, program == cgp_program && at != std::end(all_words) ? at->cgp : command);
}

std::string cgp_help(const Io& io) {
  constexpr std::size_t name_width = 20;
  std::string out = fmt::format("usage: {} [--json] COMMAND ...\n\nfrx by the command lines of cgp.\n\n", io.program);
  for (const CgpWords& one : all_words) {
    const Command* const command = command_named(one.ours);
    if (command) out += fmt::format("  {}{}\n", pad_right(one.cgp, name_width), command->summary);
  }
  return out + fmt::format("\n'{} COMMAND --help' explains a command.\n", io.program);
}

}  // namespace frx::cli
