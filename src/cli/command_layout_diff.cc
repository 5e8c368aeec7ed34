// frx layout diff: what changed between two reports about layouts.

#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/print_answer.h"
#include "compose/layout_diff.h"
#include "ingest/source.h"

namespace frx::cli {
namespace command_layout_diff {
namespace {

constexpr std::uint64_t largest_record = std::uint64_t{256} << 20;

struct Options {
  std::string before, after, fail_on, format = "text";
  Syntax::Number top;
  bool json = false, open = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Compares two reports of frx layout analyze --json: which findings are new, gone, worse, better or the same, by site, and how the "
      "totals of a step changed. Lines may move. Counts and bytes decide; times only where these are equal, by 10 % and more, and of one "
      "GPU only. What cannot be said, because the GPUs, the programs or the evidence differ, is listed as inconclusive.");
  syntax.required_argument("BEFORE", options.before, "report before the change (layout.v1); - is standard input");
  syntax.required_argument("AFTER", options.after, "the same after it");
  syntax.option("--top", "N", options.top, "findings to print (default 20)");
  syntax.choice("--fail-on", "CHANGE", options.fail_on, {"new", "worse", "high"},
                "exit with 1 when a finding is new; new or worse; new or worse and of severity HIGH");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json,--output-json", options.json, "the same as --format json (layout_diff.v1)");
  describe_open(syntax, options.open);
  syntax.example("before.json after.json", "did the fix remove what it should, and nothing else change?");
  syntax.example("main.json branch.json --fail-on worse", "for CI");
  syntax.exit_code(0, "the comparison was made; with --fail-on, no finding is of that kind");
  syntax.exit_code(1, "a finding is of the kind that --fail-on names");
  syntax.exit_code(2, "a file cannot be read, or is no report of layouts");
  syntax.exit_code(3, "with --fail-on: an inconclusive finding may be of that kind");
}

Result<report::LayoutRecord> record_in(const std::string& path) {
  ingest::Source source = ingest::Source::at(path);
  TRY_ASSIGN(const std::string text, source.text(largest_record));
  return report::read_layout_record(source.name(), text);
}

report::LayoutFailure failure_named(std::string_view word) {
  if (word == "new") return report::LayoutFailure::added;
  if (word == "worse") return report::LayoutFailure::worse;
  return word == "high" ? report::LayoutFailure::high : report::LayoutFailure::never;
}

Result<report::LayoutDiff> diff_of(const Options& options) {
  TRY_ASSIGN(report::LayoutRecord before, record_in(options.before));
  TRY_ASSIGN(report::LayoutRecord after, record_in(options.after));
  return report::diff_layouts(std::move(before), std::move(after));
}

Result<int> act(const Options& options, Io& io) {
  constexpr std::uint64_t usual_rows = 20;
  TRY_ASSIGN(const std::string format, format_of("layout diff", options.json, options.format));
  TRY(open_if_asked("layout diff", options.open, format, io));
  Result<report::LayoutDiff> made = diff_of(options);
  if (!made) return end_with_error(made.error(), io);
  const auto diff = std::make_shared<const report::LayoutDiff>(std::move(*made));
  TRY(print_answer(io, compose::answer_of(diff, static_cast<std::size_t>(options.top.value_or(usual_rows))), format));
  return report::exit_code_of(*diff, failure_named(options.fail_on));
}

}  // namespace
}  // namespace command_layout_diff

constinit const Command layout_diff_command =
    make_command<command_layout_diff::Options, command_layout_diff::describe, command_layout_diff::act>(
        "layout diff", "Say what changed between two reports of layouts", "Diagnose");

}  // namespace frx::cli
