// frx gpu measure: energy, power, clocks and memory of the GPUs while a program runs.

#include "capture/gpu/gpu_meter.h"
#include "capture/ncu_command.h"
#include "capture/workload.h"
#include "cli/command.h"
#include "cli/print_answer.h"
#include "compose/gpu_measurement.h"

namespace frx::cli {
namespace command_gpu_measure {
namespace {

struct Options {
  Syntax::Number launches, steps, flops;
  std::vector<std::string> workload;
  std::string by, format = "text";
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Runs the command after --, output passed through live, and measures the GPUs that it may use: energy by NVML's counter, else by "
      "sampled "
      "power with its uncertainty, and idle power in the half second before. What the driver does not tell is n/a. Where no GPU can be "
      "asked, the command runs all the same and a note says why.");
  syntax.option("--launches", "N", options.launches, "kernels that the run launches: energy per launch");
  syntax.option("--steps", "N", options.steps, "steps that the run takes: energy per step");
  syntax.option("--flops", "N", options.flops, "floating-point operations of the run: energy per operation");
  syntax.choice("--by", "SOURCE", options.by, {"counter", "samples"},
                "how energy is found; without it by the counter, else by samples of power");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json,
              "the same as --format json (gpu_measurement_v1); the output of the command then goes to standard error");
  syntax.required_workload(options.workload, "the program to run and its arguments");
  syntax.example("--steps 100 -- python train.py", "energy of a step of training");
  syntax.text("The exit code is that of the command, or 128 + N when signal N ended it.");
  syntax.exit_code(0, "the command ended with 0");
  syntax.exit_code(1, "the command could not be started");
}

std::optional<model::EnergySource> energy_source(const std::string& by) {
  if (by.empty()) return std::nullopt;
  return by == "counter" ? model::EnergySource::counter : model::EnergySource::sampled_power;
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("gpu measure", options.json, options.format));
  capture::WorkloadRequest request;
  request.argv = options.workload;
  if (format != "text") request.out = request.err;
  request.say = [&io](std::string_view line) { io.err.write(fmt::format("{}: {}\n", io.program, line)); };
  io.out.flush();
  capture::GpuMeter meter = capture::GpuMeter::start({.only_by = energy_source(options.by)}, *io.host);
  Result<capture::WorkloadEnd> end = capture::run_workload(request);
  capture::GpuMeasurement measured = meter.stop();
  if (!end) {
    Error error = std::move(end).error();
    error.kind = ErrorKind::negative;  // docs/contract.md, section 1.4
    return Failure{std::move(error)};
  }
  auto report = std::make_shared<report::GpuMeasurementReport>();
  report->command = capture::shell_line(options.workload);
  report->exit_code = end->code();
  report->seconds = std::chrono::duration<double>(end->took).count();
  report->launches = options.launches, report->steps = options.steps, report->flops = options.flops;
  report->gpus = std::move(measured.gpus);
  report->notes = std::move(measured.warnings);
  report->notes.insert(report->notes.end(), end->notes.begin(), end->notes.end());
  TRY(print_answer(io, compose::answer_of(std::shared_ptr<const report::GpuMeasurementReport>(std::move(report))), format));
  return end->code();
}

}  // namespace
}  // namespace command_gpu_measure

constinit const Command gpu_measure_command =
    make_recording_command<command_gpu_measure::Options, command_gpu_measure::describe, command_gpu_measure::act>(
        "gpu measure", "Measure energy, power and clocks of the GPUs while a program runs", "Measure");

}  // namespace frx::cli
