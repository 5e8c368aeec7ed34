// Which inputs of operators are one tensor, by an execution trace that was recorded beside the trace.
//
// Two inputs are one tensor where they lie in the same memory at the same place and nothing wrote to it, freed it or made it anew between
// the two calls. Memory that another stream or the host writes is not seen.
#pragma once

#include <cstdint>
#include <optional>

#include "derive/layout/layout_trace.h"
#include "model/execution_trace.h"

namespace frx::derive::layout {

class TensorIdentities {
 public:
  // Both outlive it. Linear in the operators.
  TensorIdentities(const LayoutTrace& trace, const model::ExecutionTrace& execution);

  // Operators of steady steps with inputs, and those of them that the execution trace has.
  std::uint64_t asked() const { return asked_; }
  std::uint64_t known() const { return known_; }
  // Of an argument of an operator, from 0; nothing where the execution trace does not have it.
  std::optional<model::TensorIdentity> input(std::uint32_t node, std::uint32_t index) const;
  // Does memory that two operators take hold the same content for both? Of operators whose inputs are known.
  bool is_unchanged(std::uint64_t storage, std::uint32_t one, std::uint32_t other) const;

 private:
  const model::ExecutionTrace& execution_;
  std::vector<std::uint32_t> call_of_;  // by node; 0: none
  std::uint64_t asked_ = 0, known_ = 0;
};

}  // namespace frx::derive::layout
