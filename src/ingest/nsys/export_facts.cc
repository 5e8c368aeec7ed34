#include "ingest/nsys/export_facts.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace frx::ingest::nsys {
namespace {

using model::Timeline;
using model::TracedGpu;

constexpr std::size_t most_gpus = 1024, most_diagnostics = 5;
constexpr std::int64_t warning = 2, error = 3;  // of ENUM_DIAGNOSTIC_SEVERITY_LEVEL

// The number of a GPU in CUDA by its number in the machine; the processes of an export agree unless CUDA_VISIBLE_DEVICES differs.
Result<std::map<std::int64_t, std::int64_t>> cuda_numbers(const Database& database) {
  std::map<std::int64_t, std::int64_t> numbers;
  TRY(database.each_row("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId"}, [&](const Row& row) {
    if (row.integer(0) && row.integer(1) && numbers.size() < most_gpus) numbers.try_emplace(*row.integer(0), *row.integer(1));
  }));
  return numbers;
}

std::optional<model::ComputeCapability> capability_of(const Row& row, int major, int minor) {
  return model::ComputeCapability::read(row.integer_or(major, 0), row.integer_or(minor, -1));
}

void add_gpu(Timeline& timeline, std::int64_t number, const Row& row, int name, int memory, int sms, int major) {
  if (timeline.facts.gpus.size() >= most_gpus || number < 0 || number > INT32_MAX || row.text(name).empty()) return;
  TracedGpu gpu;
  gpu.id = static_cast<std::int32_t>(number);
  gpu.name = row.text(name);
  gpu.memory_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer_or(memory, 0)));
  gpu.sms = static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer_or(sms, 0), 0, UINT16_MAX));
  gpu.cc = capability_of(row, major, major + 1);
  timeline.facts.gpus.push_back(std::move(gpu));
}

Result<> read_gpus(const Database& database, Timeline& timeline) {
  TRY_ASSIGN(const auto numbers, cuda_numbers(database));
  TRY(database.each_row("TARGET_INFO_GPU", {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor", "cuDevice"},
                        [&](const Row& row) {
                          const std::int64_t id = row.integer_or(0, -1);
                          const auto known = numbers.find(id);
                          add_gpu(timeline, known != numbers.end() ? known->second : row.integer_or(6, id), row, 1, 2, 3, 4);
                        }));
  if (!timeline.facts.gpus.empty()) return {};
  // Of 2020.
  TRY(database.each_row("TARGET_INFO_CUDA_GPU",
                        {"deviceId", "name", "globalMemorySize", "numMultiprocessors", "computeCapabilityMajor", "computeCapabilityMinor"},
                        [&](const Row& row) { add_gpu(timeline, row.integer_or(0, -1), row, 1, 2, 3, 4); }));
  return {};
}

// That something was not asked for is no damage.
bool is_about_lost_data(std::string_view text) {
  constexpr std::string_view words[] = {"lost",    "dropped",   "overflow", "might have been collected", "might not have been",
                                        "not all", "incomplete"};
  constexpr std::string_view harmless[] = {"NVTX events", "OpenGL", "MMAP"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(text, word); }) &&
         std::ranges::none_of(harmless, [&](std::string_view word) { return text.find(word) != text.npos; });
}

Result<> read_diagnostics(const Database& database, Timeline& timeline) {
  std::vector<std::string> told;
  TRY(database.each_row("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const Row& row) {
    const std::int64_t severity = row.integer_or(0, 0);
    if ((severity != warning && severity != error) || !is_about_lost_data(row.text(1)) || told.size() >= most_diagnostics) return;
    std::string text(trim(row.text(1)));
    if (std::ranges::find(told, text) == told.end()) told.push_back(std::move(text));
  }));
  for (const std::string& text : told) timeline.notes.push_back({0, fmt::format("Nsight Systems says: {}", printable(text))});
  return {};
}

}  // namespace

Result<> read_facts(const Database& database, Timeline& timeline) {
  TRY(read_gpus(database, timeline));
  TRY(database.each_row("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
                        [&](const Row& row) { timeline.facts.base_time_ns = row.integer_or(0, 0); }));
  return read_diagnostics(database, timeline);
}

}  // namespace frx::ingest::nsys
