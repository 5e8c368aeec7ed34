// One answer of nvidia-smi --query-gpu: a row per GPU, by the names of its fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/host.h"

namespace frx::capture {

class NvidiaSmiTable {
 public:
  std::size_t size() const { return rows_.size(); }
  // "" where the GPU or the driver does not tell: "[N/A]", "[Not Supported]", "[Unknown Error]", or a field that the driver does not know.
  std::string_view text(std::size_t row, std::string_view field) const;
  std::optional<double> number(std::size_t row, std::string_view field) const;
  std::optional<unsigned> whole(std::size_t row, std::string_view field) const;
  const std::vector<std::string>& unknown_fields() const { return unknown_; }

 private:
  friend Result<NvidiaSmiTable> query_nvidia_smi(const Host& host, const std::string& path, std::vector<std::string> fields);

  std::vector<std::string> fields_, unknown_;
  std::vector<std::vector<std::string>> rows_;  // printable, as wide as fields_
};

// Waits five seconds at most. A field that an old driver does not know is left out and asked no more. Fails with what nvidia-smi says
// instead of a table.
Result<NvidiaSmiTable> query_nvidia_smi(const Host& host, const std::string& path, std::vector<std::string> fields);

}  // namespace frx::capture
