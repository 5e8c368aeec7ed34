// frx analyze: a short diagnosis of one profile, or what changed between two.

#include <algorithm>

#include "base/text.h"
#include "cli/code_analysis.h"
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/evidence_analysis.h"
#include "cli/implementation_comparison.h"
#include "cli/ncu_analysis.h"
#include "cli/print_answer.h"
#include "cli/trace_analysis.h"
#include "compose/answers.h"
#include "report/run_analyst.h"

namespace frx::cli {
namespace {

// The evidence of one side of a change.
struct SideFiles {
  std::string any;      // of whatever kind
  std::string any_old;  // the same, by the old name of the option
  std::string source, ptx, ncu;
  std::string label;

  std::string file() const { return any.empty() ? any_old : any; }
  bool has_layers() const { return !(source.empty() && ptx.empty() && ncu.empty()); }
  bool is_given() const { return has_layers() || !file().empty(); }
};

struct Options {
  std::vector<std::string> targets;
  SideFiles before, after;
  std::string why;
  std::string scope = "auto";
  bool json = false;
  report::AnalysisOptions analysis;
  CodeOptions code;

  std::string format() const { return json ? "json" : code.format; }
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Reads an Nsight Compute profile (a report or an export of any version), a trace of the PyTorch profiler or those of all ranks of a run, a run bundle, or code, and prints "
      "the diagnosis; with --before and --after, what a change did. Of code, any number of files and folders.");
  syntax.arguments("TARGET", options.targets,
                   "Nsight Compute report (.ncu-rep) or export (CSV, text), PyTorch trace (.json, .json.gz) or those of all ranks (files, folder), run bundle (folder, .zip), or code: files and folders");
  syntax.option("--before", "FILE", options.before.any, "the version before the change: profile, trace, run bundle, CUDA source or PTX");
  syntax.option("--after", "FILE", options.after.any, "the version after it");
  syntax.option("--before-source", "FILE", options.before.source, "CUDA source of the version before, beside its PTX or profile");
  syntax.option("--before-ptx", "FILE", options.before.ptx, "its PTX");
  syntax.option("--before-ncu", "FILE", options.before.ncu, "its Nsight Compute profile");
  syntax.option("--after-source", "FILE", options.after.source, "CUDA source of the version after");
  syntax.option("--after-ptx", "FILE", options.after.ptx, "its PTX");
  syntax.option("--after-ncu", "FILE", options.after.ncu, "its Nsight Compute profile");
  syntax.option("--baseline", "FILE", options.before.any_old, "old name of --before");
  syntax.option("--optimized", "FILE", options.after.any_old, "old name of --after");
  syntax.option("--before-label", "TEXT", options.before.label, "what to call the first side");
  syntax.option("--after-label", "TEXT", options.after.label, "what to call the second side");
  describe_analysis(syntax, options.analysis);
  syntax.option("--why", "FIELD", options.why, "only tell where this number or label comes from");
  syntax.option("--scope", "SCOPE", options.scope, "of a run or trace: all completed steps (run), those after warming up (steady_state), or auto");
  describe_code(syntax, options.code);
  syntax.flag("--json,--output-json", options.json, "print JSON");
  syntax.example("kernel.cu kernel.ptx report.csv", "what source, PTX and profile say together, and what would settle it");
  syntax.example("report.ncu-rep", "the diagnosis of one profile");
  syntax.example("trace.json.gz", "where the time of a training step goes");
  syntax.example("traces/", "a folder with the trace of each rank: which rank do the others wait for?");
  syntax.example("runs/run-3f9c2a71b04e.zip", "why the steps of a run take as long as they do");
  syntax.example("kernel.ptx", "what the compiled code says of itself");
  syntax.example("build/ --format sarif --fail-on high", "all code in a folder, for CI");
  syntax.example("--before naive.csv --after tiled.csv", "did the change help?");
  syntax.exit_code(0, "a report was made");
  syntax.exit_code(1, "a file cannot be read, or is neither profile nor code; a finding reaches --fail-on");
}

// --before and --baseline in their place among the others, by what the file is.
Result<> sort_in(SideFiles& side, std::string_view option) {
  const std::string file = side.file();
  if (file.empty()) return {};
  if (is_run(file)) {
    if (!side.has_layers()) return {};
    return fail(ErrorKind::usage, "analyze: a training run goes with no source, PTX or profile").at(file);
  }
  const CodeKind kind = code_kind_of(file);
  std::string& place = kind == CodeKind::cuda ? side.source : kind == CodeKind::ptx ? side.ptx : side.ncu;
  if (!place.empty() && place != file) return fail(ErrorKind::usage, "analyze: {} and {} are of one kind", printable(file), printable(place)).at(std::string(option));
  place = file;
  return {};
}

Result<int> compare_code(const Options& options, const SideFiles& before, const SideFiles& after, Io& io) {
  const ImplementationOptions code{.first = before.source,
                                   .second = after.source,
                                   .first_ptx = before.ptx,
                                   .second_ptx = after.ptx,
                                   .first_label = before.label,
                                   .second_label = after.label,
                                   .first_ncu = before.ncu,
                                   .second_ncu = after.ncu,
                                   .first_kernel = {},
                                   .second_kernel = {},
                                   .with_ptx = options.code.with_ptx,
                                   .build_flags = options.code.build_flags,
                                   .format = options.format(),
                                   .mode = "comparison"};
  return compare_implementations(code, options.analysis, io);
}

Result<int> compare(const Options& options, Io& io) {
  SideFiles before = options.before, after = options.after;
  if (!before.is_given() || !after.is_given())
    return fail(ErrorKind::negative, "analyze: expected both --before and --after, found only one of them");
  TRY(sort_in(before, "--before"));
  TRY(sort_in(after, "--after"));
  ComparisonOptions comparison;
  comparison.first_label = before.label;
  comparison.second_label = after.label;
  comparison.format = options.format();
  if (!before.has_layers() && !after.has_layers()) {
    comparison.first = before.file();
    comparison.second = after.file();
    return compare_runs(comparison, options.analysis, io);
  }
  for (const SideFiles* side : {&before, &after}) {
    if (!side->has_layers())
      return fail(ErrorKind::usage, "analyze: a training run cannot be compared with a profile or code").at(side->file());
  }
  const bool has_code = !(before.source.empty() && before.ptx.empty() && after.source.empty() && after.ptx.empty());
  if (has_code) return compare_code(options, before, after, io);
  comparison.first = before.ncu;
  comparison.second = after.ncu;
  comparison.first_name = "before";
  comparison.second_name = "after";
  return compare_profiles(comparison, options.analysis, io);
}

Result<int> act(const Options& options, Io& io) {
  if (options.before.is_given() || options.after.is_given()) return compare(options, io);
  if (options.targets.empty()) {
    return fail(ErrorKind::negative, "analyze: no file given").hint("frx analyze report.csv, or --before and --after");
  }
  if (options.targets.size() == 1 && report::is_run_bundle(options.targets[0])) {
    return analyse_run(options.targets[0], options.scope, options.format(), options.analysis, io);
  }
  if (options.targets.size() == 1) {
    const std::vector<std::string> traces = traces_of_folder(options.targets[0]);
    if (!traces.empty()) return analyse_traces(options.targets[0], traces, options.scope, options.format(), options.analysis, io);
  }
  if (std::ranges::all_of(options.targets, is_code)) {
    CodeOptions code = options.code;
    code.format = options.format();
    return analyse_code(options.targets, code, options.analysis, io);
  }
  if (options.targets.size() > 1 && std::ranges::all_of(options.targets, is_trace)) {
    const std::string source = fmt::format("{} and {} more", options.targets[0], options.targets.size() - 1);
    return analyse_traces(source, options.targets, options.scope, options.format(), options.analysis, io);
  }
  if (options.targets.size() > 1 && std::ranges::any_of(options.targets, is_code)) {
    return analyse_layers(options.targets, options.format(), options.analysis, io);
  }
  if (options.targets.size() > 1) {
    return fail(ErrorKind::usage, "analyze: expected one profile, found {} files", options.targets.size())
        .hint(
            "several files at once are read when all of them are code, or traces of the ranks of one run; two profiles: --before and "
            "--after");
  }
  if (is_trace(options.targets[0])) {
    return analyse_trace(options.targets[0], options.scope, options.format(), options.analysis, io);
  }
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  TRY_ASSIGN(const report::NcuReport* report, analyse_file(*analyst, options.targets[0], io));
  if (!options.why.empty()) {
    TRY_ASSIGN(const std::string story, why(*report, options.why, analyst->knowledge()));
    io.out.write(story);
  } else {
    TRY(print_answer(io, compose::answer_of(borrowed(*report)), options.format(), answer::Detail::brief));
  }
  return 0;
}

}  // namespace

constinit const Command analyze_command =
    make_command<Options, describe, act>("analyze", "Diagnose an export, or compare two", "Diagnose");

}  // namespace frx::cli
