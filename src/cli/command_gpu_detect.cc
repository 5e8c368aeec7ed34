// frx gpu detect: the GPUs of this machine, and what is known of them.

#include "capture/gpu/gpu_detection.h"
#include "cli/command.h"
#include "cli/gpu_commands.h"
#include "cli/print_answer.h"
#include "compose/gpu_answers.h"

namespace frx::cli {
namespace command_gpu_detect {
namespace {

void describe(Syntax& syntax, GpuOptions& options) {
  syntax.text(
      "Asks the driver (NVML and the CUDA driver, else nvidia-smi) which GPUs there are, and shows what is known of each: the driver's own "
      "numbers first, peaks of the data sheet where the product is known. No GPU is assumed.");
  describe_gpu_options(syntax, options, "gpu_detection_v1");
  syntax.exit_code(0, "every GPU that was found is known");
  syntax.exit_code(1, "--data cannot be read");
  syntax.exit_code(3, "no GPU was found, or the product of one is not known");
}

Result<int> act(const GpuOptions& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("gpu detect", options.json, options.format));
  TRY_ASSIGN(const knowledge::Library library, gpu_library(options));
  TRY_ASSIGN(const knowledge::GpuCatalogue gpus, load_gpus(library, options));
  TRY_ASSIGN(capture::GpuDetection found, capture::detect_gpus(*io.host));
  report::GpusHere here = report::recognise(gpus, std::move(found.gpus), std::move(found.notes));
  const bool known = all_known(here);
  if (!known) here.notes.emplace_back("frx gpu list has the GPUs that are known; --data DIR adds one (docs/gpus.md)");
  TRY(print_answer(io, compose::answer_of(std::make_shared<const report::GpusHere>(std::move(here))), format));
  return known ? 0 : exit_code(ErrorKind::not_enough);
}

}  // namespace
}  // namespace command_gpu_detect

constinit const Command gpu_detect_command = make_command<GpuOptions, command_gpu_detect::describe, command_gpu_detect::act>(
    "gpu detect", "Find the GPUs of this machine and say what is known of them", "Set up");

}  // namespace frx::cli
