#include "cli/gpu_commands.h"

#include "cli/print_answer.h"

namespace frx::cli {

void describe_gpu_options(Syntax& syntax, GpuOptions& options, std::string_view schema) {
  syntax.option("--data", "DIR", options.data_directory, "YAML files laid over the built-in GPUs: DIR/gpus/NAME.yaml");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, fmt::format("the same as --format json ({})", schema));
}

Result<knowledge::Library> gpu_library(const GpuOptions& options) {
  if (options.data_directory.empty()) return knowledge::Library::builtin();
  return knowledge::Library::with_overrides(options.data_directory);
}

Result<knowledge::GpuCatalogue> load_gpus(const knowledge::Library& library, const GpuOptions& options) {
  TRY_ASSIGN(knowledge::GpuCatalogue gpus, knowledge::GpuCatalogue::load(library));
  if (!options.data_directory.empty()) TRY(gpus.check());
  return gpus;
}

}  // namespace frx::cli
