// frx explain: the three files of a brief, for people, for a language model and for programs.

#include <algorithm>

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/json_output.h"
#include "cli/print_answer.h"
#include "compose/answers.h"

namespace frx::cli {
namespace command_explain {
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
  syntax.argument("PATH", options.path,
                  "Nsight Compute report (.ncu-rep) or export (CSV, text), or run bundle (folder, .zip); - is standard input");
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
  if (options.json) {
    Json files = Json::array();
    for (const std::string_view name : file_names) files.push_back(directory + std::string(name));
    write_json(io, "explain", {{"files", std::move(files)}, {"primary_bottleneck", text_or_null(primary)}, {"confidence", confidence}});
    return;
  }
  for (const std::string_view name : file_names) io.out.write(fmt::format("wrote {}{}\n", printable(directory), name));
  std::replace(primary.begin(), primary.end(), '_', ' ');
  io.out.write(fmt::format("Primary issue: {} (confidence {})\n", primary.empty() ? "none" : primary, confidence));
}

void print_prompt(const answer::Answer& answer, const Options& options, Io& io) {
  const std::string prompt = prompt_of(answer);
  if (options.json) {
    write_json(io, "explain", {{"prompt", prompt}});
  } else {
    io.out.write(prompt);
  }
}

Result<int> explain_run(const Options& options, analyse::Input input, Session& session, Io& io) {
  TRY(options.given.expect_applicable("explain", "a run bundle", {{"--source", false, "profiles"}}));
  TRY_ASSIGN(const std::shared_ptr<const report::RunReport> run, session.run(std::move(input), report::Layouts::included));
  const answer::Answer answer = compose::answer_of(run, options.scope);
  if (options.prompt_only) {
    print_prompt(answer, options, io);
  } else {
    TRY(write_brief(answer, options.brief.directory));
    const diagnose::TrainingDiagnosis& diagnosis = run->scope_named(options.scope).diagnosis;
    say_what_was_written(options, diagnosis.user_facing, diagnosis.confidence_level, io);
  }
  return 0;
}

Result<int> act(const Options& options, Io& io) {
  if (options.path.empty()) {
    return fail(ErrorKind::negative, "explain: no file given").hint("frx explain report.csv");
  }
  TRY(options.given.expect_applicable("explain", "--prompt-only", {{"--out", !options.prompt_only, "the files"}}));
  Session session(analyse::Options{.knowledge = options.analysis, .scope = options.scope}, io);
  TRY_ASSIGN(analyse::Input input, session.input(options.path));
  if (input.kind() == ingest::Kind::run_bundle) return explain_run(options, std::move(input), session, io);
  TRY(options.given.expect_applicable("explain", "a profile", {{"--scope", false, "run bundles"}}));
  TRY_ASSIGN(const report::NcuReport* report, session.profile(std::move(input)));
  const Brief brief(*report, options.brief.source_path, options.analysis, io);
  if (options.prompt_only) {
    print_prompt(brief.answer(), options, io);
    return 0;
  }
  TRY(write_brief(brief.answer(), options.brief.directory));
  say_what_was_written(options, report->primary, report->confidence, io);
  return 0;
}

}  // namespace
}  // namespace command_explain

constinit const Command explain_command = make_command<command_explain::Options, command_explain::describe, command_explain::act>(
    "explain", "Write an optimisation brief for people and language models", "Diagnose");

}  // namespace frx::cli
