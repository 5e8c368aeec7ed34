// frx operators report: GPU time by operator of a model.

#include "analyse/operators.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/operator_commands.h"
#include "cli/print_answer.h"
#include "compose/operator_profile.h"

namespace frx::cli {
namespace command_operators_report {
namespace {

struct Options {
  std::string file, counters, output, model_name = "model", compile_mode, by = "op", format = "text";
  Syntax::Number top;
  bool json = false, open = false;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "GPU time by operator, of an export of Nsight Systems, a trace of the PyTorch profiler, or a profile.json that was written "
      "before (schema 1.x). A kernel belongs to the innermost operator around its launch. Nothing is left out: what belongs to no operator "
      "is listed as such. Kinds of work, rates of products and what makes the numbers mean something else stand beside it. "
      "docs/operators.md tells how to record a model.");
  syntax.required_argument("FILE", options.file, "export (.sqlite), trace or profile.json; - is standard input");
  syntax.option("--ncu", "FILE", options.counters,
                "report (.ncu-rep) or CSV of Nsight Compute of the same program, to be joined with a recording");
  syntax.option("--top", "N", options.top, "rows to print (default 20)");
  syntax.choice("--by", "WHAT", options.by, {"op", "module", "kernel"}, "sum by operator (default), module (a tree) or kernel");
  syntax.option("--output", "FILE", options.output, "also write profile.json, schema 1.1: every call of an operator with its kernels");
  syntax.option("--model-name", "NAME", options.model_name, "for profile.json");
  syntax.option("--compile-mode", "MODE", options.compile_mode, "for profile.json: eager, inductor or cudagraphs");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json,--output-json", options.json, "the same as --format json (operator_report_v0)");
  describe_open(syntax, options.open);
  syntax.example("run.sqlite", "which operators take the time?");
  syntax.example("run.sqlite --output profile.json", "and every call of them, for other programs");
  syntax.example("run.sqlite --ncu report.ncu-rep", "with counters at the kernels");
  syntax.example("profile.json --by kernel --top 5", "the longest kernels of a profile that was made before");
  syntax.exit_code(0, "the report was made");
  syntax.exit_code(1, "the file cannot be read, or holds no operators");
}

Result<report::OperatorReport> report_of(const Options& options, Io& io) {
  Session session(options.analysis, io);
  TRY_ASSIGN(analyse::Input input, session.input(options.file));
  std::optional<analyse::Input> counters;
  if (!options.counters.empty()) {
    TRY_ASSIGN(counters, session.input(options.counters));
  }
  TRY_ASSIGN(analyse::OperatorAnalysis analysis,
             analyse::analyse_operators(std::move(input), *analyse::operator_grouping(options.by), session.context(), std::move(counters)));
  session.end_progress();
  if (options.output.empty()) return std::move(analysis.report);
  if (!analysis.profile)
    return fail(ErrorKind::usage, "operators report: --output needs a recording, and this is a profile").at(options.file);
  analysis.profile->model_name = options.model_name;
  if (!options.compile_mode.empty()) analysis.profile->compile_mode = options.compile_mode;
  const analyse::OperatorCounters* const joined = analysis.counters ? &*analysis.counters : nullptr;
  TRY(write_operator_profile(options.output, report::manifest_of(*analysis.profile), joined));
  return std::move(analysis.report);
}

Result<int> act(const Options& options, Io& io) {
  constexpr std::uint64_t usual_rows = 20;
  TRY_ASSIGN(const std::string format, format_of("operators report", options.json, options.format));
  TRY(open_if_asked("operators report", options.open, format, io));
  TRY_ASSIGN(report::OperatorReport report, report_of(options, io));
  return print_operators(std::move(report), format, io, options.top.value_or(usual_rows));
}

}  // namespace
}  // namespace command_operators_report

constinit const Command operators_report_command =
    make_recording_command<command_operators_report::Options, command_operators_report::describe, command_operators_report::act>(
        "operators report", "Divide GPU time by operator of a model", "Diagnose");

}  // namespace frx::cli
