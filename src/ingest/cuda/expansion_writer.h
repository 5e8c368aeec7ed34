// Writes the text of a file with parts of it replaced, and where each byte of that comes from.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/cuda/macro_body.h"
#include "model/cuda_source.h"

namespace frx::ingest::cuda {

struct ExpandedText {
  std::string text;
  std::vector<model::cuda::Origin> origins;
  std::vector<model::cuda::Unroll> unrolls;  // of _Pragma("unroll"), by the byte of the file where they are
};

class ExpansionWriter {
 public:
  explicit ExpansionWriter(std::string_view text) : text_(text) {}

  // The bytes [begin, end) of the file become these tokens; behind what was replaced before.
  void replace(std::uint32_t begin, std::uint32_t end, const MacroTokens& made);
  bool has_changes() const { return has_changes_; }
  // With the rest of the file.
  ExpandedText finish() &&;

 private:
  void copy_file_until(std::uint32_t end);
  std::uint32_t size() const { return static_cast<std::uint32_t>(out_.text.size()); }
  void add_origin(model::cuda::Origin origin);
  void separate(char next, FileRange range);
  void add_blank(FileRange range);
  void write(const MacroTokens& made, FileRange whole);

  std::string_view text_;
  ExpandedText out_;
  std::uint32_t copied_ = 0;  // of the file
  bool has_changes_ = false;
};

}  // namespace frx::ingest::cuda
