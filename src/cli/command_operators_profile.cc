// frx operators profile: records a model with Nsight Systems, and writes its manifest.

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "capture/operator_tools.h"
#include "cli/command.h"
#include "cli/operator_commands.h"
#include "cli/print_answer.h"

namespace frx::cli {
namespace command_operators_profile {
namespace {

struct Options {
  Given given;
  std::string script, model_name = "model", output = "profile", compile_mode = "eager", nsys = "nsys", inductor, format = "text";
  std::vector<std::string> arguments;
  Syntax::Number warmups = 2, measured = 2;
  bool correlation = false, leaves_clocks = false, json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Runs a Python script under nsys, and writes PREFIX.nsys-rep and PREFIX.manifest.json, the kernels with the operators that launched "
      "them. A script that has get_model_and_input() is run by fournex.operators.run_workload, in a window of warmed-up iterations that "
      "frx "
      "operators map measures as well, and writes PREFIX.part.json (layers that do the same) and PREFIX.capture.json; any other script is "
      "run as it is, and has to push its ranges itself. docs/operators.md tells more.");
  syntax.required_argument("SCRIPT", options.script, "Python file");
  syntax.arguments("ARG", options.arguments, "arguments of a script that is run as it is");
  syntax.option("--model-name", "NAME", options.model_name, "for the manifest");
  syntax.option("--output", "PREFIX", options.output, "of the files that are written");
  syntax.choice("--compile-mode", "MODE", options.compile_mode, {"eager", "inductor", "cudagraphs"},
                "how get_model_and_input() is compiled");
  syntax.option("--warmup-iters", "N", options.warmups, "iterations before the window");
  syntax.option("--measure-iters", "N", options.measured, "iterations in the window");
  syntax.option("--nsys-executable", "PATH", options.nsys, "Nsight Systems");
  syntax.flag("--correlation-pass", options.correlation, "run once more under torch.profiler, for operators of high confidence");
  syntax.flag("--no-lock-clocks", options.leaves_clocks, "do not lock the clocks of the GPU");
  syntax.option("--inductor-debug-dir", "DIR", options.inductor,
                "folder for the code that Inductor generates; needed with --compile-mode inductor");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (operator_report_v0)");
  syntax.workload(options.arguments, "the same, for arguments that begin with -");
  syntax.example("model.py --output runs/net", "record two iterations of a model");
  syntax.example("net.py --compile-mode inductor --inductor-debug-dir code", "compiled, with the operators of fused kernels");
  syntax.exit_code(0, "the recording and the manifest were written");
  syntax.exit_code(1, "a file cannot be read or written");
  syntax.exit_code(4, "nsys, python or PyTorch is missing, or the run failed");
}

Result<> check(const Options& options, const capture::OperatorWorkload& workload) {
  const Given& given = options.given;
  if (options.compile_mode != "eager" && options.inductor.empty())
    return fail(ErrorKind::usage, "operators profile: --compile-mode {} needs --inductor-debug-dir DIR", options.compile_mode);
  if (options.measured == 0) return fail(ErrorKind::usage, "operators profile: expected a number from 1 as --measure-iters, found 0");
  if (workload.has_contract && !options.arguments.empty())
    return fail(ErrorKind::usage, "operators profile: a script with get_model_and_input() takes no arguments, found '{}'",
                options.arguments[0]);
  return given.expect_applicable("operators profile", "a script without get_model_and_input()",
                                 {{"--correlation-pass", workload.has_contract, "get_model_and_input()"},
                                  {"--measure-iters", workload.has_contract, "get_model_and_input()"},
                                  {"--no-lock-clocks", workload.has_contract, "get_model_and_input()"}});
}

capture::OperatorWorkload workload_of(const Options& options, const std::string& source) {
  capture::OperatorWorkload workload;
  workload.script = options.script;
  workload.arguments = options.arguments;
  workload.has_contract = capture::has_workload_contract(source);
  workload.prefix = options.output;
  if (options.compile_mode != "eager") workload.backend = options.compile_mode;
  if (options.compile_mode != "eager") workload.inductor_folder = options.inductor;
  workload.warmup_iterations = *options.warmups;
  workload.measured_iterations = *options.measured;
  workload.leaves_clocks = options.leaves_clocks;
  return workload;
}

Result<> record(const Options& options, const capture::OperatorWorkload& workload, const std::string& nsys, Io& io) {
  if (options.correlation) TRY(run_shown("the correlation pass", capture::workload_command(workload, true), io));
  TRY(run_shown("Nsight Systems", capture::nsys_command(nsys, options.output, workload), io));
  if (!std::filesystem::exists(options.output + ".nsys-rep"))
    return fail(ErrorKind::environment, "Nsight Systems wrote no recording")
        .at(options.output + ".nsys-rep")
        .hint("did the script run to its end?");
  return {};
}

Result<int> act(const Options& options, Io& io) {
  constexpr std::uint64_t largest_script = std::uint64_t{16} << 20;
  TRY_ASSIGN(const std::string format, format_of("operators profile", options.json, options.format));
  TRY_ASSIGN(const std::string source, read_file(options.script, largest_script));
  capture::OperatorWorkload workload = workload_of(options, source);
  TRY(check(options, workload));
  TRY_ASSIGN(const auto tools,
             capture::both(capture::find_nsys(options.nsys, *io.host), capture::find_python(workload.has_contract, *io.host)));
  workload.python = tools.second;
  const std::filesystem::path folder = std::filesystem::path(options.output).parent_path();
  std::error_code ignored;  // writing the first file says it
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  TRY(record(options, workload, tools.first, io));
  ManifestRequest request;
  request.report = options.output + ".nsys-rep";
  request.nsys = options.nsys;
  request.output = options.output + ".manifest.json";
  const auto written = [&](const std::string& path) { return std::filesystem::exists(path) ? path : std::string(); };
  if (workload.has_contract) request.capture_facts = written(options.output + ".capture.json");
  if (options.correlation) request.correlation = options.output + ".corr.json";
  request.inductor = written(options.inductor);
  if (options.given.has("--model-name") || request.capture_facts.empty()) request.model_name = options.model_name;
  if (options.given.has("--compile-mode") || request.capture_facts.empty()) request.compile_mode = options.compile_mode;
  Session session(report::AnalysisOptions(), io);
  TRY_ASSIGN(report::OperatorReport report, make_manifest(request, session));
  return print_operators(std::move(report), format, io);
}

}  // namespace
}  // namespace command_operators_profile

constinit const Command operators_profile_command =
    make_recording_command<command_operators_profile::Options, command_operators_profile::describe, command_operators_profile::act>(
        "operators profile", "Record a model with Nsight Systems, by operator", "Diagnose");

}  // namespace frx::cli
