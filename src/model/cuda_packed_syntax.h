// A syntax tree in four bytes a node or less, for files that nobody looks at just now: a fifth of what it takes at hand.
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

  // The same tree again, in the place of what `into` holds.
  void unpack(Syntax& into) const;
  bool empty() const { return count_ == 0; }

 private:
  std::string bytes_;
  std::vector<std::uint16_t> whats_;  // kinds, roles and whether there are children, by the number that stands for them
  std::uint32_t count_ = 0;
};

}  // namespace frx::model::cuda
