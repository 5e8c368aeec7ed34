// frx analyze: a short diagnosis of one profile, or what changed between two.

#include <algorithm>

#include "base/text.h"
#include "cli/code_analysis.h"
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/evidence_analysis.h"
#include "cli/implementation_comparison.h"
#include "cli/json_output.h"
#include "cli/ncu_analysis.h"
#include "cli/trace_analysis.h"
#include "render/ncu_json.h"
#include "render/ncu_report_text.h"
#include "report/run_analyst.h"

namespace frx::cli {
namespace {

struct Options {
  std::vector<std::string> targets;
  std::string before, after, baseline, optimized, before_ncu, after_ncu;
  std::string before_label, after_label;
  std::string why;
  std::string scope = "auto";
  bool json = false;
  report::AnalysisOptions analysis;
  CodeOptions code;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Reads an Nsight Compute profile (a report or an export of any version), a trace of the PyTorch profiler or those of all ranks of a run, a run bundle, or code, and prints "
      "the diagnosis; with --before and --after, what a change did. Of code, any number of files and folders.");
  syntax.arguments("TARGET", options.targets,
                   "Nsight Compute report (.ncu-rep) or export (CSV, text), PyTorch trace (.json, .json.gz) or those of all ranks (files, folder), run bundle (folder, .zip), or code: files and folders");
  syntax.option("--before", "FILE", options.before, "profile of the version before the change");
  syntax.option("--after", "FILE", options.after, "profile of the version after it");
  syntax.option("--before-ncu", "FILE", options.before_ncu, "the same as --before for an Nsight Compute profile");
  syntax.option("--after-ncu", "FILE", options.after_ncu, "the same as --after for an Nsight Compute profile");
  syntax.option("--baseline", "FILE", options.baseline, "old name of --before");
  syntax.option("--optimized", "FILE", options.optimized, "old name of --after");
  syntax.option("--before-label", "TEXT", options.before_label, "what to call the first side");
  syntax.option("--after-label", "TEXT", options.after_label, "what to call the second side");
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

std::string first_of(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (!text.empty()) return std::string(text);
  }
  return {};
}

Result<int> compare(const Options& options, const std::string& before, const std::string& after, Io& io) {
  if (before.empty() || after.empty()) {
    return fail(ErrorKind::negative, "analyze: expected both --before and --after, found only one of them");
  }
  ComparisonOptions comparison;
  comparison.first = before;
  comparison.second = after;
  comparison.first_label = options.before_label;
  comparison.second_label = options.after_label;
  if (options.json) comparison.format = "json";
  if (is_run(before) && is_run(after)) return compare_runs(comparison, options.analysis, io);
  if (is_implementation(before) && is_implementation(after)) {
    const ImplementationOptions code{.first = before,
                                     .second = after,
                                     .first_label = options.before_label,
                                     .second_label = options.after_label,
                                     .first_ncu = {},
                                     .second_ncu = {},
                                     .first_kernel = {},
                                     .second_kernel = {},
                                     .with_ptx = options.code.with_ptx,
                                     .build_flags = options.code.build_flags,
                                     .format = options.json ? "json" : "text",
                                     .mode = "comparison"};
    return compare_implementations(code, options.analysis, io);
  }
  comparison.first_name = "before";
  comparison.second_name = "after";
  return compare_profiles(comparison, options.analysis, io);
}

Result<int> act(const Options& options, Io& io) {
  const std::string before = first_of({options.before, options.before_ncu, options.baseline});
  const std::string after = first_of({options.after, options.after_ncu, options.optimized});
  if (!before.empty() || !after.empty()) return compare(options, before, after, io);
  if (options.targets.empty()) {
    return fail(ErrorKind::negative, "analyze: no file given").hint("frx analyze report.csv, or --before and --after");
  }
  if (options.targets.size() == 1 && report::is_run_bundle(options.targets[0])) {
    return analyse_run(options.targets[0], options.scope, options.json, options.analysis, io);
  }
  if (options.targets.size() == 1) {
    const std::vector<std::string> traces = traces_of_folder(options.targets[0]);
    if (!traces.empty()) return analyse_traces(options.targets[0], traces, options.scope, options.json, options.analysis, io);
  }
  if (std::ranges::all_of(options.targets, is_code)) {
    CodeOptions code = options.code;
    if (options.json) code.format = "json";
    return analyse_code(options.targets, code, options.analysis, io);
  }
  if (options.targets.size() > 1 && std::ranges::all_of(options.targets, is_trace)) {
    const std::string source = fmt::format("{} and {} more", options.targets[0], options.targets.size() - 1);
    return analyse_traces(source, options.targets, options.scope, options.json, options.analysis, io);
  }
  if (options.targets.size() > 1 && std::ranges::any_of(options.targets, is_code)) {
    return analyse_layers(options.targets, options.json || options.code.format == "json", options.analysis, io);
  }
  if (options.targets.size() > 1) {
    return fail(ErrorKind::usage, "analyze: expected one profile, found {} files", options.targets.size())
        .hint(
            "several files at once are read when all of them are code, or traces of the ranks of one run; two profiles: --before and "
            "--after");
  }
  if (is_trace(options.targets[0])) {
    return analyse_trace(options.targets[0], options.scope, options.json, options.analysis, io);
  }
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  TRY_ASSIGN(const report::NcuReport* report, analyse_file(*analyst, options.targets[0], io));
  if (!options.why.empty()) {
    TRY_ASSIGN(const std::string story, why(*report, options.why, analyst->knowledge()));
    io.out.write(story);
  } else if (options.json) {
    write_json(io, "ncu", render::ncu_json(*report));
  } else {
    io.out.write(render::ncu_brief_text(*report, style_of(io)));
  }
  return 0;
}

}  // namespace

constinit const Command analyze_command =
    make_command<Options, describe, act>("analyze", "Diagnose an export, or compare two", "Diagnose");

}  // namespace frx::cli
