// frx analyze: a short diagnosis of one profile, or what changed between two.

#include <algorithm>

#include "base/text.h"
#include "cli/analyze_options.h"
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
  Given given;
  std::vector<std::string> targets;
  SideFiles before, after;
  std::string why;
  std::string scope = "auto";
  bool json = false;
  report::AnalysisOptions analysis;
  CodeOptions code;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
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
                                   .with_ptxas = options.code.with_ptxas,
                                   .build_flags = options.code.build_flags,
                                   .format = options.json ? "json" : options.code.format,
                                   .mode = "comparison",
                                   .fail_on = options.code.fail_on};
  return compare_implementations(code, options.analysis, io);
}

std::vector<std::string> code_of(const SideFiles& before, const SideFiles& after) {
  std::vector<std::string> code = {before.source, before.ptx, after.source, after.ptx};
  std::erase(code, "");
  return code;
}

Result<int> compare(const Options& options, Io& io) {
  SideFiles before = options.before, after = options.after;
  if (!before.is_given() || !after.is_given())
    return fail(ErrorKind::negative, "analyze: expected both --before and --after, found only one of them");
  if (!options.targets.empty()) return fail(ErrorKind::usage, "analyze: expected files, or --before and --after, found both");
  TRY(sort_in(before, "--before"));
  TRY(sort_in(after, "--after"));
  ComparisonOptions comparison;
  comparison.first_label = before.label;
  comparison.second_label = after.label;
  if (options.json || options.code.format == "json") comparison.format = "json";
  const std::vector<std::string> code = code_of(before, after);
  TRY(expect_applicable(options.given, code.empty() ? Analysed::measured_change : Analysed::code_change, code, options.code.format));
  if (!before.has_layers() && !after.has_layers()) {
    comparison.first = before.file();
    comparison.second = after.file();
    return compare_runs(comparison, options.analysis, io);
  }
  for (const SideFiles* side : {&before, &after}) {
    if (!side->has_layers())
      return fail(ErrorKind::usage, "analyze: a training run cannot be compared with a profile or code").at(side->file());
  }
  if (!code.empty()) return compare_code(options, before, after, io);
  comparison.first = before.ncu;
  comparison.second = after.ncu;
  comparison.first_name = "before";
  comparison.second_name = "after";
  return compare_profiles(comparison, options.analysis, io);
}

// What a target is among others.
Analysed kind_of(const std::string& target) {
  if (report::is_run_bundle(target)) return Analysed::run;
  if (!traces_of_folder(target).empty()) return Analysed::trace;
  return is_code(target) ? Analysed::code : is_trace(target) ? Analysed::trace : Analysed::profile;
}

Result<int> analyse_profile(const Options& options, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<report::Analyst> analyst, report::Analyst::create(options.analysis));
  TRY_ASSIGN(const report::NcuReport* report, analyse_file(*analyst, options.targets[0], io));
  if (!options.why.empty()) return tell_why(*report, options.why, analyst->knowledge(), options.json, io);
  if (options.json) {
    write_json(io, "ncu", render::ncu_json(*report));
  } else {
    io.out.write(render::ncu_brief_text(*report, style_of(io)));
  }
  return 0;
}

Result<int> analyse_traces(const Options& options, Io& io) {
  const std::vector<std::string> in_folder = traces_of_folder(options.targets[0]);
  const std::vector<std::string>& files = options.targets.size() == 1 && !in_folder.empty() ? in_folder : options.targets;
  const std::string source =
      options.targets.size() == 1 ? options.targets[0] : fmt::format("{} and {} more", options.targets[0], options.targets.size() - 1);
  return analyse_traces(source, files, options.scope, options.json, options.analysis, io);
}

Result<int> act(const Options& given, Io& io) {
  Options options = given;
  options.json = options.json || options.code.format == "json";
  if (options.before.is_given() || options.after.is_given()) return compare(options, io);
  if (options.targets.empty()) {
    return fail(ErrorKind::negative, "analyze: no file given").hint("frx analyze report.csv, or --before and --after");
  }
  Analysed what = kind_of(options.targets[0]);
  std::vector<std::string> code;
  for (const std::string& target : options.targets) {
    const Analysed kind = kind_of(target);
    if (kind == Analysed::code) code.push_back(target);
    if (kind != what) what = Analysed::layers;  // of one program
  }
  TRY(expect_applicable(options.given, what, code, options.code.format));
  if (options.json) options.code.format = "json";
  if (what == Analysed::layers) return analyse_layers(options.targets, options.code, options.analysis, io);
  if (what == Analysed::code) return analyse_code(options.targets, options.code, options.analysis, io);
  if (what == Analysed::trace) return analyse_traces(options, io);
  if (options.targets.size() > 1) {
    return fail(ErrorKind::usage, "analyze: expected one {}, found {}", what == Analysed::run ? "run" : "profile", options.targets.size())
        .hint(
            "several files at once are read when all of them are code, or traces of the ranks of one run, or of several kinds; two "
            "versions: --before and --after");
  }
  if (what == Analysed::run) return analyse_run(options.targets[0], options.scope, options.json, options.analysis, io);
  return analyse_profile(options, io);
}

}  // namespace

constinit const Command analyze_command =
    make_command<Options, describe, act>("analyze", "Diagnose an export, or compare two", "Diagnose");

}  // namespace frx::cli
