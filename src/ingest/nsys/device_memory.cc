#include "ingest/nsys/device_memory.h"

#include <algorithm>
#include <map>

namespace frx::ingest::nsys {
namespace {

// The numbers of ENUM_CUDA_MEM_KIND and ENUM_CUDA_DEV_MEM_EVENT_OPER.
enum MemoryKind : std::int64_t { device_memory = 2, array_memory = 3, static_memory = 5 };
constexpr std::int64_t allocation = 0, deallocation = 1;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

struct Change {
  std::int64_t time = 0, bytes = 0;
  std::int32_t device = 0;
};

}  // namespace

Result<std::vector<model::MemorySample>> read_device_memory(const Database& database) {
  std::vector<Change> changes;
  TRY(database.each_row("CUDA_GPU_MEMORY_USAGE_EVENTS", {"start", "deviceId", "bytes", "memKind", "memoryOperationType"},
                        [&](const Row& row) {
                          const std::int64_t device = row.integer_or(1, -1), bytes = row.integer_or(2, -1), kind = row.integer_or(3, -1);
                          const std::int64_t operation = row.integer_or(4, -1);
                          const bool is_on_gpu = kind == device_memory || kind == array_memory || kind == static_memory;
                          const bool is_usable = row.integer(0) && device >= 0 && device <= INT32_MAX && bytes >= 0 && bytes <= most_bytes;
                          if (!is_on_gpu || !is_usable || (operation != allocation && operation != deallocation)) return;
                          changes.push_back({*row.integer(0), operation == allocation ? bytes : -bytes, static_cast<std::int32_t>(device)});
                        }));
  std::ranges::stable_sort(changes, {}, &Change::time);
  std::map<std::int32_t, std::int64_t> used;
  std::vector<model::MemorySample> samples;
  samples.reserve(changes.size());
  for (const Change& change : changes) {
    std::int64_t& now = used[change.device];
    // Memory that was allocated before the recording may be given back in it.
    now = std::clamp<std::int64_t>(now + change.bytes, 0, INT64_MAX / 2);
    samples.push_back({change.time, change.device, static_cast<std::uint64_t>(now), static_cast<std::uint64_t>(now)});
  }
  return samples;
}

}  // namespace frx::ingest::nsys
