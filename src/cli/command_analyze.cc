// frx analyze: a short diagnosis of one profile, or what changed between two.

#include <algorithm>
#include <span>
#include <utility>

#include "analyse/analyzer.h"
#include "analyse/answer.h"
#include "analyse/why.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/code_analysis.h"
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/implementation_comparison.h"
#include "cli/layout_commands.h"
#include "cli/print_answer.h"
#include "cli/trace_analysis.h"
#include "render/render.h"

namespace frx::cli {
namespace command_analyze {
namespace {

using ingest::Kind;

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
  LayoutOptions layout;  // --trace and --model
  bool open = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Reads an Nsight Compute profile (a report or an export of any version), a trace of the PyTorch profiler or of Nsight Systems, or "
      "those "
      "of all ranks of a run, a run bundle, or code, and prints "
      "the diagnosis; with --before and --after, what a change did. Of code, any number of files and folders.");
  syntax.arguments(
      "TARGET", options.targets,
      "Nsight Compute report (.ncu-rep) or export (CSV, text), PyTorch trace (.json, .json.gz), Nsight Systems report (.nsys-rep, where "
      "nsys is), export (.sqlite) or tables of nsys stats (text, CSV), traces of all ranks (files, folder), run bundle (folder, "
      ".zip), or code: files and folders; - is standard input");
  syntax.option("--before", "FILE", options.before.any, "the version before the change: profile, trace, run bundle, CUDA source or PTX");
  syntax.option("--after", "FILE", options.after.any, "the version after it");
  syntax.option("--before-source", "FILE", options.before.source, "CUDA source of the version before, beside its PTX or profile");
  syntax.option("--before-ptx", "FILE", options.before.ptx, "its PTX");
  syntax.option("--before-ncu", "FILE", options.before.ncu, "its Nsight Compute profile");
  syntax.option("--after-source", "FILE", options.after.source, "CUDA source of the version after");
  syntax.option("--after-ptx", "FILE", options.after.ptx, "its PTX");
  syntax.option("--after-ncu", "FILE", options.after.ncu, "its Nsight Compute profile");
  syntax.option("--baseline", "FILE", options.before.any_old,
                "of code, profiles and runs: mark findings as new, unchanged and gone since --write-baseline; with --optimized: old name "
                "of --before");
  syntax.option("--optimized", "FILE", options.after.any_old, "old name of --after");
  syntax.option("--before-label", "TEXT", options.before.label, "what to call the first side");
  syntax.option("--after-label", "TEXT", options.after.label, "what to call the second side");
  syntax.option("--trace", "FILE", options.layout.trace_option,
                "what memory layouts cost in this PyTorch trace: the same as frx layout analyze");
  syntax.option("--model", "NAME", options.layout.model, "with --trace: what to call the program");
  describe_analysis(syntax, options.analysis);
  syntax.option("--why", "FIELD", options.why, "only tell where this number or label comes from");
  syntax.option("--scope", "SCOPE", options.scope,
                "of a run or trace: all completed steps (run), those after warming up (steady_state), or auto");
  describe_code(syntax, options.code);
  describe_gate(syntax, options.code.gate);
  describe_tier(syntax, options.analysis);
  syntax.flag("--json,--output-json", options.json, "print JSON");
  describe_open(syntax, options.open);
  syntax.example("kernel.cu kernel.ptx report.csv", "what source, PTX and profile say together, and what would settle it");
  syntax.example("report.ncu-rep", "the diagnosis of one profile");
  syntax.example("trace.json.gz", "where the time of a training step goes");
  syntax.example("traces/", "a folder with the trace of each rank: which rank do the others wait for?");
  syntax.example("runs/run-3f9c2a71b04e.zip", "why the steps of a run take as long as they do");
  syntax.example("kernel.ptx", "what the compiled code says of itself");
  syntax.example("build/ --format sarif --fail-on high", "all code in a folder, for CI");
  syntax.example("src/ --baseline frx-baseline.json --fail-on low", "fail on what is new");
  syntax.example("--before naive.csv --after tiled.csv", "did the change help?");
  syntax.example("--model resnet50_train --trace profile.json", "which memory layouts cost how much?");
  syntax.exit_code(0, "a report was made");
  syntax.exit_code(1, "a file cannot be read, or is neither profile nor code; a finding reaches --fail-on");
  syntax.exit_code(3, "the file of --trace cannot be read, or is no trace");
  syntax.exit_code(4, "the file of --trace has neither operators nor GPU work");
}

// --before and --baseline in their place among the others, by what the file is.
Result<> sort_in(SideFiles& side, std::string_view option, Session& session) {
  const std::string file = side.file();
  if (file.empty()) return {};
  TRY_ASSIGN(const analyse::Input input, session.input(file));
  const Kind kind = input.kind();
  if (kind == Kind::trace || kind == Kind::run_bundle) {
    if (!side.has_layers()) return {};
    return fail(ErrorKind::usage, "analyze: a training run goes with no source, PTX or profile").at(file);
  }
  std::string& place = kind == Kind::cuda ? side.source : kind == Kind::ptx ? side.ptx : side.ncu;
  if (!place.empty() && place != file)
    return fail(ErrorKind::usage, "analyze: {} and {} are of one kind", printable(file), printable(place)).at(std::string(option));
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
                                   .with_ptx = options.code.with_ptx == "yes",
                                   .with_ptxas = options.code.compilers.with_ptxas,
                                   .build_flags = options.code.compilers.build_flags,
                                   .format = options.code.format,
                                   .mode = "comparison",
                                   .fail_on = options.code.fail_on};
  return compare_implementations(code, options.analysis, io);
}

