// The times of a recording by name: of kernels, of copies and fills, of calls. The same whatever the recording was read from: an export of
// Nsight Systems, or the tables that `nsys stats` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frx::model {

// Everything that has one name. Times are nanoseconds; what the recording does not say is absent.
struct NameTimes {
  std::string name;
  std::uint64_t calls = 0;
  std::optional<double> total_ns, shortest_ns, longest_ns;
  std::optional<std::uint64_t> bytes;  // moved, of copies

  bool operator==(const NameTimes&) const = default;
  std::optional<double> average_ns() const {
    return total_ns && calls > 0 ? std::optional(*total_ns / static_cast<double>(calls)) : std::nullopt;
  }
};

enum class RecordedWork : std::uint8_t { kernels, memory, memory_sizes, cuda_calls, os_calls, ranges, other };

// A table as a profiler printed it, with its rows in their order.
struct TimeTable {
  RecordedWork work = RecordedWork::other;
  std::string report;  // what the profiler calls it: "cuda_gpu_kern_sum", "CUDA API Statistics"; "" where the text does not say
  std::vector<NameTimes> rows;
};

}  // namespace frx::model
