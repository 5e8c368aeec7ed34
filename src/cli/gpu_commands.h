// What the commands of frx gpu share: the catalogue, and how the answer is printed.
#pragma once

#include <string>

#include "cli/syntax.h"
#include "knowledge/gpus.h"

namespace frx::cli {

struct GpuOptions {
  std::string data_directory;
  std::string format = "text";
  bool json = false;
};
// --data, --format, --json; `schema` of the JSON.
void describe_gpu_options(Syntax& syntax, GpuOptions& options, std::string_view schema);

// The built-in GPUs with those of --data over them, which are checked.
Result<knowledge::GpuCatalogue> load_gpus(const knowledge::Library& library, const GpuOptions& options);
Result<knowledge::Library> gpu_library(const GpuOptions& options);

}  // namespace frx::cli
