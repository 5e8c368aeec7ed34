// frx profile: the full report, from a live run of ncu, from a report or export, or from PTX.

#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/json_output.h"
#include "cli/live_profile.h"
#include "cli/ncu_analysis.h"
#include "knowledge/presets.h"
#include "render/ncu_json.h"
#include "render/ncu_report_text.h"
#include "render/ptx_report.h"
#include "report/code_analyst.h"

namespace frx::cli {
namespace {

constexpr std::uint64_t largest_ptx = std::uint64_t{4} << 30;

struct Options {
  Given given;
  std::string ncu_file;
  std::string ptx_file;
  std::string why;
  bool explain = false;
  bool json = false;
  ExplainOptions brief;
  LiveProfile live;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Says why the kernels are slow, what to change first and how to check that it helped. Reads an export of any "
      "version of Nsight Compute, or runs ncu on the program after --.");
  syntax.option("--ncu", "FILE", options.ncu_file, "read this report (.ncu-rep) or export (CSV, text) instead of running ncu");
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
  syntax.flag("--json", options.json, "print JSON");
  syntax.workload(options.live.request.workload, "the program to profile and its arguments");
  syntax.example("--ncu report.csv --explain", "read an export, print the report, write the brief");
  syntax.example("--ptx kernel.ptx", "what the compiled code says of itself, without a GPU");
  syntax.example("--preset memory --launch-count 20 -- python train.py", "profile twenty launches now");
  syntax.exit_code(0, "a report was made");
  syntax.exit_code(1, "the file cannot be read or is no profile; ncu is missing, failed or may not read the counters");
}

Result<> check(const Options& options) {
  const bool is_live = !options.live.request.workload.empty();
  const int subjects = (options.ncu_file.empty() ? 0 : 1) + (options.ptx_file.empty() ? 0 : 1) + (is_live ? 1 : 0);
  if (subjects == 0) {
    return fail(ErrorKind::usage, "profile: nothing to profile")
        .hint("give an export (frx profile --ncu report.csv), PTX (--ptx kernel.ptx) or a program (frx profile -- ./your_app)");
  }
  if (subjects > 1) return fail(ErrorKind::usage, "profile: expected one of --ncu FILE, --ptx FILE and -- COMMAND, found several");
  const Given& given = options.given;
  if (!is_live) TRY(given.refuse("profile", {"--preset", "--out", "--kernel-name", "--launch-skip", "--launch-count"}, "a live run"));
  if (!options.ptx_file.empty()) TRY(given.refuse("profile", {"--why"}, "profiles", options.ptx_file));
  if (!options.explain) TRY(given.refuse("profile", {"--explain-out", "--source"}, "--explain"));
  if (!options.why.empty()) TRY(given.refuse("profile", {"--explain"}, "the whole report, not with --why"));
  return {};
}

void say_where_the_brief_is(const Options& options, Io& io) {
  io.out.write(fmt::format("\nBrief written to {}: frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json\n",
                           options.brief.directory == "." ? "this directory" : printable(options.brief.directory)));
}

Result<int> profile_ptx(const Options& options, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<report::CodeAnalyst> analyst, report::CodeAnalyst::create(options.analysis));
  TRY_ASSIGN(std::string text, read_file(options.ptx_file, largest_ptx));
  TRY_ASSIGN(const std::unique_ptr<report::PtxReport> report, analyst->analyse_ptx(options.ptx_file, std::move(text)));
  if (options.explain) TRY(write_ptx_brief(*report, options.brief, io));
  if (options.json) {
    write_json_in_pieces(io, "ptx", render::ptx_json_in_pieces(*report));
    return 0;
  }
  io.out.write(render::ptx_text(*report, style_of(io)));
  if (options.explain) say_where_the_brief_is(options, io);
  return 0;
}

Result<const report::NcuReport*> read_or_run(const Options& options, report::Analyst& analyst, Io& io) {
  if (!options.ncu_file.empty()) return analyse_file(analyst, options.ncu_file, io);
  LiveProfile live = options.live;
  live.is_quiet = options.json;
  Result<const report::NcuReport*> profiled = profile_now(live, analyst, io);
  if (profiled) return profiled;
  Error error = std::move(profiled).error();
  error.kind = ErrorKind::negative;  // docs/contract.md, section 1.4
  return Failure{std::move(error)};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  if (!options.ptx_file.empty()) return profile_ptx(options, io);
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  TRY_ASSIGN(const report::NcuReport* report, read_or_run(options, *analyst, io));
  if (!options.why.empty()) return tell_why(*report, options.why, analyst->knowledge(), options.json, io);
  if (options.explain) TRY(Brief(*report, options.brief.source_path, options.analysis, io).write_into(options.brief.directory));
  if (options.json) {
    write_json(io, "profile", render::ncu_json(*report));
    return 0;
  }
  io.out.write(render::ncu_report_text(*report, style_of(io)));
  if (options.explain) say_where_the_brief_is(options, io);
  return 0;
}

}  // namespace

constinit const Command profile_command =
    make_command<Options, describe, act>("profile", "Say why kernels are slow, from ncu or from an export", "Diagnose");

}  // namespace frx::cli
