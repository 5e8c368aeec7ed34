#include "derive/tune/memory_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

namespace frx::derive::tune {
namespace {

constexpr std::string_view batch_variable = "FRX_BATCH_SIZE", precision_variable = "FRX_AMP_DTYPE";

std::string_view setting(const Settings& settings, std::string_view name) {
  const auto found = std::ranges::find(settings, name, &Settings::value_type::first);
  return found == settings.end() ? std::string_view{} : std::string_view(found->second);
}

std::optional<double> batch_of(const Settings& settings) {
  const std::string_view text = setting(settings, batch_variable);
  double size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return size;
}

// What batches of one precision have shown.
struct MemoryOfBatches {
  std::map<double, double> ratios;  // by size, the largest seen
  std::optional<double> too_large;  // the smallest size that did not fit
  std::optional<double> expected(double size) const;
};

std::optional<double> MemoryOfBatches::expected(double size) const {
  if (ratios.empty() || size <= ratios.rbegin()->first) return std::nullopt;
  const auto [largest, ratio] = *ratios.rbegin();
  if (ratios.size() == 1) return ratio * size / largest;
  const auto [smaller, less] = *std::next(ratios.rbegin());
  return ratio + std::max(0.0, ratio - less) / (largest - smaller) * (size - largest);
}

std::map<std::string, MemoryOfBatches, std::less<>> memory_by_precision(const History& history) {
  std::map<std::string, MemoryOfBatches, std::less<>> memory;
  for (const FinishedRun& run : history.runs) {
    const std::optional<std::size_t> configuration = run.request.configuration;
    const Settings settings = configuration ? history.known_settings(history.pool[*configuration]) : history.rules.baseline;
    const std::optional<double> size = batch_of(settings);
    if (!size) continue;
    MemoryOfBatches& one = memory[std::string(setting(settings, precision_variable))];
    const std::optional<double> ratio = run.outcome.peak_memory_ratio;
    if (run.outcome.ran_out_of_memory || ratio > history.rules.max_memory_ratio) {
      one.too_large = std::min(*size, one.too_large.value_or(*size));
    } else if (ratio) {
      double& seen = one.ratios[*size];
      seen = std::max(seen, *ratio);
    }
  }
  return memory;
}

}  // namespace

std::vector<BarredConfiguration> barred_by_memory(const History& history) {
  const std::map<std::string, MemoryOfBatches, std::less<>> memory = memory_by_precision(history);
  std::vector<BarredConfiguration> barred;
  for (std::size_t i = 0; i < history.pool.size() && !memory.empty(); ++i) {
    const Settings settings = history.known_settings(history.pool[i]);
    const std::optional<double> size = batch_of(settings);
    const auto known = size ? memory.find(setting(settings, precision_variable)) : memory.end();
    if (known == memory.end() || history.was_tried(i)) continue;
    const std::string& label = history.labels[i];
    if (known->second.too_large && *size >= *known->second.too_large) {
      barred.push_back(
          {i, fmt::format("{} was not tried: a batch of {:g} did not fit into the memory of the GPU", label, *known->second.too_large)});
    } else if (const std::optional<double> ratio = known->second.expected(*size); ratio > history.rules.max_memory_ratio) {
      barred.push_back({i, fmt::format("{} was not tried: its memory is expected to be {:.0f} % of that of the GPU", label, *ratio * 100)});
    }
  }
  return barred;
}

}  // namespace frx::derive::tune
