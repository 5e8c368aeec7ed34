// frx explain: the three files of a brief, for people, for a language model and for programs.

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/ncu_analysis.h"
#include "cli/print_answer.h"
#include "cli/trace_analysis.h"
#include "compose/answers.h"
#include "report/run_analyst.h"

namespace frx::cli {
namespace {

struct Options {
  std::string path;
  bool prompt_only = false;
  std::string scope = "auto";
  ExplainOptions brief;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Writes frx_summary.txt (for people), frx_llm_prompt.txt (for a language model) and frx_evidence.json (frx_explain_v0) "
      "from an Nsight Compute profile, or from a run bundle (frx_telemetry_explain_v0).");
  syntax.argument("PATH", options.path, "Nsight Compute report (.ncu-rep) or export (CSV, text), or run bundle (folder, .zip)");
  syntax.option("--source,--src", "FILE", options.brief.source_path, "CUDA source to put into the brief");
  syntax.option("--out", "DIR", options.brief.directory, "where to write the files");
  syntax.flag("--prompt-only", options.prompt_only, "print the prompt and write nothing");
  describe_analysis(syntax, options.analysis);
  syntax.example("report.csv --source kernel.cu --out brief", "write the three files into brief/");
}

void say_what_was_written(const Options& options, std::string primary, std::string_view confidence, Io& io) {
  const std::string directory = options.brief.directory == "." ? "" : options.brief.directory + "/";
  for (const std::string_view name : {"frx_summary.txt", "frx_llm_prompt.txt", "frx_evidence.json"}) {
    io.out.write(fmt::format("wrote {}{}\n", printable(directory), name));
  }
  std::replace(primary.begin(), primary.end(), '_', ' ');
  io.out.write(fmt::format("Primary issue: {} (confidence {})\n", primary.empty() ? "none" : primary, confidence));
}

Result<int> explain_run(const Options& options, Io& io) {
  TRY_ASSIGN(const AnalysedRun run, analysed_run(options.path, options.analysis));
  if (options.prompt_only) {
    print_prompt(io, compose::answer_of(borrowed(*run.report), "auto"));
  } else {
    TRY(write_run_brief(*run.report, options.brief.directory));
    const diagnose::TrainingDiagnosis& diagnosis = run.report->scope().diagnosis;
    say_what_was_written(options, diagnosis.user_facing, diagnosis.confidence_level, io);
  }
  return 0;
}

Result<int> act(const Options& options, Io& io) {
  if (options.path.empty()) {
    return fail(ErrorKind::negative, "explain: no file given").hint("frx explain report.csv");
  }
  if (report::is_run_bundle(options.path)) return explain_run(options, io);
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  TRY_ASSIGN(const report::NcuReport* report, analyse_file(*analyst, options.path, io));
  const Brief brief(*report, options.brief.source_path, options.analysis, io);
  if (options.prompt_only) {
    print_prompt(io, brief.answer());
    return 0;
  }
  TRY(write_brief(brief.answer(), options.brief.directory));
  say_what_was_written(options, report->primary, report->confidence, io);
  return 0;
}

}  // namespace

constinit const Command explain_command =
    make_command<Options, describe, act>("explain", "Write an optimisation brief for people and language models", "Diagnose");

}  // namespace frx::cli
