#include "capture/operator_tools.h"

#include <algorithm>

#include "base/text.h"

namespace frx::capture {
namespace {

constexpr std::chrono::hours longest_run{1};
constexpr std::string_view contract = "get_model_and_input";

// Characters that have a meaning in filters of ranges.
std::string escaped_range(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (std::string_view("@,[]/*+\\\"").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Result<std::string> find_tool(const std::string& called, std::string_view what, std::string_view how, const Host& host) {
  if (std::optional<std::string> found = host.program(called)) return std::move(*found);
  return fail(ErrorKind::environment, "{} ('{}') was not found", what, called).hint(std::string(how));
}

}  // namespace

bool has_workload_contract(std::string_view source) {
  for (std::string_view line : split(source, '\n')) {
    if (line.starts_with("def ") && trim(line.substr(4)).starts_with(contract)) return true;
    if (line.starts_with(contract) && trim(line.substr(contract.size())).starts_with('=')) return true;
    if (line.starts_with("from ") && line.find(" import ") != line.npos && line.find(contract) != line.npos) return true;
  }
  return false;
}

std::vector<std::string> workload_command(const OperatorWorkload& workload, bool is_correlation_pass) {
  std::vector<std::string> argv = {workload.python};
  if (!workload.has_contract) {
    argv.push_back(workload.script);
    argv.insert(argv.end(), workload.arguments.begin(), workload.arguments.end());
    return argv;
  }
  for (std::string word : {std::string("-m"), std::string("fournex.operators.run_workload"), std::string("--workload"), workload.script,
                           std::string("--warmup-iters"), std::to_string(workload.warmup_iterations), std::string("--measure-iters"),
                           std::to_string(workload.measured_iterations), std::string("--output-prefix"), workload.prefix})
    argv.push_back(std::move(word));
  if (!workload.backend.empty()) argv.insert(argv.end(), {"--compile-backend", workload.backend});
  if (!workload.inductor_folder.empty()) argv.insert(argv.end(), {"--inductor-debug-dir", workload.inductor_folder});
  if (workload.leaves_clocks) argv.emplace_back("--no-lock-clocks");
  if (is_correlation_pass) argv.emplace_back("--correlation-pass");
  return argv;
}

std::vector<std::string> nsys_command(const std::string& nsys, const std::string& output, const OperatorWorkload& workload) {
  std::vector<std::string> argv = {nsys, "profile", "--trace=cuda,nvtx", "--cuda-graph-trace=node"};
  if (workload.has_contract) argv.insert(argv.end(), {"--capture-range=cudaProfilerApi", "--capture-range-end=stop"});
  argv.insert(argv.end(), {"--output", output, "--force-overwrite", "true"});
  const std::vector<std::string> program = workload_command(workload);
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

std::vector<std::string> ncu_replay_command(const NcuReplay& replay) {
  std::vector<std::string> argv;
  if (replay.with_sudo) {
    argv = {"sudo", "-E", "env"};
    for (const auto& [name, value] : replay.environment) argv.push_back(fmt::format("{}={}", name, value));
  }
  argv.push_back(replay.ncu);
  if (replay.workload.has_contract) argv.insert(argv.end(), {"--profile-from-start", "off"});
  if (replay.replays_kernels) argv.insert(argv.end(), {"--replay-mode", "kernel"});
  if (!replay.replays_kernels)
    argv.insert(argv.end(), {"--replay-mode", "application", "--app-replay-match", "name", "--app-replay-mode", "relaxed"});
  argv.insert(argv.end(), {"--clock-control", "none", "--target-processes", "application-only"});
  if (!replay.left_out.empty()) argv.emplace_back("--nvtx");
  for (const std::string& range : replay.left_out) argv.insert(argv.end(), {"--nvtx-exclude", escaped_range(range) + "/"});
  argv.insert(argv.end(), {"--metrics", join(replay.counters, ","), "--export", replay.report, "--force-overwrite"});
  const std::vector<std::string> program = workload_command(replay.workload);
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

std::vector<std::string> counters_known_to(const std::string& ncu, const Host& host) {
  ChildCommand command;
  command.argv = {ncu, "--query-metrics"};
  command.time_limit = std::chrono::minutes(2);
  command.keep_limit = std::size_t{4} << 20;
  const Result<Exit> exit = host.run(command);
  std::vector<std::string> names;
  if (!exit || !exit->ok()) return names;
  for (const std::string_view line : split(exit->out, '\n')) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    if (word.find("__") != word.npos) names.emplace_back(word);
  }
  std::ranges::sort(names);
  return names;
}

Result<> run_tool(std::string_view what, const std::vector<std::string>& argv, const Host& host,
                  const std::vector<std::pair<std::string, std::string>>& environment) {
  ChildCommand command;
  command.argv = argv;
  command.environment = environment;
  command.input = Input::inherit;
  command.out = Output::to_stderr;
  command.err = Output::inherit;
  command.time_limit = longest_run;
  TRY_ASSIGN(const Exit exit, host.run(command));
  if (exit.interrupted_by != 0) return fail(ErrorKind::negative, "{} was stopped by a signal", what);
  if (!exit.ok())
    return fail(ErrorKind::environment, "{} ended with {}", what, describe(exit, longest_run)).hint("its own message, if any, is above");
  return {};
}

Result<std::string> find_nsys(const std::string& called, const Host& host) {
  return find_tool(called, "Nsight Systems", "install package nsight-systems, or name it: --nsys-executable PATH", host);
}

Result<std::string> find_ncu_called(const std::string& called, const Host& host) {
  return find_tool(called, "Nsight Compute",
                   "install package nsight-compute, name it (--ncu-executable PATH), or give a report that was made elsewhere: --ncu FILE",
                   host);
}

Result<std::pair<std::string, std::string>> both(Result<std::string> first, Result<std::string> second) {
  if (first && second) return std::pair(std::move(*first), std::move(*second));
  if (first) return Failure{std::move(second).error()};
  if (second) return Failure{std::move(first).error()};
  return fail(ErrorKind::environment, "{}; {}", first.error().message, second.error().message)
      .hint(first.error().hint + "; " + second.error().hint);
}

Result<std::string> find_python(bool needs_torch, const Host& host) {
  std::optional<std::string> python = host.program("python");
  if (!python) python = host.program("python3");
  if (!python)
    return fail(ErrorKind::environment, "python was not found").hint("activate the environment of the model, or put python on PATH");
  if (!needs_torch) return std::move(*python);
  for (const auto& [module, how] : {std::pair("torch", "install PyTorch into the environment of this python"),
                                    std::pair("fournex.operators", "pip install fournex, into the environment of this python")}) {
    ChildCommand command;
    command.argv = {*python, "-c", fmt::format("import {}", module)};
    command.time_limit = std::chrono::minutes(2);
    TRY_ASSIGN(const Exit exit, host.run(command));
    if (!exit.ok()) return fail(ErrorKind::environment, "{} cannot import {}", *python, module).hint(how);
  }
  return std::move(*python);
}

}  // namespace frx::capture
