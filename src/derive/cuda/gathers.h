// Elements that each lane of a warp reaches where data say: x[columns[k]], table[hash(key) % size].
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

// An element of each lane that global memory says, in a sector of its own perhaps. Where all lanes read one index, they lie side by side
// behind it; an index that was found through another one is a kind of object mostly, and the table of kinds is small.
class Gathers {
 public:
  explicit Gathers(const KernelView& view);

  // An access to global memory that is not spread evenly, by its number in the trace.
  void consider(std::size_t access);

  // Of those considered; one in a loop comes first, if there is any, as what the kernel does worst.
  const std::vector<std::size_t>& found() const { return found_; }

 private:
  using Loads = std::map<std::pair<std::uint32_t, ExprId>, bool>;  // from global memory, by memory and address: the same for a warp?

  const Loads& loads();
  bool has_index(const Access& access);
  bool is_in_chosen_row(ExprId address);
  bool is_scaled_by_lane(const Expr& x);
  bool is_of_rows(ExprId step) const;
  bool holds(ExprId root, ExprId wanted) const;
  bool repeats_with(ExprId index, ExprId step) const;
  std::optional<ExprId> first_slot(ExprId id) const;
  bool has_few_values(const Expr& x) const;
  bool is_own_index(ExprId load);
  bool is_walked(ExprId index, ExprId start) const;
  bool is_same_for_warp(ExprId load);

  const KernelView& view_;
  const Expressions& e_;
  std::optional<Loads> same_for_warp_;
  std::vector<std::size_t> found_;
  bool first_is_repeated_ = false;
};

}  // namespace frx::derive::cuda