// Of a change. What --with-ptx compiles is PTX, too; without it a change is not compiled, since one side might fail and look worse.
Result<> check_options_of_change(const Options& options, const SideFiles& before, const SideFiles& after, std::string_view what) {
  const Given& given = options.given;
  const bool has_source = !before.source.empty() || !after.source.empty(), has_ptx = !before.ptx.empty() || !after.ptx.empty();
  const bool with_ptx = options.code.with_ptx == "yes";
  TRY(given.expect_applicable("analyze", what,
                              {{"--why", false, "the files of one side"},
                               {"--scope", false, "one run or trace"},
                               {"--pedantic", has_source, "CUDA source"},
                               {"--include", false, "the files of one side"},
                               {"--define", false, "the files of one side"},
                               {"--compile-commands", false, "the files of one side"},
                               {"--with-ptx", has_source, "CUDA source"},
                               {"--build-flags", has_source, "CUDA source"},
                               {"--with-ptxas", has_ptx || with_ptx, "PTX"},
                               {"--ptxas-log", false, "one version of PTX"},
                               {"--fail-on", has_source || has_ptx, "code"},
                               {"--allow-unreadable", false, "the files of one side"},
                               {"--write-baseline", false, "the files of one side"},
                               {"--suppressions", false, "the files of one side"}}));
  return given.expect_applicable("analyze", "source that is not compiled", {{"--build-flags", with_ptx, "--with-ptx"}});
}

Result<int> compare(const Options& options, Io& io) {
  SideFiles before = options.before, after = options.after;
  if (!before.is_given() || !after.is_given())
    return fail(ErrorKind::negative, "analyze: expected both --before and --after, found only one of them");
  if (!options.targets.empty()) return fail(ErrorKind::usage, "analyze: expected files, or --before and --after, found both");
  Session session(options.analysis, io);
  TRY(sort_in(before, "--before", session));
  TRY(sort_in(after, "--after", session));
  ComparisonOptions comparison;
  comparison.first_label = before.label;
  comparison.second_label = after.label;
  comparison.format = options.code.format;
  if (!before.has_layers() && !after.has_layers()) {
    TRY(check_options_of_change(options, before, after, "the comparison of two runs"));
    comparison.first = before.file();
    comparison.second = after.file();
    return compare_runs(comparison, options.analysis, io);
  }
  for (const SideFiles* side : {&before, &after}) {
    if (!side->has_layers())
      return fail(ErrorKind::usage, "analyze: a training run cannot be compared with a profile or code").at(side->file());
  }
  const bool has_code = !(before.source.empty() && before.ptx.empty() && after.source.empty() && after.ptx.empty());
  TRY(check_options_of_change(options, before, after, has_code ? "the comparison of two versions" : "the comparison of two profiles"));
  if (has_code) return compare_code(options, before, after, io);
  comparison.first = before.ncu;
  comparison.second = after.ncu;
  comparison.first_name = "before";
  comparison.second_name = "after";
  return compare_profiles(comparison, options.analysis, io);
}

