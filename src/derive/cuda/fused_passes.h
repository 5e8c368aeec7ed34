// Passes over the same elements that could be one kernel: each thread loads what the same thread of the launch before has just stored.
//
//   scale<<<grid, 256>>>(t, x, a, n);  add<<<grid, 256>>>(y, t, n);      t[i] is stored and loaded again, for nothing
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

// Of which elements of an array, apart from the one of its number, each thread keeps to its own.
struct Ownership {
  enum Kind : std::uint8_t {
    of_block,  // a[blockIdx.x * length + threadIdx.x], and so many blocks of threads further as the row goes
    rows,      // a[i * length + k], i the number of the thread in the grid
    columns,   // a[k * length + i]
    plane,     // a[x * length + y]
  };
  Kind kind = rows;
  // The length: a parameter of the kernel, a variable of the program, or a number.
  std::optional<std::size_t> parameter = {};
  std::string variable = {};
  std::int64_t number = 0;

  bool operator==(const Ownership&) const = default;
};

// How a kernel uses what a parameter points to.
struct ParameterUse {
  bool loads = false, stores = false;
  bool is_elsewhere = false;            // some access is to another element than the one of the number of the thread, or an atomic
  std::uint32_t bytes = 0;              // of an element; 0: they differ, or are unknown
  std::optional<Ownership> owned = {};  // where it is the same for all accesses
  // Of an element, from the first of some bytes to behind the last one: a member of a record.
  std::vector<std::pair<std::int64_t, std::int64_t>> loaded = {}, stored = {};
};

// What threads of a kernel do with the memory that they are given.
struct MemoryUse {
  std::vector<ParameterUse> parameters;
  bool is_known = false;  // all of it: no access is to memory that is not of a parameter
  bool is_pass = false;   // each thread works on its own elements, without shared memory and barriers
};
MemoryUse memory_use(const KernelView& view);

// The kernels of launches that have a previous one, and of these; those that several kernels of one name share have no use.
class FusedPasses {
 public:
  // `launches` must outlive it. `line_of` is asked at once for the line of each launch that has a previous one.
  FusedPasses(const std::vector<model::cuda::Launch>& launches, const std::function<std::string(const model::TextPlace&)>& line_of);

  bool asks_for(std::string_view kernel) const { return asked_.contains(kernel); }
  void add(std::string_view kernel, MemoryUse use);

  // For each sequence of launches that could be one, at the second launch of it.
  struct Found {
    model::CodeSubject subject;
    std::string line;
  };
  std::vector<Found> found() const;

 private:
  const model::cuda::SharedArgument* joined_by(const model::cuda::Launch& launch) const;

  const std::vector<model::cuda::Launch>& launches_;
  std::unordered_set<std::string_view> asked_;
  std::unordered_map<std::string_view, MemoryUse> uses_;
  std::unordered_map<const model::cuda::Launch*, std::string> lines_;
};

}  // namespace frx::derive::cuda
