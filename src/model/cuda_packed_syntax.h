// A syntax tree in at most four bytes a node, for files that are not in use: a fifth of the unpacked size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cuda_syntax.h"

namespace frx::model::cuda {

class PackedSyntax {
 public:
  PackedSyntax() = default;
  explicit PackedSyntax(const Syntax& syntax);

  // Restores the tree, replacing the content of `into`.
  void unpack(Syntax& into) const;
  bool empty() const { return count_ == 0; }

 private:
  std::string bytes_;
  std::vector<std::uint16_t> whats_;  // kinds, roles and whether there are children, by the number that stands for them
  std::uint32_t count_ = 0;
};

}  // namespace frx::model::cuda
