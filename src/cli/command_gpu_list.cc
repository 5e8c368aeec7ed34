// frx gpu list: the GPUs that are known, with their dense peaks.

#include "cli/command.h"
#include "cli/gpu_commands.h"
#include "cli/print_answer.h"
#include "compose/gpu_answers.h"

namespace frx::cli {
namespace command_gpu_list {
namespace {

void describe(Syntax& syntax, GpuOptions& options) {
  syntax.text("Lists the products whose peaks are known. Peaks are dense; each product is one entry, and no family is one.");
  describe_gpu_options(syntax, options, "gpu_list_v1");
  syntax.exit_code(0, "the list was printed");
  syntax.exit_code(1, "--data cannot be read");
}

Result<int> act(const GpuOptions& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("gpu list", options.json, options.format));
  TRY_ASSIGN(const knowledge::Library library, gpu_library(options));
  TRY_ASSIGN(const knowledge::GpuCatalogue gpus, load_gpus(library, options));
  TRY(print_answer(io, compose::answer_of(std::make_shared<const report::GpuList>(report::list_gpus(gpus))), format));
  return 0;
}

}  // namespace
}  // namespace command_gpu_list

constinit const Command gpu_list_command =
    make_command<GpuOptions, command_gpu_list::describe, command_gpu_list::act>("gpu list", "List the GPUs that are known", "Set up");

}  // namespace frx::cli
