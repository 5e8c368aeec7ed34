// Bandwidths that a trace shows: of copies, from their bytes, and of collectives, from their messages and the number of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "derive/trace/attribution.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// Copies of one kind: "Memcpy HtoD (Pinned -> Device)".
struct CopyRate {
  std::string name;
  std::uint64_t count = 0, bytes = 0;  // of copies whose bytes are known
  std::int64_t ns = 0;
  std::uint64_t without_bytes = 0;  // copies
  // Of the largest copy: small ones take a time of their own, whatever their bytes.
  std::uint64_t largest_bytes = 0;
  std::int64_t largest_ns = 0;
};
// Bytes per nanosecond; absent where there is no time.
std::optional<double> gigabytes_per_second(std::uint64_t bytes, std::int64_t ns);

// Of the memory that is copied: by time.
std::vector<CopyRate> copy_rates(const model::Timeline& timeline, const Attribution& attribution, std::int64_t rank);

// Calls of one collective with messages of one size in groups of one size.
struct CollectiveRate {
  std::string name, type;  // "allreduce", "Float", as the file has them
  std::uint64_t ranks = 0;
  std::uint64_t bytes = 0;  // of the message: what each rank has in the end, or began with where that is more
  std::uint64_t calls = 0;
  std::int64_t ns = 0, shortest_ns = INT64_MAX;
  double factor = 0;  // of the bytes, what crosses the links of each rank
};

struct CollectiveRates {
  std::vector<CollectiveRate> rates;  // by time
  std::uint64_t without_message = 0;  // kernels of collectives of which the file does not say the message or the ranks
};

CollectiveRates collective_rates(const model::Timeline& timeline, const Attribution& attribution, std::int64_t rank);

// Of the message, the share that crosses the links of each rank: 2 (n - 1) / n for an all-reduce, (n - 1) / n for gathers, scatters and
// all-to-all, 1 for broadcasts, reductions, sends. Absent for others.
std::optional<double> bus_factor(std::string_view collective, std::uint64_t ranks);
// Of "Float", "BFloat16", ...; absent for others.
std::optional<std::uint64_t> bytes_of_element(std::string_view type);

}  // namespace frx::derive::trace
