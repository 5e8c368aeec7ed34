// frx profile: the full report, from a live run of ncu or from an export.

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/code_analysis.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/live_profile.h"
#include "cli/print_answer.h"
#include "compose/answers.h"
#include "knowledge/presets.h"

namespace frx::cli {
namespace {

struct Options {
  std::string ncu_file;
  std::string ptx_file;
  std::string why;
  std::string format = "text";
  bool explain = false;
  bool json = false;
  ExplainOptions brief;
  LiveProfile live;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Says why the kernels are slow, what to change first and how to check that it helped. Reads an export of any "
      "version of Nsight Compute, or runs ncu on the program after --.");
  syntax.option("--ncu", "FILE", options.ncu_file, "read this report (.ncu-rep) or export (CSV, text; - is standard input) instead of running ncu");
  syntax.option("--ptx", "FILE", options.ptx_file, "read this PTX instead; the same as frx analyze FILE");
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
  syntax.workload(options.live.request.workload, "the program to profile and its arguments");
  syntax.example("--ncu report.csv --explain", "read an export, print the report, write the brief");
  syntax.example("--ptx kernel.ptx", "what the compiled code says of itself, without a GPU");
  syntax.example("--preset memory --launch-count 20 -- python train.py", "profile twenty launches now");
  syntax.exit_code(0, "a report was made");
  syntax.exit_code(1, "the file cannot be read or is no profile; ncu is missing, failed or may not read the counters");
}

// Which of the three ways to a report was taken, and what does not go with it.
Result<> check(const Options& options) {
  const bool from_ptx = !options.ptx_file.empty(), from_file = !options.ncu_file.empty(), live = !options.live.request.workload.empty();
  if (!from_ptx && !from_file && !live) {
    return fail(ErrorKind::usage, "profile: nothing to profile")
        .hint("give an export (frx profile --ncu report.csv), PTX (--ptx kernel.ptx) or a program (frx profile -- ./your_app)");
  }
  const std::string_view what = from_ptx ? "--ptx" : from_file ? "--ncu" : "a live run";
  const capture::NcuRequest& request = options.live.request;
  TRY(expect_applicable("profile", what,
                        {{"--ncu", from_file && from_ptx, false, "a profile"},
                         {"a program", live && (from_ptx || from_file), false, "a live run"},
                         {"--preset", options.live.preset != LiveProfile().preset, live, "a live run"},
                         {"--out", !options.live.keep_as.empty(), live, "a live run"},
                         {"--kernel-name", !request.kernel_filter.empty(), live, "a live run"},
                         {"--launch-skip", request.launch_skip.has_value(), live, "a live run"},
                         {"--launch-count", request.launch_count.has_value(), live, "a live run"},
                         {"--explain", options.explain, !from_ptx, "a profile"},
                         {"--why", !options.why.empty(), !from_ptx, "a profile"},
                         {"--format sarif", options.format == "sarif", from_ptx, "code"},
                         {"--format github", options.format == "github", from_ptx, "code"}}));
  TRY(expect_applicable("profile", "a report without it",
                        {{"--explain-out", options.brief.directory != ExplainOptions().directory, options.explain, "--explain"},
                         {"--source", !options.brief.source_path.empty(), options.explain || options.format == "brief", "--explain"}}));
  if (!options.why.empty() && (options.json || options.format != "text")) return fail(ErrorKind::usage, "profile: --why prints text alone");
  return {};
}

Result<int> print_ptx(const Options& options, const std::string& format, Session& session, Io& io) {
  CodeOptions code;
  code.format = format;
  TRY_ASSIGN(analyse::Input input, session.input(options.ptx_file));
  if (!is_code(input.kind())) input.format = &ingest::ptx_format;  // its reader says what it expected
  std::vector<analyse::Input> inputs;
  inputs.push_back(std::move(input));
  TRY_ASSIGN(const analyse::Analysis analysis, session.analyse(std::move(inputs)));
  return print_code(analysis, code, io);
}

// From a file, or from running the program now.
Result<const report::NcuReport*> profiled(const Options& options, const std::string& format, Session& session, Io& io) {
  if (!options.ncu_file.empty()) return session.profile(options.ncu_file);
  TRY_ASSIGN(report::Analyst * analyst, session.context().profiles());
  LiveProfile live = options.live;
  live.is_quiet = format != "text";
  Result<const report::NcuReport*> report = profile_now(live, *analyst, io);
  if (report) return report;
  Error error = std::move(report).error();
  error.kind = ErrorKind::negative;  // the documented code of a live profile that failed is 1
  return Failure{std::move(error)};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  TRY_ASSIGN(const std::string format, format_of("profile", options.json, options.format));
  Session session(options.analysis, io);
  if (!options.ptx_file.empty()) return print_ptx(options, format, session, io);
  TRY_ASSIGN(const report::NcuReport* report, profiled(options, format, session, io));
  if (!options.why.empty()) {
    TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
    TRY_ASSIGN(const std::string story, why(*report, options.why, *known));
    io.out.write(story);
    return 0;
  }
  const Brief brief(*report, options.brief.source_path, options.analysis, io);
  answer::Answer answer = brief.answer();
  answer.mode = "profile";
  if (options.explain) TRY(write_brief(answer, options.brief.directory));
  TRY(print_answer(io, answer, format));
  if (options.explain && format == "text") {
    io.out.write(fmt::format("\nBrief written to {}: frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json\n",
                             options.brief.directory == "." ? "this directory" : printable(options.brief.directory)));
  }
  return 0;
}

}  // namespace

constinit const Command profile_command =
    make_command<Options, describe, act>("profile", "Say why kernels are slow, from ncu or from an export", "Diagnose");

}  // namespace frx::cli
