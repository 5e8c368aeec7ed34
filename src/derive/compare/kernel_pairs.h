// Which kernel of one side corresponds to which of the other.
//
// By name; those of one name in their order. When a single kernel is left over on each side, it has been given another name
// and is the same work. When several are left over, it is unknown which is which, or whether one was
// split in two: they are compared as a whole. A kernel that exists on one side only is not compared.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace frx::derive::compare {

// Kernels by their index; both lists have one entry, unless several are compared as a whole or one list is empty.
struct KernelPair {
  std::vector<std::size_t> first, second;

  bool is_on_both_sides() const { return !first.empty() && !second.empty(); }
};

// Each kernel is in exactly one pair. Exchanging the sides exchanges `first` and `second` of each pair.
// O((n + m) log(n + m)).
std::vector<KernelPair> pair_up(std::span<const std::string> first, std::span<const std::string> second);

}  // namespace frx::derive::compare
