// frx compare: which of two is faster, and can one tell?

#include "base/text.h"
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/ncu_analysis.h"

namespace frx::cli {
namespace {

struct Options {
  std::vector<std::string> sides;
  bool json = false;
  ComparisonOptions comparison;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Compares two recordings and says that the second is better, worse, or that one cannot tell: two training runs (traces of the "
      "PyTorch "
      "profiler, run bundles) by the times of their steps, or two Nsight Compute profiles by the times of their kernels.");
  syntax.arguments("A B", options.sides, "two traces (.json, .json.gz) or run bundles (folder, .zip), or two Nsight Compute profiles");
  syntax.option("--label-a", "TEXT", options.comparison.first_label, "what to call the first");
  syntax.option("--label-b", "TEXT", options.comparison.second_label, "what to call the second");
  syntax.option("--noise-floor", "PERCENT", options.comparison.noise_floor_pct, "differences of step time up to this count as nothing");
  syntax.flag("--fail-on-regression", options.comparison.fail_on_regression, "exit 1 when the second is slower");
  syntax.option("--format", "FORMAT", options.comparison.format, "text, markdown (for pull requests) or json");
  syntax.flag("--json,--output-json", options.json, "the same as --format json");
  describe_analysis(syntax, options.analysis);
  syntax.example("before.json.gz after.json.gz", "did the change make the steps faster?");
  syntax.example("runs/run-a.zip runs/run-b.zip --fail-on-regression", "for CI");
  syntax.exit_code(0, "the comparison was made, whatever it says");
  syntax.exit_code(1, "a file cannot be read; with --fail-on-regression, the second is slower");
}

Result<int> act(const Options& given, Io& io) {
  Options options = given;
  if (options.sides.size() != 2) {
    return fail(ErrorKind::usage, "compare: expected two files, found {}", options.sides.size())
        .hint("frx compare before.json.gz after.json.gz");
  }
  if (options.json) options.comparison.format = "json";
  if (options.comparison.format != "text" && options.comparison.format != "markdown" && options.comparison.format != "json") {
    return fail(ErrorKind::usage, "compare: expected text, markdown or json as --format, found '{}'", printable(options.comparison.format));
  }
  if (const double floor = options.comparison.noise_floor_pct; !(floor >= 0 && floor < 100)) {
    return fail(ErrorKind::usage, "compare: expected a percentage from 0 to below 100 as --noise-floor, found {:g}", floor);
  }
  const bool first_is_run = is_run(options.sides[0]), second_is_run = is_run(options.sides[1]);
  if (first_is_run != second_is_run) {
    return fail(ErrorKind::usage, "compare: expected two of a kind, found a training run and something else")
        .at(options.sides[first_is_run ? 1 : 0]);
  }
  options.comparison.first = options.sides[0];
  options.comparison.second = options.sides[1];
  if (first_is_run) return compare_runs(options.comparison, options.analysis, io);
  if (options.comparison.format == "markdown")
    return fail(ErrorKind::usage, "compare: Markdown is made of training runs only; expected text or json");
  return compare_profiles(options.comparison, options.analysis, io);
}

}  // namespace

constinit const Command compare_command =
    make_command<Options, describe, act>("compare", "Say which of two is faster, if one can tell", "Diagnose");

}  // namespace frx::cli
