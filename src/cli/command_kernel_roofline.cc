// frx kernel roofline: peaks, bandwidth and ridge points of a GPU, and the kernels that were profiled on it.

#include "analyse/context.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/kernel_files.h"
#include "cli/operator_commands.h"
#include "cli/print_answer.h"
#include "compose/kernel_answers.h"
#include "report/kernels/roofline_position.h"

namespace frx::cli {
namespace command_kernel_roofline {
namespace {

struct Options {
  std::string target = "cuda", gpu_model, export_to;
  std::vector<std::string> kernels;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Prints what a GPU can do at best: dense peaks by precision, bandwidth, and the ridge points between the two, each with its source. "
      "Of the GPU of this machine where none is named; there is no default.");
  syntax.option("--target", "TARGET", options.target, "cuda; frx measures no others");
  syntax.option("--gpu-model", "NAME", options.gpu_model, "the GPU, such as h100, instead of the one of this machine");
  syntax.option("--kernels", "FILE", options.kernels, "place the kernel of this profile, too; may be given again");
  syntax.option("--export", "FILE", options.export_to, "write the same as JSON (gpu_roofline_v1)");
  syntax.flag("--json", options.json, "print JSON (gpu_roofline_v1)");
  syntax.example("--gpu-model h100 --kernels gemm.json", "how far from its roof is it?");
  syntax.exit_code(0, "the roofline was printed");
  syntax.exit_code(1, "a file cannot be read");
  syntax.exit_code(3, "the peaks of the GPU are not known");
  syntax.exit_code(4, "no GPU is named, and this machine has none");
}

Result<std::string> gpu_of(const Options& options, const Io& io) {
  if (!options.gpu_model.empty()) return options.gpu_model;
  const capture::GpuMeasurement gpus = present_gpus(io);
  if (gpus.gpus.empty())
    return fail(ErrorKind::environment, "no GPU is named, and none answers on this machine")
        .hint("--gpu-model NAME: frx gpu list has the names");
  std::string name = gpu_called(gpus);
  if (name.empty()) return fail(ErrorKind::not_enough, "this machine has GPUs of different names").hint("--gpu-model NAME chooses one");
  return name;
}

Result<int> act(const Options& options, Io& io) {
  if (options.target != "cuda")
    return fail(ErrorKind::usage, "--target: expected cuda, found '{}'", printable(options.target))
        .hint("frx measures GPUs of NVIDIA; for CPUs, likwid-bench or Intel Advisor measure a roofline");
  report::AnalysisOptions analysis;
  Session session(analysis, io);
  TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
  TRY_ASSIGN(const std::string gpu, gpu_of(options, io));
  TRY_ASSIGN(const derive::Device device, report::device_called(gpu, *known));
  TRY_ASSIGN(report::GpuRoofline made, report::gpu_roofline_of(device));
  for (const std::string& file : options.kernels) {
    TRY_ASSIGN(const model::FullProfile profile, read_profile_file(file));
    report::place_kernel(file, profile, made);
  }
  const auto roofline = std::make_shared<const report::GpuRoofline>(std::move(made));
  const answer::Answer answer = compose::answer_of(roofline);
  if (!options.export_to.empty()) TRY(write_json_file(options.export_to, answer.payload));
  TRY(print_answer(io, answer, options.json ? "json" : "text"));
  return 0;
}

}  // namespace
}  // namespace command_kernel_roofline

constinit const Command kernel_roofline_command =
    make_command<command_kernel_roofline::Options, command_kernel_roofline::describe, command_kernel_roofline::act>(
        "kernel roofline", "Print the peaks and ridge points of a GPU", "Diagnose");

}  // namespace frx::cli
