// frx profile: the full report, from a live run of ncu or from an export.

#include "base/text.h"
#include "cli/code_analysis.h"
#include "cli/command.h"
#include "cli/explain_brief.h"
#include "cli/live_profile.h"
#include "cli/ncu_analysis.h"
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
  syntax.choice("--format", "FORMAT", options.format, answer_formats(), "how to print the report");
  syntax.flag("--json", options.json, "the same as --format json");
  syntax.workload(options.live.request.workload, "the program to profile and its arguments");
  syntax.example("--ncu report.csv --explain", "read an export, print the report, write the brief");
  syntax.example("--ptx kernel.ptx", "what the compiled code says of itself, without a GPU");
  syntax.example("--preset memory --launch-count 20 -- python train.py", "profile twenty launches now");
  syntax.exit_code(0, "a report was made");
  syntax.exit_code(1, "the file cannot be read or is no profile; ncu is missing, failed or may not read the counters");
}

Result<int> act(const Options& options, Io& io) {
  if (!options.ptx_file.empty()) {
    CodeOptions code;
    code.format = options.json ? "json" : options.format;
    return analyse_code({options.ptx_file}, code, options.analysis, io);
  }
  if (options.ncu_file.empty() && options.live.request.workload.empty()) {
    return fail(ErrorKind::usage, "profile: nothing to profile")
        .hint("give an export (frx profile --ncu report.csv), PTX (--ptx kernel.ptx) or a program (frx profile -- ./your_app)");
  }
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  const report::NcuReport* report = nullptr;
  if (!options.ncu_file.empty()) {
    TRY_ASSIGN(report, analyse_file(*analyst, options.ncu_file, io));
  } else {
    LiveProfile live = options.live;
    live.is_quiet = options.json;
    Result<const report::NcuReport*> profiled = profile_now(live, *analyst, io);
    if (!profiled) {
      Error error = std::move(profiled).error();
      error.kind = ErrorKind::negative;  // the documented code of a live profile that failed is 1
      return Failure{std::move(error)};
    }
    report = *profiled;
  }
  if (!options.why.empty()) {
    TRY_ASSIGN(const std::string story, why(*report, options.why, analyst->knowledge()));
    io.out.write(story);
    return 0;
  }
  if (options.explain) TRY(write_brief(Brief(*report, options.brief.source_path, options.analysis, io).answer(), options.brief.directory));
  answer::Answer answer = compose::answer_of(borrowed(*report));
  answer.mode = "profile";
  TRY(print_answer(io, answer, options.json ? "json" : options.format));
  if (options.explain && !options.json && options.format == "text") {
    io.out.write(fmt::format("\nBrief written to {}: frx_summary.txt, frx_llm_prompt.txt, frx_evidence.json\n",
                             options.brief.directory == "." ? "this directory" : printable(options.brief.directory)));
  }
  return 0;
}

}  // namespace

constinit const Command profile_command =
    make_command<Options, describe, act>("profile", "Say why kernels are slow, from ncu or from an export", "Diagnose");

}  // namespace frx::cli
