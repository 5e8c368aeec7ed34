// frx profile: the full report, from a live run of ncu, from a report or export, or from PTX.

#include "analyse/why_stories.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/live_profile.h"
#include "cli/print_answer.h"
#include "compose/answers.h"
#include "knowledge/presets.h"

namespace frx::cli {
namespace command_profile {
namespace {

struct Options {
  Given given;
  std::string ncu_file;
  std::string ptx_file;
  std::string why;
  std::string format = "text";
  bool explain = false;
  bool json = false;
  ExplainOptions brief;
  LiveProfile live;
  report::AnalysisOptions analysis;
  bool open = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Says why the kernels are slow, what to change first and how to check that it helped. Reads an export of any "
      "version of Nsight Compute, or runs ncu on the program after --.");
  syntax.option("--ncu", "FILE", options.ncu_file,
                "read this report (.ncu-rep) or export (CSV, text; - is standard input) instead of running ncu");
  syntax.option("--ptx", "FILE", options.ptx_file, "read this PTX instead: what frx analyze FILE says, and its brief");
  syntax.choice("--preset", "NAME", options.live.preset, knowledge::preset_names(knowledge::Library::builtin()), "counters of a live run");
  syntax.option("--out", "FILE", options.live.keep_as, "keep the CSV of a live run");
  syntax.option("--kernel-name", "FILTER", options.live.request.kernel_filter, "live: only kernels of this name or regular expression");
  syntax.option("--launch-skip", "N", options.live.request.launch_skip, "live: leave out the first N launches");
  syntax.option("--launch-count", "N", options.live.request.launch_count, "live: profile at most N launches");
  describe_analysis(syntax, options.analysis);
  syntax.flag("--explain", options.explain, "also write frx_summary.txt, frx_llm_prompt.txt and frx_evidence.json");
  syntax.option("--explain-out", "DIR", options.brief.directory, "where to write them");
  syntax.option("--source", "FILE", options.brief.source_path, "CUDA source to put into the brief");
  syntax.option("--why", "FIELD", options.why, "only tell where this number or label comes from");
  syntax.choice("--format", "FORMAT", options.format, answer_formats(), "how to print the report");
  syntax.flag("--json", options.json, "the same as --format json");
  describe_open(syntax, options.open);
  syntax.workload(options.live.request.workload, "the program to profile and its arguments");
  syntax.example("--ncu report.csv --explain", "read an export, print the report, write the brief");
  syntax.example("--ptx kernel.ptx", "what the compiled code says of itself, without a GPU");
  syntax.example("--preset memory --launch-count 20 -- python train.py", "profile twenty launches now");
  syntax.exit_code(0, "a report was made");
  syntax.exit_code(1, "the file cannot be read or is no profile; ncu is missing, failed or may not read the counters");
}

// One of the three ways to a report is taken; what does not go with it is named.
Result<> check(const Options& options) {
  const bool from_ptx = !options.ptx_file.empty(), from_file = !options.ncu_file.empty(), live = !options.live.request.workload.empty();
  if (!from_ptx && !from_file && !live) {
    return fail(ErrorKind::usage, "profile: nothing to profile")
        .hint("give an export (frx profile --ncu report.csv), PTX (--ptx kernel.ptx) or a program (frx profile -- ./your_app)");
  }
  if (from_ptx + from_file + live > 1)
    return fail(ErrorKind::usage, "profile: expected one of --ncu FILE, --ptx FILE and -- COMMAND, found several");
  const std::string_view what = from_ptx ? "--ptx" : from_file ? "--ncu" : "a live run";
  const Given& given = options.given;
  TRY(given.expect_applicable("profile", what,
                              {{"--preset", live, "a live run"},
                               {"--out", live, "a live run"},
                               {"--kernel-name", live, "a live run"},
                               {"--launch-skip", live, "a live run"},
                               {"--launch-count", live, "a live run"}}));
  TRY(given.expect_applicable(
      "profile", "a report without it",
      {{"--explain-out", options.explain, "--explain"}, {"--source", options.explain || options.format == "brief", "--explain"}}));
  return given.expect_applicable("profile", "--why", {{"--explain", options.why.empty(), "the whole report"}});
}

// Prints it, with the brief in its folder where one was asked for.
Result<int> print_report(const answer::Answer& answer, const std::string& format, const Options& options, Io& io) {
  if (options.explain) TRY(write_brief(answer, options.brief.directory));
  TRY(print_answer(io, answer, format));
  if (options.explain && format == "text") {
    io.out.write(fmt::format("\nBrief written to {}: frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json\n",
                             options.brief.directory == "." ? "this directory" : printable(options.brief.directory)));
  }
  return 0;
}

Result<int> profile_ptx(const Options& options, const std::string& format, Session& session, Io& io) {
  TRY_ASSIGN(analyse::Input input, session.input(options.ptx_file));
  TRY_ASSIGN(const std::shared_ptr<const report::PtxReport> report, analyse::analyse_ptx(std::move(input), session.context()));
  if (!options.why.empty()) {
    TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
    const analyse::CodeStory code[] = {analyse::story_of(*report, options.ptx_file)};
    TRY_ASSIGN(const std::string story, analyse::why(code, options.why, *known));
    return tell_why(story, options.why, format, io);
  }
  return print_report(compose::answer_of(report, source_for_brief(options.brief.source_path, io)), format, options, io);
}

// From a file, or from running the program now.
Result<const report::NcuReport*> profiled(const Options& options, const std::string& format, Session& session, Io& io) {
  if (!options.ncu_file.empty()) return session.profile(options.ncu_file);
  TRY_ASSIGN(report::Analyst * analyst, session.context().profiles());
  LiveProfile live = options.live;
  live.is_quiet = format != "text";
  live.gpu_model = options.analysis.gpu_model;
  Result<const report::NcuReport*> report = profile_now(live, *analyst, io);
  if (report) return report;
  Error error = std::move(report).error();
  error.kind = ErrorKind::negative;  // docs/contract.md, section 1.4
  return Failure{std::move(error)};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  TRY_ASSIGN(const std::string format, format_of("profile", options.json, options.format));
  TRY(open_if_asked("profile", options.open, format, io));
  if (!options.why.empty()) TRY(expect_format_of_why("profile", format));
  Session session(options.analysis, io);
  if (!options.ptx_file.empty()) return profile_ptx(options, format, session, io);
  TRY_ASSIGN(const report::NcuReport* report, profiled(options, format, session, io));
  if (!options.why.empty()) {
    TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
    TRY_ASSIGN(const std::string story, analyse::why(*report, options.why, *known));
    return tell_why(story, options.why, format, io);
  }
  const Brief brief(*report, options.brief.source_path, options.analysis, io);
  answer::Answer answer = brief.answer();
  answer.mode = "profile";
  return print_report(answer, format, options, io);
}

}  // namespace
}  // namespace command_profile

constinit const Command profile_command = make_recording_command<command_profile::Options, command_profile::describe, command_profile::act>(
    "profile", "Say why kernels are slow, from ncu or from an export", "Diagnose");

}  // namespace frx::cli
