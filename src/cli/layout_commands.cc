#include "cli/layout_commands.h"

#include <charconv>
#include <chrono>
#include <filesystem>

#include "analyse/layout.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/print_answer.h"
#include "compose/layout.h"
#include "report/layout/plan_of_finding.h"

namespace frx::cli {
namespace {

Result<std::optional<derive::layout::StepSelection>> selection_of(std::string_view command, std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t colon = text.find(':');
  const auto number = [](std::string_view part) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() ? std::optional(value) : std::nullopt;
  };
  const auto first = number(text.substr(0, colon)), last = colon == text.npos ? first : number(text.substr(colon + 1));
  if (!first || !last || *last < *first)
    return fail(ErrorKind::usage, "{}: expected --steps A:B with A up to B, found '{}'", command, printable(std::string(text)));
  return derive::layout::StepSelection{*first, *last};
}

// The exit codes of these commands: 3 for a trace that cannot be read, 4 for one that has too little (docs/contract.md, 1.5).
Error with_layout_code(Error error) {
  if (error.kind == ErrorKind::unreadable || error.kind == ErrorKind::malformed) {
    error.kind = ErrorKind::not_enough;
  } else if (error.kind == ErrorKind::not_enough) {
    error.kind = ErrorKind::environment;
  }
  return error;
}

bool is_utf8(const Io& io) {
  for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::optional<std::string> value = io.host->variable(variable);
    if (value && !value->empty()) return contains_ignoring_case(*value, "utf-8") || contains_ignoring_case(*value, "utf8");
  }
  return false;
}

bool reaches(const report::LayoutReport& report, std::string_view fail_on) {
  if (fail_on.empty()) return false;
  const auto least = fail_on == "high"     ? report::LayoutSeverity::high
                     : fail_on == "medium" ? report::LayoutSeverity::medium
                                           : report::LayoutSeverity::low;
  for (const report::LayoutFinding& finding : report.findings) {
    if (finding.severity >= least) return true;
  }
  return false;
}

Result<std::shared_ptr<report::LayoutReport>> report_of_trace(std::string_view command, const LayoutOptions& options,
                                                              const std::string& trace, Session& session) {
  report::LayoutRequest request;
  request.model = options.model.empty() ? trace == "-" ? "model" : std::filesystem::path(trace).filename().string() : options.model;
  request.gpu_model = options.analysis.gpu_model;
  request.gpu_is_fallback = options.analysis.gpu_is_fallback;
  request.least_saving_pct = options.least_saving_pct;
  request.sites_in = options.sites_in;
  TRY_ASSIGN(request.steps, selection_of(command, options.steps));
  TRY_ASSIGN(analyse::Input input, session.input(trace));
  analyse::LayoutSources beside;
  if (!options.counters.empty()) {
    TRY_ASSIGN(beside.counters, session.input(options.counters));
  }
  if (!options.log.empty()) {
    TRY_ASSIGN(beside.log, session.input(options.log));
  }
  if (!options.execution.empty()) {
    TRY_ASSIGN(beside.execution, session.input(options.execution));
  }
  Result<std::shared_ptr<report::LayoutReport>> report =
      analyse::analyse_layout(std::move(input), std::move(request), std::move(beside), session.context());
  session.end_progress();
  if (!report) return Failure{with_layout_code(report.error())};
  return report;
}

Result<> write_plan(const report::LayoutReport& report, const LayoutOptions& options) {
  TRY_ASSIGN(const report::LayoutPlan plan, report::plan_of_finding(report, static_cast<std::size_t>(options.finding.value_or(0))));
  return write_file(options.plan, report::layout_plan_text(plan));
}

}  // namespace

void describe_layout(Syntax& syntax, LayoutOptions& options) {
  syntax.option("--model", "NAME", options.model, "what to call the program (default: the name of the file)");
  syntax.option("--steps", "A:B", options.steps, "only these steps, by their numbers in the trace (default: all but a warm-up)");
  syntax.option("--ncu", "FILE", options.counters,
                "report or CSV of Nsight Compute of the same program: measured bytes replace modelled ones");
  syntax.option("--et", "FILE", options.execution,
                "execution trace (ExecutionTraceObserver) of the same steps: which copies are of one tensor");
  syntax.option("--log", "FILE", options.log, "output of the program with TORCH_LOGS=recompiles,cudagraphs: which check failed");
  syntax.option("--sites-in", "TEXT", options.sites_in, "name lines of files with TEXT in their path alone, such as src/ or train.py");
  syntax.option("--min-saving", "PCT", options.least_saving_pct, "leave out findings that save less, in percent");
  syntax.option("--plan", "FILE", options.plan, "write the plan of the best fix that frx layout trial can try");
  syntax.option("--finding", "N", options.finding, "with --plan: of this finding of the table, from 1");
  syntax.option("--top", "N", options.top, "findings to print (default 10)");
  syntax.choice("--fail-on", "SEVERITY", options.fail_on, {"low", "medium", "high"}, "exit with 1 when a finding is as severe");
  describe_analysis(syntax, options.analysis);
}

void describe_layout_exit_codes(Syntax& syntax) {
  syntax.exit_code(0, "a report was made");
  syntax.exit_code(1, "a finding reaches --fail-on, or no plan can be made of a fix");
  syntax.exit_code(3, "the trace cannot be read, or is none; the same of what stands beside it");
  syntax.exit_code(4, "the trace has neither operators nor kernels that convert layouts by their names");
}

Result<int> analyze_layout(std::string_view command, const LayoutOptions& options, std::string_view format, Io& io) {
  constexpr std::size_t usual_rows = 10;
  if (!options.trace.empty() && !options.trace_option.empty()) return fail(ErrorKind::usage, "{}: expected one trace, found two", command);
  const std::string& trace = options.trace.empty() ? options.trace_option : options.trace;
  if (trace.empty()) return fail(ErrorKind::usage, "{}: no trace given", command).hint("frx layout analyze trace.json");
  if (options.finding && options.plan.empty()) return fail(ErrorKind::usage, "{}: --finding goes with --plan", command);
  const auto started = std::chrono::steady_clock::now();
  Session session(options.analysis, io);
  TRY_ASSIGN(const std::shared_ptr<report::LayoutReport> report, report_of_trace(command, options, trace, session));
  compose::LayoutStyle style{is_utf8(io), options.top.value_or(usual_rows)};
  style.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  TRY(print_answer(io, compose::answer_of(report, style), format));
  if (!options.plan.empty()) TRY(write_plan(*report, options));
  return reaches(*report, options.fail_on) ? 1 : 0;
}

}  // namespace frx::cli
