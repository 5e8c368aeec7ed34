// frx compare: which of two is faster, and can one tell?

#include <charconv>

#include "base/text.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "cli/run_comparison.h"
#include "render/ncu_comparison.h"
#include "report/ncu_comparison.h"

namespace frx::cli {
namespace {

struct Options {
  std::vector<std::string> sides;
  std::string noise_floor = "2";
  bool json = false;
  RunComparisonOptions runs;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Compares two recordings and says that the second is better, worse, or that one cannot tell: two training runs (traces of the "
      "PyTorch "
      "profiler, run bundles) by the times of their steps, or two Nsight Compute profiles by the times of their kernels.");
  syntax.arguments("A B", options.sides, "two traces (.json, .json.gz) or run bundles (folder, .zip), or two Nsight Compute profiles");
  syntax.option("--label-a", "TEXT", options.runs.first_label, "what to call the first");
  syntax.option("--label-b", "TEXT", options.runs.second_label, "what to call the second");
  syntax.option("--noise-floor", "PERCENT", options.noise_floor, "differences of step time up to this count as nothing");
  syntax.flag("--fail-on-regression", options.runs.fail_on_regression, "exit 1 when the second is slower");
  syntax.option("--format", "FORMAT", options.runs.format, "text, markdown (for pull requests) or json");
  syntax.flag("--json,--output-json", options.json, "the same as --format json");
  describe_analysis(syntax, options.analysis);
  syntax.example("before.json.gz after.json.gz", "did the change make the steps faster?");
  syntax.example("runs/run-a.zip runs/run-b.zip --fail-on-regression", "for CI");
  syntax.exit_code(0, "the comparison was made, whatever it says");
  syntax.exit_code(1, "a file cannot be read; with --fail-on-regression, the second is slower");
}

Result<double> percent_of(const std::string& text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= 0 && value < 100)) {
    return fail(ErrorKind::usage, "compare: expected a percentage from 0 to below 100 as --noise-floor, found '{}'", printable(text));
  }
  return value;
}

Result<int> compare_profiles(const Options& options, Io& io) {
  if (options.runs.format == "markdown")
    return fail(ErrorKind::usage, "compare: Markdown is made of training runs only; expected text or json");
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  TRY_ASSIGN(const report::NcuReport* first, analyse_file(*analyst, options.sides[0], io));
  TRY_ASSIGN(const report::NcuReport* second, analyse_file(*analyst, options.sides[1], io));
  const auto [first_label, second_label] =
      labels_of(options.runs.first_label, options.sides[0], options.runs.second_label, options.sides[1], {"A", "B"});
  const report::NcuComparison comparison = report::compare(*first, *second, first_label, second_label);
  if (options.runs.format == "json") {
    write_json(io, "comparison", render::ncu_comparison_json(comparison));
  } else {
    io.out.write(render::ncu_comparison_text(comparison, style_of(io)));
  }
  return options.runs.fail_on_regression && comparison.outcome == "regressed" ? 1 : 0;
}

Result<int> act(const Options& given, Io& io) {
  Options options = given;
  if (options.sides.size() != 2) {
    return fail(ErrorKind::usage, "compare: expected two files, found {}", options.sides.size())
        .hint("frx compare before.json.gz after.json.gz");
  }
  if (options.json) options.runs.format = "json";
  if (options.runs.format != "text" && options.runs.format != "markdown" && options.runs.format != "json") {
    return fail(ErrorKind::usage, "compare: expected text, markdown or json as --format, found '{}'", printable(options.runs.format));
  }
  TRY_ASSIGN(options.runs.noise_floor_pct, percent_of(options.noise_floor));
  const bool first_is_run = is_run(options.sides[0]), second_is_run = is_run(options.sides[1]);
  if (first_is_run != second_is_run) {
    return fail(ErrorKind::usage, "compare: expected two of a kind, found a training run and something else")
        .at(options.sides[first_is_run ? 1 : 0]);
  }
  if (!first_is_run) return compare_profiles(options, io);
  options.runs.first = options.sides[0];
  options.runs.second = options.sides[1];
  return compare_runs(options.runs, options.analysis, io);
}

}  // namespace

constinit const Command compare_command =
    make_command<Options, describe, act>("compare", "Say which of two is faster, if one can tell", "Diagnose");

}  // namespace frx::cli
