// The grammar of tree-sitter, which reads any text: a whole file, or the parts of one that our parser declines.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "ingest/cuda/postorder.h"
#include "model/cuda_syntax.h"

namespace frx::ingest::cuda {

// What a declaration is read in: it decides what some of them mean.
enum class Within : std::uint8_t { file, scope, record };

class Grammar {
 public:
  // One for a file: all of its parts together are bounded by a multiple of the size of `text`, which must outlive this.
  explicit Grammar(std::string_view text);
  ~Grammar();
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  // Appends the tree of the whole text to `into`. All bytes are moved by `offset`; places that do not parse are added to `errors`.
  Result<> read(std::uint32_t offset, model::cuda::Syntax& into, std::uint32_t& errors);

  // Appends the declarations in bytes [begin, end) to `out`; false beyond the limit.
  bool read_part(std::uint32_t begin, std::uint32_t end, Within within, Postorder& out, std::uint32_t& errors);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frx::ingest::cuda
