// frx kernel diff: what changed between two profiles of one kernel.

#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/kernel_files.h"
#include "cli/print_answer.h"
#include "compose/kernel_answers.h"

namespace frx::cli {
namespace command_kernel_diff {
namespace {

struct Options {
  std::string baseline, current;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Compares two profiles of one kernel (frx kernel profile --export FILE). The times of the launches decide, from 3 on each side; two "
      "means decide nothing. Profiles of different kernels, problems, GPUs, drivers or clocks are not compared.");
  syntax.option("--baseline", "FILE", options.baseline, "the profile before the change");
  syntax.option("--current", "FILE", options.current, "the profile after it");
  syntax.flag("--json", options.json, "print JSON (kernel_diff_v1)");
  syntax.example("--baseline before.json --current after.json", "for CI: the exit code says whether it got slower");
  syntax.exit_code(0, "the same, or faster");
  syntax.exit_code(1, "slower");
  syntax.exit_code(2, "a file cannot be read, or the profiles cannot be compared");
  syntax.exit_code(3, "inconclusive");
}

Result<report::ProfileDiff> diff_of(const Options& options) {
  if (options.baseline.empty() || options.current.empty())
    return fail(ErrorKind::usage, "kernel diff: expected --baseline FILE and --current FILE");
  TRY_ASSIGN(const model::FullProfile before, read_profile_file(options.baseline));
  TRY_ASSIGN(const model::FullProfile after, read_profile_file(options.current));
  return report::diff_profiles(before, after, options.baseline, options.current);
}

Result<int> act(const Options& options, Io& io) {
  Result<report::ProfileDiff> made = diff_of(options);
  if (!made && made.error().kind == ErrorKind::usage) return Failure{made.error()};
  if (!made) return end_with_error(made.error(), io);
  const auto diff = std::make_shared<const report::ProfileDiff>(std::move(*made));
  TRY(print_answer(io, compose::answer_of(diff), options.json ? "json" : "text"));
  return report::exit_code_of(*diff);
}

}  // namespace
}  // namespace command_kernel_diff

constinit const Command kernel_diff_command =
    make_command<command_kernel_diff::Options, command_kernel_diff::describe, command_kernel_diff::act>(
        "kernel diff", "Say what changed between two profiles of a kernel", "Diagnose");

}  // namespace frx::cli
