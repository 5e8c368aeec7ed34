// frx gpu show: what is known of a GPU, number by number, with where each is from.

#include "cli/command.h"
#include "cli/gpu_commands.h"
#include "cli/print_answer.h"
#include "compose/gpu_answers.h"

namespace frx::cli {
namespace command_gpu_show {
namespace {

struct Options {
  std::string name;
  GpuOptions shared;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Shows peaks, memory, clocks and limits of a GPU. Peaks are dense; those with 2:4 sparsity stand apart. A name that fits several "
      "products "
      "is answered with these products and what they have in common, and none is chosen. A compute capability such as sm_90 has limits and "
      "no "
      "peaks.");
  syntax.required_argument("NAME", options.name,
                           "as nvidia-smi prints it, an id of frx gpu list, or a compute capability: 'RTX 4090', sm_86");
  describe_gpu_options(syntax, options.shared, "gpu_v1");
  syntax.example("'NVIDIA H100 PCIe'", "the numbers of one product");
  syntax.example("h100", "the products of that name");
  syntax.exit_code(0, "the GPU was shown");
  syntax.exit_code(1, "--data cannot be read");
  syntax.exit_code(3, "the GPU is not known, or the name fits several products");
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("gpu show", options.shared.json, options.shared.format));
  TRY_ASSIGN(const knowledge::Library library, gpu_library(options.shared));
  TRY_ASSIGN(const knowledge::GpuCatalogue gpus, load_gpus(library, options.shared));
  TRY_ASSIGN(report::GpuLookup lookup, report::look_up_gpu(gpus, options.name));
  const bool is_one = lookup.sheet.has_value();
  TRY(print_answer(io, compose::answer_of(std::make_shared<const report::GpuLookup>(std::move(lookup))), format));
  return is_one ? 0 : exit_code(ErrorKind::not_enough);
}

}  // namespace
}  // namespace command_gpu_show

constinit const Command gpu_show_command = make_command<command_gpu_show::Options, command_gpu_show::describe, command_gpu_show::act>(
    "gpu show", "Show the peaks and limits of a GPU, and their sources", "Set up");

}  // namespace frx::cli
