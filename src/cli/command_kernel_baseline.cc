// frx kernel baseline: the store of profiles that later ones are compared with.

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/kernel_files.h"
#include "cli/operator_commands.h"
#include "compose/full_profile_json.h"

namespace frx::cli {
namespace command_kernel_baseline {
namespace {

struct Options {
  std::string save, load;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Keeps profiles of kernels in .cgp-baselines of the current folder, one for each kernel and problem: frx kernel verify compares with "
      "them. Without an option it lists them.");
  syntax.option("--save", "FILE", options.save, "keep this profile, instead of the one of its kernel and problem that is there");
  syntax.option("--load", "NAME", options.load, "print the profile that is kept under this name, as JSON");
  syntax.flag("--json", options.json, "print JSON: name, file; or baselines");
  syntax.example("--save gemm.json", "what comes later is compared with it");
  syntax.exit_code(0, "it was saved, printed or listed");
  syntax.exit_code(1, "a file cannot be read or written, or there is none of that name");
  syntax.exit_code(3, "the profile is an estimate, or has no kernel's name or no time");
}

Result<int> save(const Options& options, Io& io) {
  TRY_ASSIGN(const model::FullProfile profile, read_profile_file(options.save));
  if (profile.estimated.value_or(false) || !profile.kernel.name || !profile.timing.wall_clock_time_us)
    return fail(ErrorKind::not_enough, "the profile is an estimate, or has no kernel's name or no time").at(options.save);
  const std::string name = file_stem_for(*profile.kernel.name, profile.kernel.dimensions);
  TRY_ASSIGN(const std::string file, write_profile_file(baseline_path(name), profile));
  if (options.json) {
    write_json(io, "kernel_baseline", {{"name", name}, {"file", file}});
  } else {
    io.out.write(fmt::format("Baseline saved: {} ({})\n", name, file));
  }
  return 0;
}

std::vector<std::string> kept_names() {
  std::vector<std::string> names;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(std::string(baseline_folder), problem), end; !problem && at != end; at.increment(problem)) {
    if (at->path().extension() == ".json") names.push_back(at->path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Result<int> load(const Options& options, Io& io) {
  const std::vector<std::string> names = kept_names();
  // A name of the list and nothing else, so that it cannot lead out of the folder.
  if (std::ranges::find(names, options.load) == names.end()) {
    const std::string_view near = nearest(options.load, std::vector<std::string_view>(names.begin(), names.end()));
    return fail(ErrorKind::negative, "no baseline is called '{}'", printable(options.load))
        .hint(near.empty() ? "frx kernel baseline lists them" : fmt::format("did you mean '{}'?", near));
  }
  TRY_ASSIGN(const model::FullProfile profile, read_profile_file(baseline_path(options.load)));
  io.out.write(answer::json_text_of([&](answer::JsonObject& out) { compose::put_full_profile(out, profile); }));
  return 0;
}

Result<int> act(const Options& options, Io& io) {
  if (!options.save.empty() && !options.load.empty())
    return fail(ErrorKind::usage, "kernel baseline: expected one of --save and --load, found both");
  if (!options.save.empty()) return save(options, io);
  if (!options.load.empty()) return load(options, io);
  const std::vector<std::string> names = kept_names();
  if (options.json) {
    write_json(io, "kernel_baselines", {{"baselines", names}});
    return 0;
  }
  for (const std::string& name : names) io.out.write(name + "\n");
  if (names.empty()) io.out.write("No baselines in .cgp-baselines; --save FILE keeps one.\n");
  return 0;
}

}  // namespace
}  // namespace command_kernel_baseline

constinit const Command kernel_baseline_command =
    make_command<command_kernel_baseline::Options, command_kernel_baseline::describe, command_kernel_baseline::act>(
        "kernel baseline", "Keep a profile that later ones are compared with", "Measure");

}  // namespace frx::cli
