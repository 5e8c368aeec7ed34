#include "ingest/chrome_trace/header_facts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace frx::ingest::trace {
namespace {

using nlohmann::json;

constexpr std::string_view known[] = {"deviceProperties", "distributedInfo", "baseTimeNanoseconds",  "record_shapes",
                                      "with_stack",       "profile_memory",  "cuda_runtime_version", "hip_runtime_version"};

// A whole number that fits; what a damaged file has in its place is none.
template <typename Number>
std::optional<Number> number_in(const json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  constexpr double largest = 9e18;
  if (found->is_number_float() && !(std::abs(found->template get<double>()) < largest)) return std::nullopt;
  if (found->is_number_unsigned() && found->template get<std::uint64_t>() > static_cast<std::uint64_t>(largest)) return std::nullopt;
  const auto whole = found->template get<std::int64_t>();
  return std::in_range<Number>(whole) ? std::optional(static_cast<Number>(whole)) : std::nullopt;
}

model::TracedGpu gpu_of(const json& entry) {
  model::TracedGpu gpu;
  gpu.id = number_in<std::int32_t>(entry, "id").value_or(-1);
  if (const auto name = entry.find("name"); name != entry.end() && name->is_string()) gpu.name = name->get<std::string>();
  gpu.memory_bytes = number_in<std::uint64_t>(entry, "totalGlobalMem").value_or(0);
  gpu.sms = number_in<std::uint32_t>(entry, "numSms").value_or(0);
  const auto major = number_in<int>(entry, "computeMajor"), minor = number_in<int>(entry, "computeMinor");
  if (major && minor) gpu.cc = model::ComputeCapability::read(*major, *minor);
  return gpu;
}

void take_distributed(const json& value, model::TraceFacts& facts) {
  facts.rank = number_in<std::int64_t>(value, "rank");
  facts.world_size = number_in<std::int64_t>(value, "world_size");
  if (!value.is_object()) return;
  const auto backend = value.find("backend");
  if (backend != value.end() && backend->is_string()) facts.backend = backend->get<std::string>();
}

// 12040 is 12.4.
std::string cuda_version(std::int64_t number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

}  // namespace

bool is_header_fact(std::string_view key) { return std::ranges::find(known, key) != std::end(known); }

void take_header_fact(std::string_view key, std::string_view text, model::TraceFacts& facts) {
  const json value = json::parse(text, nullptr, false);
  const bool on = value.is_number() ? value.get<double>() != 0 : value.is_boolean() && value.get<bool>();
  if (key == "deviceProperties" && value.is_array()) {
    facts.gpus.clear();
    for (const json& entry : value) {
      if (entry.is_object()) facts.gpus.push_back(gpu_of(entry));
    }
  } else if (key == "distributedInfo") {
    take_distributed(value, facts);
  } else if (key == "baseTimeNanoseconds" && value.is_number_integer()) {
    facts.base_time_ns = value.get<std::int64_t>();
  } else if (key == "record_shapes") {
    facts.record_shapes = on;
  } else if (key == "with_stack") {
    facts.with_stack = on;
  } else if (key == "profile_memory") {
    facts.profile_memory = on;
  } else if (key == "cuda_runtime_version" && value.is_number_integer()) {
    facts.runtime_version = cuda_version(value.get<std::int64_t>());
  } else if (key == "hip_runtime_version") {
    facts.is_rocm = true;
  }
}

}  // namespace frx::ingest::trace
