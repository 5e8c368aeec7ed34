// What the headers of some source say of its macros: those in the folders that were given, and those of the build.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyse/inputs.h"
#include "analyse/options.h"
#include "base/result.h"
#include "ingest/cuda/headers.h"
#include "ingest/cuda/preprocessor.h"

namespace frx::analyse {

class SourceHeaders {
 public:
  // Fails when a file of compile commands that was named cannot be read.
  static Result<SourceHeaders> of(std::span<const Input> inputs, const BuildOptions& build);

  // The other files that these inputs include and of which device code may use functions, types or constants.
  std::vector<std::string> used_by_device_code(std::span<const std::string> paths) const {
    return headers_ ? headers_->used_by_device_code(paths) : std::vector<std::string>();
  }
  // What includes what; null where no source is a file.
  const ingest::cuda::Headers* includes() const { return headers_.get(); }
  // Of one of these inputs, or of such a file; may outlive nothing that this object holds.
  ingest::cuda::Surroundings around(const std::string& path) const;

 private:
  std::shared_ptr<const ingest::cuda::Headers> headers_;  // null as includes()
  std::vector<std::string> definitions_;
};

// The folders of -I and -isystem in a compile_commands.json, each once.
std::vector<std::string> include_folders_in(std::string_view compile_commands);

}  // namespace frx::analyse
