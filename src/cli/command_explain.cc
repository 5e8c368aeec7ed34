// frx explain: the three files of a brief, for people, for a language model and for programs.

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "cli/trace_analysis.h"
#include "render/explain.h"
#include "render/run_brief.h"
#include "report/run_analyst.h"

namespace frx::cli {
namespace {

struct Options {
  Given given;
  std::string path;
  bool prompt_only = false;
  bool json = false;
  std::string scope = "auto";
  ExplainOptions brief;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Writes frx_summary.txt (for people), frx_llm_prompt.txt (for a language model) and frx_evidence.json (frx_explain_v0) "
      "from an Nsight Compute profile, or from a run bundle (frx_telemetry_explain_v0).");
  syntax.argument("PATH", options.path, "Nsight Compute report (.ncu-rep) or export (CSV, text), or run bundle (folder, .zip)");
  syntax.option("--source,--src", "FILE", options.brief.source_path, "CUDA source to put into the brief");
  syntax.option("--out", "DIR", options.brief.directory, "where to write the files");
  syntax.choice("--scope", "SCOPE", options.scope, {"auto", "run", "steady_state"},
                "of a run: all completed steps, those after warming up, or the latter where there are any");
  syntax.flag("--prompt-only", options.prompt_only, "print the prompt and write nothing");
  syntax.flag("--json", options.json, "print JSON: what was written, or with --prompt-only the prompt");
  describe_analysis(syntax, options.analysis);
  syntax.example("report.csv --source kernel.cu --out brief", "write the three files into brief/");
  syntax.exit_code(0, "the files were written");
  syntax.exit_code(1, "the file cannot be read, or is neither profile nor run bundle");
}

constexpr std::string_view file_names[] = {"frx_summary.txt", "frx_llm_prompt.txt", "frx_evidence.json"};

void say_what_was_written(const Options& options, std::string primary, std::string_view confidence, Io& io) {
  const std::string directory = options.brief.directory == "." ? "" : options.brief.directory + "/";
  Json files = Json::array();
  for (const std::string_view name : file_names) files.push_back(directory + std::string(name));
  if (options.json) {
    write_json(io, "explain",
               {{"files", std::move(files)}, {"primary_bottleneck", render::text_or_null(primary)}, {"confidence", confidence}});
    return;
  }
  for (const std::string_view name : file_names) io.out.write(fmt::format("wrote {}{}\n", printable(directory), name));
  std::replace(primary.begin(), primary.end(), '_', ' ');
  io.out.write(fmt::format("Primary issue: {} (confidence {})\n", primary.empty() ? "none" : primary, confidence));
}

void print_prompt(const std::string& prompt, const Options& options, Io& io) {
  if (options.json) {
    write_json(io, "explain", {{"prompt", prompt}});
  } else {
    io.out.write(prompt);
  }
}

// The brief speaks of the scope that answers for the run.
Result<> choose_scope(const std::string& scope, const std::string& path, report::RunReport& report) {
  if (scope == "run") report.steady_state.reset();
  if (scope == "steady_state" && !report.steady_state)
    return fail(ErrorKind::not_enough, "the run has too few completed steps for a steady state").at(path).hint("--scope run");
  return {};
}

Result<int> explain_run(const Options& options, Io& io) {
  TRY(options.given.refuse("explain", {"--source"}, "profiles", options.path));
  TRY_ASSIGN(const AnalysedRun run, analysed_run(options.path, options.analysis));
  TRY(choose_scope(options.scope, options.path, *run.report));
  if (options.prompt_only) {
    print_prompt(render::run_prompt_text(*run.report), options, io);
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
  if (options.prompt_only) TRY(options.given.refuse("explain", {"--out"}, "the files, which --prompt-only does not write"));
  if (report::is_run_bundle(options.path)) return explain_run(options, io);
  TRY(options.given.refuse("explain", {"--scope"}, "run bundles", options.path));
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  TRY_ASSIGN(const report::NcuReport* report, analyse_file(*analyst, options.path, io));
  const Brief brief(*report, options.brief.source_path, options.analysis, io);
  if (options.prompt_only) {
    print_prompt(brief.prompt(), options, io);
    return 0;
  }
  TRY(brief.write_into(options.brief.directory));
  say_what_was_written(options, report->primary, report->confidence, io);
  return 0;
}

}  // namespace

constinit const Command explain_command =
    make_command<Options, describe, act>("explain", "Write an optimisation brief for people and language models", "Diagnose");

}  // namespace frx::cli
