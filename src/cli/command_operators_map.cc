// frx operators map: counters of Nsight Compute at the kernels of a recording, and those of each operator.

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/ncu_command.h"
#include "capture/operator_tools.h"
#include "cli/command.h"
#include "cli/operator_commands.h"
#include "cli/print_answer.h"
#include "derive/trace/modules.h"
#include "report/operators/inferred_counters.h"

namespace frx::cli {
namespace command_operators_map {
namespace {

struct Options {
  Given given;
  std::string manifest, script, output = "profile.json", ncu = "ncu", model_name, torch_version, device_name, folder, partition, report,
                                format = "text";
  std::vector<std::string> arguments, environment;
  std::string replay = "application";
  bool with_sudo = false, leaves_clocks = false, json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Runs the script of frx operators profile once more under ncu, which replays it once for each group of counters, finds the row of "
      "counters of each kernel of the manifest, and writes profile.json: operators with their kernels and counters. Rows are found by "
      "the names and shapes of kernels and by their order, never by time, and each says how certain it is. --ncu reads a report that was "
      "made before instead.");
  syntax.required_argument("MANIFEST", options.manifest, "manifest.json of frx operators profile");
  syntax.option("--script", "SCRIPT", options.script, "the script that was recorded; needed without --ncu");
  syntax.option("--output", "FILE", options.output, "the profile");
  syntax.option("--ncu", "FILE", options.report, "a report (.ncu-rep) or CSV of the same run, instead of running ncu");
  syntax.option("--ncu-executable", "PATH", options.ncu, "Nsight Compute");
  syntax.flag("--ncu-sudo", options.with_sudo, "run it by sudo -E, for most systems allow nobody else to read counters");
  syntax.choice("--replay-mode", "MODE", options.replay, {"application", "kernel"},
                "what ncu repeats for each group of counters: the program (default), or each kernel by itself, for programs that launch "
                "other kernels each time");
  syntax.flag("--no-lock-clocks", options.leaves_clocks, "do not lock the clocks of the GPU");
  syntax.option("--ncu-env", "K=V", options.environment, "a variable for the script, which sudo would drop (PYTHONPATH=/repo)");
  syntax.option("--ncu-output-dir", "DIR", options.folder, "keep the report of ncu here, all_kernels.ncu-rep");
  syntax.option(
      "--partition-map", "FILE", options.partition,
      "PREFIX.part.json, or a file of frx operators layers: leave out layers that another one stands for, and give them its counters "
      "(inferred)");
  syntax.option("--model-name", "NAME", options.model_name, "for the profile");
  syntax.option("--torch-version", "VERSION", options.torch_version, "for the profile");
  syntax.option("--device-name", "NAME", options.device_name, "for the profile: the GPU");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (operator_report_v0)");
  syntax.remainder("--script-args", "ARG...", options.arguments,
                   "arguments of the script: everything behind it, so it has to be the last option");
  syntax.example("net.manifest.json --script net.py --ncu-sudo", "measure now");
  syntax.example("net.manifest.json --ncu report.ncu-rep", "with a report that was made elsewhere");
  syntax.exit_code(0, "the profile was written");
  syntax.exit_code(1, "a file cannot be read or written, or is none of its kind");
  syntax.exit_code(4, "ncu or python is missing, may not read counters, or the run failed");
}

// Of the spellings of each counter, the first that this ncu lists. Attributes of launches are not listed, and always there.
std::vector<std::string> counters_to_ask(const knowledge::Knowledge& known, const knowledge::OperatorCounters& counters,
                                         const std::vector<std::string>& listed) {
  std::vector<std::string> asked;
  for (const model::Metric metric : counters.asked()) {
    const knowledge::MetricDefinition& definition = known.metrics[metric];
    const auto is_listed = [&](std::string_view name) {
      return name.starts_with("launch__") || std::ranges::binary_search(listed, name.substr(0, name.find('.')));
    };
    const auto found = std::ranges::find_if(definition.ncu, is_listed);
    if (listed.empty() && !knowledge::counter_of(definition).empty()) asked.emplace_back(knowledge::counter_of(definition));
    if (!listed.empty() && found != definition.ncu.end()) asked.emplace_back(*found);
  }
  return asked;
}

Result<std::vector<std::pair<std::string, std::string>>> environment_of(const Options& options, const Io& io) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const std::string& given : options.environment) {
    const std::size_t equals = given.find('=');
    if (equals == 0 || equals == given.npos)
      return fail(ErrorKind::usage, "operators map: expected NAME=VALUE as --ncu-env, found '{}'", given);
    variables.emplace_back(given.substr(0, equals), given.substr(equals + 1));
  }
  for (const std::string_view cache : {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"}) {
    if (const auto value = io.host->variable(cache)) variables.emplace_back(cache, *value);
  }
  return variables;
}

Result<capture::OperatorWorkload> workload_of(const Options& options, const report::CaptureFacts& capture, const std::string& prefix,
                                              std::string& ncu, Io& io) {
  constexpr std::uint64_t largest_script = std::uint64_t{16} << 20;
  TRY_ASSIGN(const std::string source, read_file(options.script, largest_script));
  capture::OperatorWorkload workload;
  workload.script = options.script;
  workload.arguments = options.arguments;
  workload.has_contract = capture::has_workload_contract(source);
  workload.prefix = prefix;
  if (workload.has_contract && !options.arguments.empty())
    return fail(ErrorKind::usage, "operators map: a script with get_model_and_input() takes no arguments, found '{}'",
                options.arguments[0]);
  if (capture.compile_mode != "eager" && capture.compile_mode != "not recorded") workload.backend = capture.compile_mode;
  workload.leaves_clocks = options.leaves_clocks;
  workload.warmup_iterations = capture.warmup_iterations.value_or(workload.warmup_iterations);
  workload.measured_iterations = capture.measured_iterations.value_or(workload.measured_iterations);
  TRY_ASSIGN(std::tie(ncu, workload.python),
             capture::both(capture::find_ncu_called(options.ncu, *io.host), capture::find_python(workload.has_contract, *io.host)));
  return workload;
}

struct LayersLeftOut {
  report::LayerPartition all;
  std::set<std::string> by_modules;  // those that only ranges of modules mark
};

// The ranges of duplicates: those that the workload marks as layers, or those of modules.
std::vector<std::string> ranges_of(const LayersLeftOut& layers, bool are_marked) {
  std::vector<std::string> ranges;
  for (const auto& [duplicate, unique] : layers.all) {
    if (layers.by_modules.contains(duplicate)) {
      ranges.push_back(derive::trace::module_range(duplicate));
    } else if (are_marked) {
      ranges.push_back(std::string(report::duplicate_layer) + duplicate);
    }
  }
  return ranges;
}

// Runs the script under ncu; `report` is written.
Result<> measure(const Options& options, const report::CaptureFacts& capture, const LayersLeftOut& layers, const std::string& folder,
                 const std::string& report, Session& session, Io& io) {
  TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
  TRY_ASSIGN(const knowledge::OperatorCounters counters, knowledge::load_operator_counters(known->library, known->metrics));
  capture::NcuReplay replay;
  TRY_ASSIGN(replay.workload, workload_of(options, capture, folder + "/replay", replay.ncu, io));
  TRY_ASSIGN(replay.environment, environment_of(options, io));
  replay.report = report;
  replay.with_sudo = options.with_sudo;
  replay.replays_kernels = options.replay == "kernel";
  replay.counters = counters_to_ask(*known, counters, capture::counters_known_to(replay.ncu, *io.host));
  replay.left_out = ranges_of(layers, replay.workload.has_contract);
  const std::vector<std::string> argv = capture::ncu_replay_command(replay);
  Result<> done = run_shown("Nsight Compute", argv, io, replay.environment);
  if (!done && !options.with_sudo && done.error().kind == ErrorKind::environment)
    done.error().hint += "; where counters are for root alone (ERR_NVGPUCTRPERM): --ncu-sudo";
  TRY(done);
  if (!std::filesystem::exists(report))
    return fail(ErrorKind::environment, "Nsight Compute wrote no report").at(report).hint("did it profile a kernel?");
  return {};
}

Result<report::OperatorManifest> manifest_in(const Options& options) {
  constexpr std::uint64_t largest_manifest = std::uint64_t{1} << 30;
  TRY_ASSIGN(const std::string text, read_file(options.manifest, largest_manifest));
  TRY_ASSIGN(report::OperatorManifest manifest, report::read_operator_manifest(options.manifest, text));
  if (!options.model_name.empty()) manifest.capture.model_name = options.model_name;
  if (!options.torch_version.empty()) manifest.capture.torch_version = options.torch_version;
  if (!options.device_name.empty()) manifest.capture.device_name = options.device_name;
  return manifest;
}

Result<report::OperatorReport> map(const Options& options, Session& session, Io& io) {
  TRY_ASSIGN(report::OperatorManifest manifest, manifest_in(options));
  LayersLeftOut layers;
  if (!options.partition.empty()) {
    TRY_ASSIGN(const std::string text, read_file(options.partition));
    TRY_ASSIGN(layers.all, report::read_layer_partition(options.partition, text));
    layers.by_modules = report::mark_layers_by_modules(manifest, layers.all);
  }
  std::string report = options.report;
  std::optional<TemporaryDirectory> temporary;
  if (report.empty()) {
    std::string folder = options.folder;
    if (folder.empty()) {
      TRY_ASSIGN(temporary, TemporaryDirectory::make(io.host->variable("TMPDIR").value_or("/tmp")));
      folder = temporary->path();
    }
    std::error_code ignored;  // ncu says it
    std::filesystem::create_directories(folder, ignored);
    report = folder + "/all_kernels.ncu-rep";
    TRY(measure(options, manifest.capture, layers, folder, report, session, io));
  }
  TRY_ASSIGN(analyse::Input input, session.input(report));
  TRY_ASSIGN(const analyse::OperatorCounters counters, analyse::read_counters(std::move(input), manifest, layers.all, session.context()));
  session.end_progress();
  TRY(write_operator_profile(options.output, manifest, &counters));
  TRY_ASSIGN(report::OperatorReport made, analyse::report_of(manifest, options.output, counters, session.context()));
  made.notes.push_back(fmt::format("written: {}", options.output));
  return made;
}

Result<int> act(const Options& options, Io& io) {
  if (options.script.empty() && options.report.empty())
    return fail(ErrorKind::usage, "operators map: expected --script SCRIPT to run under ncu, or --ncu FILE");
  const bool is_run = options.report.empty();
  TRY(options.given.expect_applicable("operators map", "--ncu",
                                      {{"--script", is_run, "a run of ncu"},
                                       {"--script-args", is_run, "a run of ncu"},
                                       {"--ncu-executable", is_run, "a run of ncu"},
                                       {"--ncu-sudo", is_run, "a run of ncu"},
                                       {"--ncu-env", is_run, "a run of ncu"},
                                       {"--replay-mode", is_run, "a run of ncu"},
                                       {"--no-lock-clocks", is_run, "a run of ncu"},
                                       {"--ncu-output-dir", is_run, "a run of ncu"}}));
  TRY_ASSIGN(const std::string format, format_of("operators map", options.json, options.format));
  Session session(report::AnalysisOptions(), io);
  TRY_ASSIGN(report::OperatorReport report, map(options, session, io));
  return print_operators(std::move(report), format, io);
}

}  // namespace
}  // namespace command_operators_map

constinit const Command operators_map_command =
    make_recording_command<command_operators_map::Options, command_operators_map::describe, command_operators_map::act>(
        "operators map", "Join counters of ncu with the operators of a recording", "Diagnose");

}  // namespace frx::cli
