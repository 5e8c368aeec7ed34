#include "ingest/ncu_report/identity.h"

#include <algorithm>

namespace frx::ingest::nsight {
namespace {

// In the order of IdentityReader::Which.
constexpr std::string_view metric_names[] = {"launch__grid_dim_x",
                                             "launch__grid_dim_y",
                                             "launch__grid_dim_z",
                                             "launch__grid_size",
                                             "launch__device_id",
                                             "device__attribute_compute_capability_major",
                                             "device__attribute_compute_capability_minor",
                                             "launch__cluster_dim_x",
                                             "launch__cluster_dim_y",
                                             "launch__cluster_dim_z"};

using Xyz = std::array<std::uint64_t, 3>;

template <typename Known>
std::optional<Xyz> together(const Known& known, std::size_t first) {
  if (!known[first] || !known[first + 1] || !known[first + 2]) return std::nullopt;
  return Xyz{*known[first], *known[first + 1], *known[first + 2]};
}

}  // namespace

std::uint8_t IdentityReader::which(std::string_view name) {
  static_assert(std::size(metric_names) == count);
  return static_cast<std::uint8_t>(std::find(std::begin(metric_names), std::end(metric_names), name) - std::begin(metric_names));
}

void IdentityReader::learn(const StringTable& names) {
  while (which_.size() < names.size()) which_.push_back(which(names[static_cast<std::uint32_t>(which_.size())]));
}

void IdentityReader::learn(const SourceData& source) {
  if (const auto cc = model::ComputeCapability::read(source.sm_major, source.sm_minor)) cc_of_source_[source.reference] = *cc;
}

Identity IdentityReader::of(const Launch& launch) const {
  const Known values = known(launch);
  Identity identity;
  // No GPU has a block beyond 31 bits; the exporter writes what is in the file, and who reads that takes it for nothing as well.
  identity.without_threads = std::ranges::any_of(launch.block, [](std::uint64_t threads) { return threads == 0 || threads > 0x7FFFFFFF; });
  if (!identity.without_threads) identity.grid = grid_of(launch, together(values, grid_x), values[grid_size]);
  identity.cluster = together(values, cluster_x);
  identity.device = static_cast<int>(values[device_id].value_or(0) & 0xFFFF);
  identity.cc = capability(launch, values);
  return identity;
}

IdentityReader::Known IdentityReader::known(const Launch& launch) const {
  Known values;
  for (const MetricResult& metric : launch.metrics) {
    const std::size_t which = metric.name < which_.size() ? which_[metric.name] : std::size_t{count};
    if (which >= count || !metric.value.is_number()) continue;
    const double number = metric.value.number();
    if (number >= 0 && number < 1e18) values[which] = static_cast<std::uint64_t>(number);
  }
  return values;
}

std::optional<model::ComputeCapability> IdentityReader::capability(const Launch& launch, const Known& values) const {
  if (values[cc_major] && values[cc_minor]) {
    // `known` keeps no number beyond 1e18.
    return model::ComputeCapability::read(static_cast<std::int64_t>(*values[cc_major]), static_cast<std::int64_t>(*values[cc_minor]));
  }
  const auto source = cc_of_source_.find(launch.source);
  return source == cc_of_source_.end() ? std::nullopt : std::optional(source->second);
}

}  // namespace frx::ingest::nsight
