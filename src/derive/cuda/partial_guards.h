// Accesses that a comparison keeps within an array only in part.
//
//   while (i < n) { s += a[i] + a[i + BLOCK]; ... }         the second element of a thread is not compared
//   if (x < w && y < h) t = a[y * w + x]; if (threadIdx.x == 0) u = a[y * w + x - 1];         y is not compared the second time
//   int i = y * w + x; if (i < w * h) a[i] *= 2;         threads with x >= w change elements of the next row once more
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

// What a condition says when it holds: `!(x > w || y > h)` is x <= w and y <= h.
struct Comparison {
  Op op = Op::lt;  // le or ne as well
  ExprId left = 0, right = 0;
};

// The conditions of all threads that make an access.
std::vector<Comparison> comparisons_of(const Trace& trace, const Access& access);

// if (x >= w && y >= h) return; a[y * w + x]: does a condition hold as well where only one of two indices is below its size?
bool lets_either_through(const Trace& trace, const Access& access);

// A parameter that is no number of a last element, by its name.
bool is_size(const Trace& trace, ExprId id);

// A kernel's guards of one array, each looked up for all accesses.
class PartialGuards {
 public:
  explicit PartialGuards(const KernelView& view);

  // Does a thread access several elements behind a comparison of the first one alone?
  bool tests_first_alone(const Access& access) const;
  // Is an element changed behind a comparison of its number alone, made of a row and a column, though there are threads beyond the columns?
  bool changes_next_row(const Access& access) const;
  // Is an index in it compared with a size for other accesses of the same array, and not for this one?
  bool lacks_one_of_others(const Access& access) const;

 private:
  bool may_be_padded(ExprId product) const;

  const KernelView& view_;
  std::vector<std::vector<Comparison>> guards_;                         // by access
  std::vector<std::vector<std::pair<ExprId, std::uint16_t>>> indices_;  // by memory: those that are compared, and the coordinates in them
};

}  // namespace frx::derive::cuda