// What cannot be analysed fails in the analysis, with better words.
Result<> check_options(const Options& options, std::span<const analyse::Input> inputs) {
  const analyse::Analyzer* analyzer = analyse::analyzer_for(inputs);
  const auto any = [&](Kind kind) {
    return std::ranges::any_of(inputs, [&](const analyse::Input& input) { return input.kind() == kind; });
  };
  if (!analyzer || any(Kind::other)) return {};
  const std::string_view id = analyzer->id;
  const std::string_view what = inputs.size() == 1 ? ingest::name_of(inputs.front().kind())
                                : id == "layers"   ? "inputs of several kinds"
                                                   : id;
  const bool has_findings = id == "code" || id == "profile" || ((id == "run" || id == "ranks") && inputs.size() == 1);
  const Given& given = options.given;
  TRY(given.expect_applicable("analyze", what,
                              {{"--scope", id == "run" || id == "ranks", "one run or trace"},
                               {"--pedantic", any(Kind::cuda), "CUDA source"},
                               {"--include", any(Kind::cuda), "CUDA source"},
                               {"--define", any(Kind::cuda), "CUDA source"},
                               {"--compile-commands", any(Kind::cuda), "CUDA source"},
                               {"--with-ptx", any(Kind::cuda), "CUDA source"},
                               {"--build-flags", any(Kind::cuda), "CUDA source"},
                               {"--with-ptxas", any(Kind::ptx), "PTX"},
                               {"--ptxas-log", any(Kind::ptx), "one version of PTX"},
                               {"--fail-on", has_findings, "code alone, or one profile, trace or run"},
                               {"--allow-unreadable", id == "code", "code alone"},
                               {"--baseline", has_findings, "code alone, or one profile, trace or run"},
                               {"--write-baseline", has_findings, "code alone, or one profile, trace or run"},
                               {"--suppressions", has_findings, "code alone, or one profile, trace or run"},
                               {"--before-label", false, "--before and --after"},
                               {"--after-label", false, "--before and --after"}}));
  if (given.has("--why")) TRY(expect_format_of_why("analyze", options.code.format));
  return given.expect_applicable("analyze", "source that is not compiled",
                                 {{"--build-flags", options.code.with_ptx != "no", "--with-ptx"}});
}

Result<int> print(const analyse::Analysis& analysis, const Options& options, Session& session, Io& io) {
  if (!options.why.empty()) {
    TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
    TRY_ASSIGN(const std::string story, analyse::why(analysis, options.why, options.scope, *known));
    return tell_why(story, options.why, options.code.format, io);
  }
  if (analysis.as<analyse::CodeReport>()) return print_code(analysis, options.code, io);
  // Several ranks answer from the steady state where there is one, whatever their JSON shows beside it.
  const auto* ranks = analysis.as<report::RanksReport>();
  const auto* made = analysis.as<answer::Answer>();
  if ((ranks && ranks->ranks.size() > 1) || (made && made->mode == "fleet"))
    TRY(options.given.expect_applicable("analyze", "the traces of several ranks",
                                        {{"--scope run", false, "a run bundle or one trace"},
                                         {"--fail-on", false, "code alone, or one profile, trace or run"},
                                         {"--baseline", false, "code alone, or one profile, trace or run"},
                                         {"--write-baseline", false, "code alone, or one profile, trace or run"},
                                         {"--suppressions", false, "code alone, or one profile, trace or run"}}));
  if (!analyse::answer_of(analysis, options.scope).issues) {
    TRY(print_answer(io, analyse::answer_of(analysis, options.scope), options.code.format, answer::Detail::brief));
    return 0;
  }
  TRY_ASSIGN(const answer::Answer answer, answer_beside_baseline(analysis, options.code, options.scope));
  TRY(print_answer(io, answer, options.code.format, answer::Detail::brief));
  TRY(write_baseline_if_asked(answer, options.code.gate, false, io));
  TRY(expect_none_reaching(answer, options.code));
  return 0;
}

