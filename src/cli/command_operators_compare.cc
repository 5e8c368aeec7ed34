// frx operators compare: what changed per operator between two captures of a model.

#include "analyse/operators.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/print_answer.h"
#include "compose/capture_comparison.h"

namespace frx::cli {
namespace command_operators_compare {
namespace {

struct Options {
  std::string before, after, format = "text";
  Syntax::Number top;
  bool json = false, open = false, allow_different_batch = false, fail_on_regression = false;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "What changed per operator between two captures of a model, before a change and after it: GPU time of kernels in an iteration of the "
      "measured window, or of the steps that a recording marks. The total decides, never one operator; operators that are new, gone or "
      "fused are told, and kernels in no operator count. Whether it is faster takes 5 iterations on each side.");
  syntax.required_argument("BEFORE", options.before, "export of Nsight Systems (.sqlite), trace or profile.json; - is standard input");
  syntax.required_argument("AFTER", options.after, "the same after the change");
  syntax.option("--top", "N", options.top, "rows to print (default 20)");
  syntax.flag("--allow-different-batch", options.allow_different_batch, "compare all the same where the shapes of inputs differ");
  syntax.flag("--fail-on-regression", options.fail_on_regression, "exit 1 when an iteration is slower after");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json,--output-json", options.json, "the same as --format json (operator_comparison_v0)");
  describe_open(syntax, options.open);
  syntax.example("before.sqlite after.sqlite", "did the change make the model faster, and where?");
  syntax.example("eager.json compiled.json --top 40", "which operators were fused, and what that gained");
  syntax.example("before.json after.json --fail-on-regression", "for CI; of profiles with counters, whether they moved");
  syntax.exit_code(0, "the comparison was made, whatever it says");
  syntax.exit_code(1, "a file cannot be read; with --fail-on-regression, an iteration is slower after");
  syntax.exit_code(3, "the batch differs, or only one side marks iterations");
}

Result<report::CaptureComparison> comparison_of(const Options& options, Io& io) {
  Session session(options.analysis, io);
  TRY_ASSIGN(analyse::Input before, session.input(options.before));
  TRY_ASSIGN(analyse::Input after, session.input(options.after));
  Result<report::CaptureComparison> comparison =
      analyse::compare_captures(std::move(before), std::move(after), options.allow_different_batch, session.context());
  session.end_progress();
  return comparison;
}

Result<int> act(const Options& options, Io& io) {
  constexpr std::uint64_t usual_rows = 20;
  TRY_ASSIGN(const std::string format, format_of("operators compare", options.json, options.format));
  TRY(open_if_asked("operators compare", options.open, format, io));
  TRY_ASSIGN(report::CaptureComparison made, comparison_of(options, io));
  const auto comparison = std::make_shared<const report::CaptureComparison>(std::move(made));
  TRY(print_answer(io, compose::answer_of(comparison, static_cast<std::size_t>(options.top.value_or(usual_rows))), format));
  return options.fail_on_regression && comparison->judgement.answer == derive::compare::Answer::worse ? 1 : 0;
}

}  // namespace
}  // namespace command_operators_compare

constinit const Command operators_compare_command =
    make_command<command_operators_compare::Options, command_operators_compare::describe, command_operators_compare::act>(
        "operators compare", "Say what changed per operator between two captures", "Diagnose");

}  // namespace frx::cli
