// Divisions of whole numbers by values that are not known before.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "derive/cuda/trace.h"
#include "derive/cuda/value_types.h"

namespace frx::derive::cuda {

// for, while and do; not the range-based for.
bool is_loop_node(NodeKind kind);

// The innermost node of a function around one of its nodes for which `is_it` holds, or none.
template <class IsIt>
std::uint32_t innermost_around(const model::cuda::Syntax& syntax, std::uint32_t node, std::uint32_t function, IsIt&& is_it) {
  for (std::uint32_t p = syntax[node].parent; p != none && p > function; p = syntax[p].parent) {
    if (is_it(p)) return p;
  }
  return none;
}

// The statement itself, or the first one in its braces; none where there is none.
std::uint32_t first_statement(const model::cuda::Syntax& syntax, std::uint32_t statement);

// The innermost loop around a node of a function, or none.
std::uint32_t loop_around(const Source& source, std::uint32_t node, std::uint32_t function);

// Those of one function that a kernel consists of.
class Divisions {
 public:
  Divisions(const Source& source, const ValueTypes& types, const Function& function, bool is_without_loops);

  // Is a node a division of 64 bits, in a loop and of values that differ between iterations, or in a kernel in which each thread does
  // little else?
  bool is_wide_at(std::uint32_t node);

  // `x % size` and `x / size` in a loop, or in what a loop calls, in each iteration of other numbers: how wide is it? 0 for others. A rest
  // is one of whole numbers, whatever their type is called.
  int bits_in_loop(const Trace& trace, const DivisionSite& site) const;

  // Is it asked for the first time? Quotient and remainder of the same operands are one division.
  bool is_new(std::uint32_t node);

 private:
  bool is_of_thread(std::uint32_t operand) const;
  bool changes_in(std::uint32_t node, std::uint32_t loop);

  const Source& source_;
  const ValueTypes& types_;
  std::uint32_t function_;
  bool is_without_loops_;
  std::unordered_set<std::string_view> parameters_;
  std::optional<std::unordered_set<std::string_view>> numbers_;                      // local constants, for few functions divide so
  std::unordered_map<std::uint32_t, std::unordered_set<std::string_view>> changed_;  // by loop
  std::set<std::pair<std::string_view, std::string_view>> seen_;
};

}  // namespace frx::derive::cuda
