#include "capture/gpu/gpu_sample.h"

#include <fmt/format.h>

#include <ctime>

#include "base/text.h"

namespace frx::capture {
namespace {

template <typename Number>
std::string cell(const std::optional<Number>& value) {
  return value ? fmt::format("{:g}", static_cast<double>(*value)) : "";
}

std::string decimal(const std::optional<double>& value, int digits) { return value ? fmt::format("{:.{}f}", *value, digits) : ""; }

// A name with a comma or a quote would break the line.
std::string text_cell(std::string_view text) {
  std::string clean = printable(text);
  for (char& c : clean) {
    if (c == ',' || c == '"') c = ' ';
  }
  return clean;
}

// "4711:1024;4712:" - MiB after each process, nothing where it is unknown.
std::string process_cell(const std::optional<std::vector<ProcessMemory>>& processes) {
  std::string text;
  if (!processes) return text;
  for (const ProcessMemory& one : *processes) text += fmt::format("{}{}:{}", text.empty() ? "" : ";", one.pid, decimal(one.mib, 0));
  return text;
}

}  // namespace

std::optional<bool> is_slowed(const GpuSample& sample) {
  if (!sample.throttle_reasons) return std::nullopt;
  return (*sample.throttle_reasons & slowing_reasons) != 0;
}

std::vector<std::string_view> slowing_words(std::uint64_t throttle_reasons) {
  constexpr std::pair<std::uint64_t, std::string_view> known[] = {{0x4, "software power cap"},
                                                                  {0x8, "hardware slowdown"},
                                                                  {0x20, "software thermal slowdown"},
                                                                  {0x40, "hardware thermal slowdown"},
                                                                  {0x80, "hardware power brake"}};
  std::vector<std::string_view> words;
  for (const auto& [bit, word] : known) {
    if ((throttle_reasons & bit) != 0) words.push_back(word);
  }
  return words;
}

std::string gpu_metrics_header() {
  return "timestamp,index,name,utilization.gpu,utilization.memory,memory.used,memory.total,pcie.link.gen.current,pcie.link.width.current,"
         "uuid,clocks.current.sm,clocks.current.memory,power.draw,power.limit,temperature.gpu,clocks_throttle_reasons.active,"
         "processes,monotonic_ns\n";
}

std::string gpu_metrics_line(const GpuSample& sample, std::string_view timestamp, std::int64_t monotonic_ns) {
  const std::string reasons = sample.throttle_reasons ? fmt::format("0x{:016x}", *sample.throttle_reasons) : "";
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", timestamp, sample.index, text_cell(sample.name),
                     cell(sample.utilization_gpu), cell(sample.utilization_memory), decimal(sample.memory_used, 0),
                     decimal(sample.memory_total, 0), cell(sample.pcie_generation), cell(sample.pcie_width), text_cell(sample.uuid),
                     cell(sample.sm_clock), cell(sample.memory_clock), decimal(sample.power, 2), decimal(sample.power_limit, 2),
                     cell(sample.temperature), reasons, process_cell(sample.processes), monotonic_ns);
}

std::string utc_now() {
  std::timespec now{};
  std::timespec_get(&now, TIME_UTC);
  std::tm utc{};
  ::gmtime_r(&now.tv_sec, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}+00:00", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                     utc.tm_min, utc.tm_sec, now.tv_nsec / 1000);
}

std::int64_t monotonic_now_ns() {
  std::timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace frx::capture
