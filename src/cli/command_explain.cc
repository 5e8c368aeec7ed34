// frx explain: the three files of a brief, for people, for a language model and for programs; or the page of a rule or label.

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/json_output.h"
#include "cli/print_answer.h"
#include "cli/rule_page_file.h"
#include "compose/answers.h"
#include "compose/rule_page.h"

namespace frx::cli {
namespace command_explain {
namespace {

struct Options {
  Given given;
  std::string path;
  bool prompt_only = false;
  bool json = false;
  bool list = false;
  std::string format = "text";
  std::string scope = "auto";
  ExplainOptions brief;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Writes frx_summary.txt (for people), frx_llm_prompt.txt (for a language model) and frx_evidence.json (frx_explain_v0) "
      "from an Nsight Compute profile, or from a run bundle (frx_telemetry_explain_v0). Of a rule or a label it prints the page: what it "
      "says, how it is decided, examples, what it does not see, how to fix and to check it. A file of that name goes before.");
  syntax.argument("PATH", options.path,
                  "Nsight Compute report (.ncu-rep) or export (CSV, text), or run bundle (folder, .zip); - is standard input; or the id of "
                  "a rule or label");
  syntax.option("--source,--src", "FILE", options.brief.source_path, "CUDA source to put into the brief");
  syntax.option("--out", "DIR", options.brief.directory, "where to write the files");
  syntax.choice("--scope", "SCOPE", options.scope, {"auto", "run", "steady_state"},
                "of a run: all completed steps, those after warming up, or the latter where there are any");
  syntax.flag("--prompt-only", options.prompt_only, "print the prompt and write nothing");
  syntax.flag("--list", options.list, "print the ids of all rules and labels; with --out, write their pages into DIR");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the page of a rule or label");
  syntax.flag("--json", options.json, "print JSON: what was written, or with --prompt-only the prompt; of a rule, rule_page_v1");
  describe_analysis(syntax, options.analysis);
  syntax.example("report.csv --source kernel.cu --out brief", "write the three files into brief/");
  syntax.example("uncoalesced_access", "what this rule finds, and what to do then");
  syntax.exit_code(0, "the files were written, or the page printed");
  syntax.exit_code(1, "the file cannot be read, or is neither profile nor run bundle");
  syntax.exit_code(3, "there is no such file, rule or label");
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

// Rules and labels are called by words, which files seldom are.
bool names_no_file(const std::string& path) {
  constexpr std::string_view in_ids = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::error_code error;
  return path.find_first_not_of(in_ids) == path.npos && !std::filesystem::exists(path, error);
}

Result<int> write_pages(const report::RulePages& pages, const Options& options, Io& io) {
  TRY(options.given.expect_applicable("explain", "--list with --out",
                                      {{"--format", false, "what is printed"}, {"--json", false, "what is printed"}}));
  const std::vector<compose::RulePageFile> files = compose::files_of(pages);
  for (const compose::RulePageFile& file : files)
    TRY(write_file(std::filesystem::path(options.brief.directory) / file.path, text_of_page(file)));
  io.out.write(fmt::format("wrote {} into {}\n", count_text(files.size(), "page"), printable(options.brief.directory)));
  return 0;
}

Result<int> print_page(const Options& options, Io& io) {
  TRY(options.given.expect_applicable("explain", options.list ? "--list" : "a rule or label",
                                      {{"--source", false, "profiles"},
                                       {"--out", options.list, "the files of a brief, and --list"},
                                       {"--scope", false, "run bundles"},
                                       {"--prompt-only", false, "the files of a brief"},
                                       {"--gpu-model", false, "profiles"},
                                       {"--arch-profile", false, "profiles"}}));
  TRY_ASSIGN(const std::string format, format_of("explain", options.json, options.format));
  TRY_ASSIGN(std::shared_ptr<const report::Expertise> expertise, report::Expertise::load(options.analysis.data_directory));
  std::shared_ptr<const report::RulePages> pages = report::RulePages::of(std::move(expertise));
  if (options.list && options.given.has("--out")) return write_pages(*pages, options, io);
  if (options.list) {
    TRY(print_answer(io, compose::list_of(std::move(pages)), format));
    return 0;
  }
  TRY_ASSIGN(std::vector<const report::RulePage*> shown, pages->look_up(options.path));
  TRY(print_answer(io, compose::answer_of(std::move(pages), std::move(shown)), format));
  return 0;
}

Result<int> act(const Options& options, Io& io) {
  if (options.list && !options.path.empty()) return fail(ErrorKind::usage, "explain: expected a file, a rule, or --list, found both");
  if (options.list) return print_page(options, io);
  if (options.path.empty()) {
    return fail(ErrorKind::negative, "explain: no file given").hint("frx explain report.csv, or frx explain --list");
  }
  if (names_no_file(options.path)) return print_page(options, io);
  TRY(options.given.expect_applicable("explain", "a file", {{"--format", false, "a rule or label"}}));
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