// --trace FILE: the documented form of the memory layout advisor.
Result<int> analyze_layout_of_trace(const Options& options, Io& io) {
  if (!options.targets.empty() || options.before.is_given() || options.after.is_given())
    return fail(ErrorKind::usage, "analyze: expected --trace or other files, found both");
  const std::string_view what = "--trace";
  TRY(options.given.expect_applicable("analyze", what,
                                      {{"--why", false, "one profile, run or trace"},
                                       {"--scope", false, "one run or trace"},
                                       {"--pedantic", false, "CUDA source"},
                                       {"--include", false, "CUDA source"},
                                       {"--define", false, "CUDA source"},
                                       {"--compile-commands", false, "CUDA source"},
                                       {"--with-ptx", false, "CUDA source"},
                                       {"--build-flags", false, "CUDA source"},
                                       {"--with-ptxas", false, "PTX"},
                                       {"--ptxas-log", false, "one version of PTX"},
                                       {"--allow-unreadable", false, "code alone"},
                                       {"--write-baseline", false, "code alone"},
                                       {"--suppressions", false, "code alone"},
                                       {"--before-label", false, "--before and --after"},
                                       {"--after-label", false, "--before and --after"}}));
  LayoutOptions layout = options.layout;
  layout.analysis = options.analysis;
  layout.fail_on = options.code.fail_on;
  return analyze_layout("analyze", layout, options.code.format, io);
}

Result<int> act(const Options& given, Io& io) {
  Options options = given;
  TRY_ASSIGN(options.code.format, format_of("analyze", given.json, given.code.format));
  options.code.data_directory = options.analysis.data_directory;
  TRY(open_if_asked("analyze", given.open, options.code.format, io));
  if (given.given.has("--trace")) return analyze_layout_of_trace(options, io);
  TRY(given.given.expect_applicable("analyze", "", {{"--model", false, "--trace"}}));
  // With files to analyse and no second side --baseline is what was found in them before.
  if (!options.targets.empty() && !options.after.is_given() && options.before.any.empty() && !options.before.has_layers())
    options.code.gate.baseline = std::exchange(options.before.any_old, {});
  TRY(check_scope(options.scope));
  options.analysis.with_figures = render::draws_figures(options.code.format);
  if (options.before.is_given() || options.after.is_given()) return compare(options, io);
  if (options.targets.empty()) {
    return fail(ErrorKind::negative, "analyze: no file given").hint("frx analyze report.csv, or --before and --after");
  }
  Session session(
      analyse::Options{
          .knowledge = options.analysis, .scope = options.scope, .compilers = options.code.asked_compilers(), .build = options.code.build},
      io);
  TRY_ASSIGN(std::vector<analyse::Input> inputs, session.inputs(options.targets));
  TRY(check_options(options, inputs));
  TRY_ASSIGN(const analyse::Analysis analysis, session.analyse(std::move(inputs)));
  return print(analysis, options, session, io);
}

}  // namespace
}  // namespace command_analyze

constinit const Command analyze_command = make_recording_command<command_analyze::Options, command_analyze::describe, command_analyze::act>(
    "analyze", "Diagnose an export, or compare two", "Diagnose");

}  // namespace frx::cli
