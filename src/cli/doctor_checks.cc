#include "cli/doctor_checks.h"

#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/gpu/gpu_sampler.h"
#include "capture/ncu_command.h"
#include "ingest/profile.h"
#include "knowledge/presets.h"

namespace frx::cli {
namespace {

using Status = Check::Status;
using capture::Environment;
using capture::Place;
using capture::Tool;

Check python(const Environment& environment) {
  const Tool& tool = environment.python.interpreter;
  if (!tool.found()) return {Status::skip, "Python", "not found; only PyTorch workloads need it", {}};
  if (tool.version.empty()) {
    return {Status::warn, "Python", tool.path + ": " + tool.trouble, {"repair it, or put a working python3 first on PATH"}};
  }
  return {Status::ok, "Python", fmt::format("{} ({})", tool.version, tool.path), {}};
}

Check torch(const Environment& environment) {
  const capture::Python& python = environment.python;
  if (!python.torch.empty()) return {Status::ok, "torch", python.torch, {}};
  if (!python.interpreter.found()) return {Status::skip, "torch", "no Python", {}};
  return {Status::warn,
          "torch",
          python.trouble.empty() ? "not importable" : python.trouble,
          {"only collecting from PyTorch programs needs it: pip install torch, or activate the environment that has it"}};
}

Check cuda_available(const Environment& environment) {
  const capture::Python& python = environment.python;
  if (python.torch.empty()) return {Status::skip, "CUDA available", "asked through torch, which is missing", {}};
  if (python.cuda_devices > 0) {
    return {Status::ok, "CUDA available", fmt::format("{} x{}", python.cuda_device_name, python.cuda_devices), {}};
  }
  const bool cpu_build = python.torch.find("+cpu") != python.torch.npos;
  return {Status::warn,
          "CUDA available",
          "torch sees no CUDA device",
          {cpu_build ? "this torch is a CPU build: install a CUDA one (https://pytorch.org/get-started)"
                     : "check driver and CUDA_VISIBLE_DEVICES; in a container start it with --gpus all"}};
}

std::string no_driver_remedy(Place place) {
  switch (place) {
    case Place::container: return "start the container with --gpus all and the NVIDIA container toolkit";
    case Place::wsl2: return "install the NVIDIA driver on Windows, not inside WSL";
    case Place::bare_metal: return "install the NVIDIA driver, if this machine has an NVIDIA GPU";
  }
  return {};
}

Check nvidia_smi(const Environment& environment) {
  if (!environment.nvidia_smi.found()) {
    return {Status::warn, "nvidia-smi", "not found", {no_driver_remedy(environment.permission.place)}};
  }
  if (!environment.gpu_trouble.empty()) {
    return {Status::warn, "nvidia-smi", environment.gpu_trouble, {no_driver_remedy(environment.permission.place)}};
  }
  return {Status::ok, "nvidia-smi", environment.nvidia_smi.path, {}};
}

Check driver(const Environment& environment) {
  if (!environment.driver.empty()) return {Status::ok, "driver", environment.driver, {}};
  return {Status::skip, "driver", environment.device_nodes ? "version unknown" : "no NVIDIA driver on this machine", {}};
}

Check gpu(const capture::Gpu& gpu) {
  std::string detail = gpu.name;
  if (!gpu.compute_capability.empty()) detail += ", compute capability " + gpu.compute_capability;
  if (!gpu.memory_mib.empty()) detail += ", " + gpu.memory_mib + " MiB";
  return {Status::ok, fmt::format("GPU {}", gpu.index), std::move(detail), {}};
}

Check tool(std::string_view label, const Tool& tool, std::string purpose, std::string remedy) {
  if (!tool.found()) return {Status::warn, std::string(label), "not found; " + purpose, {std::move(remedy)}};
  if (!tool.trouble.empty()) {
    return {Status::warn, std::string(label), tool.trouble, {"does it start by hand? " + tool.path + " --version"}};
  }
  return {Status::ok, std::string(label), tool.version.empty() ? tool.path : fmt::format("{} ({})", tool.version, tool.path), {}};
}

Check counter_permission(const Environment& environment) {
  const capture::CounterPermission& permission = environment.permission;
  constexpr const char* label = "counter permission";
  const std::optional<bool> allowed = permission.allowed();
  if (allowed == true) {
    return {Status::ok, label, *permission.admin_only ? "administrators only, and this process is one" : "everyone may read counters", {}};
  }
  if (allowed == false) return {Status::warn, label, permission_cause(permission), permission_remedy(permission)};
  if (permission.place == Place::wsl2) return {Status::skip, label, "set on the Windows side, cannot be read from here", {}};
  return {Status::skip, label, environment.driver.empty() ? "no NVIDIA driver" : "the driver does not say", {}};
}

// One launch as ncu writes it, made up for this check.
constexpr std::string_view sample =
    "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
    "\"0\",\"self_check\",\"gpu__time_duration.sum\",\"us\",\"2.5\"\n";

Result<std::string> engine_facts() {
  const knowledge::Library library = knowledge::Library::builtin();
  TRY_ASSIGN(const knowledge::MetricCatalogue metrics, knowledge::MetricCatalogue::load(library));
  TRY_ASSIGN(const std::vector<knowledge::Preset> presets, knowledge::load_presets(library, metrics));
  const std::unique_ptr<ByteSource> source = open_bytes(sample);
  TRY_ASSIGN(const model::Session session, ingest::read_profile("self-check", *source, metrics));
  if (session.launches != 1) {
    return fail(ErrorKind::malformed, "the self-check has one launch, {} were read", session.launches);
  }
  return fmt::format("{} metrics, {} presets, {} GPU families", metrics.size(), presets.size(), library.folder("gpus").size());
}

// Can a program be started, and is there disk space for its profile?
Result<> try_collecting(const capture::Host& host) {
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  capture::ChildCommand child;
  child.argv = {"/bin/sh", "-c", "exit 7"};
  child.directory = folder.path();
  child.time_limit = std::chrono::seconds(5);
  TRY_ASSIGN(const capture::Exit exit, host.run(child));
  if (exit.status != 7) return fail(ErrorKind::environment, "a child process gave {} instead of exit code 7", describe(exit));
  return {};
}

}  // namespace

std::string_view word(Status status) {
  switch (status) {
    case Status::ok: return "OK";
    case Status::warn: return "WARN";
    case Status::fail: return "FAIL";
    case Status::skip: return "SKIP";
  }
  return {};
}

std::vector<Check> machine_checks(const Environment& environment) {
  std::vector<Check> checks = {python(environment), torch(environment), cuda_available(environment), nvidia_smi(environment),
                               driver(environment)};
  for (const capture::Gpu& one : environment.gpus) checks.push_back(gpu(one));
  checks.push_back(tool("ncu", environment.ncu, "profiling kernels needs it",
                        "install Nsight Compute (package nsight-compute, or the CUDA toolkit) and put ncu on PATH"));
  checks.push_back(tool("nsys", environment.nsys, "recording timelines needs it",
                        "install Nsight Systems (package nsight-systems) and put nsys on PATH"));
  checks.push_back(
      tool("nvcc", environment.nvcc, "compiling CUDA source needs it", "install the CUDA toolkit, or set CUDA_HOME to where it is"));
  checks.push_back(counter_permission(environment));
  return checks;
}

Check sampling_check(const capture::Host& host, const Environment& environment) {
  constexpr const char* label = "GPU sampling";
  const bool has_driver = environment.device_nodes || !environment.driver.empty() || host.variable("FRX_NVML_LIBRARY");
  if (!has_driver) return {Status::skip, label, "no NVIDIA driver", {}};
  const Result<std::unique_ptr<capture::GpuSource>> source = capture::open_gpu_source(host, std::chrono::seconds(1));
  if (!source) {
    return {Status::warn,
            label,
            source.error().message,
            {"runs are collected without GPU samples; FRX_NVML_LIBRARY=FILE names libnvidia-ml.so.1 when it lies elsewhere"}};
  }
  const std::size_t gpus = (*source)->gpus().size();
  return {Status::ok, label, fmt::format("{}, {} GPU{}", (*source)->name(), gpus, gpus == 1 ? "" : "s"), {}};
}

Check collector_check(const capture::Host& host) {
  if (const Result<> tried = try_collecting(host); !tried) {
    const std::string hint = tried.error().hint.empty() ? "profiles made elsewhere can still be analysed" : tried.error().hint;
    return {Status::warn, "fournex.profiler", tried.error().message, {hint}};
  }
  return {Status::ok, "fournex.profiler", "can start programs and keep their profiles", {}};
}

Check engine_check() {
  Result<std::string> facts = engine_facts();
  if (facts) return {Status::ok, "fournex.analysis", std::move(*facts), {}};
  return {Status::fail,
          "fournex.analysis",
          facts.error().where + ": " + facts.error().message,
          {"this build is broken: install it again, or report it with the line above"}};
}

}  // namespace frx::cli
