#include "derive/tune/settings_kernel.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

namespace frx::derive::tune {
namespace {

// What values of one variable have in common that are categories: "bfloat16" and "float16" are both less than 32 bits.
constexpr double alike_as_categories = 0.75;

std::optional<std::string_view> value_in(const Settings& settings, std::string_view name) {
  const auto found = std::ranges::find(settings, name, &Settings::value_type::first);
  return found == settings.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

// Its place on a scale on which doubling is a step of 1. nullopt: it is no number from 0 on.
std::optional<double> place_of(std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < 0 || !std::isfinite(number)) return std::nullopt;
  return number >= 1 ? std::log2(number) : number - 1;
}

// The values of a variable in their order; the first stands for "not set".
std::vector<double> likenesses(const std::vector<std::string_view>& values, double length) {
  const std::size_t n = values.size();
  std::vector<std::optional<double>> places(n);
  for (std::size_t i = 1; i < n; ++i) places[i] = place_of(values[i]);
  const bool is_ordered = std::all_of(places.begin() + 1, places.end(), [](const auto& place) { return place.has_value(); });
  std::vector<double> alike(n * n, 0.0);
  alike[0] = 1;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 1; j < n; ++j) {
      const double distance = is_ordered ? (*places[i] - *places[j]) / length : 0;
      alike[i * n + j] = i == j ? 1 : is_ordered ? std::exp(-distance * distance / 2) : alike_as_categories;
    }
  }
  return alike;
}

}  // namespace

SettingsKernel::SettingsKernel(std::span<const Settings> points) {
  std::set<std::string> names;
  for (const Settings& settings : points) {
    for (const auto& [name, value] : settings) names.insert(name);
  }
  for (const std::string& name : names) variables_.push_back(variable_of(name, points));
}

SettingsKernel::Variable SettingsKernel::variable_of(const std::string& name, std::span<const Settings> points) {
  std::vector<std::string_view> values = {""};  // not set
  Variable variable;
  for (const Settings& settings : points) {
    const std::optional<std::string_view> value = value_in(settings, name);
    const auto known = value ? std::find(values.begin() + 1, values.end(), *value) : values.begin();
    variable.value_of.push_back(static_cast<std::size_t>(known - values.begin()));
    if (known == values.end()) values.push_back(*value);
  }
  for (const double length : length_scales) variable.alike.push_back(likenesses(values, length));
  variable.values = values.size();
  return variable;
}

SettingsKernel::Likeness SettingsKernel::of(std::size_t a, std::size_t b, std::size_t scale) const {
  double sum = 0, squares = 0;
  for (const Variable& variable : variables_) {
    const double alike = variable.alike[scale][variable.value_of[a] * variable.values + variable.value_of[b]];
    sum += alike;
    squares += alike * alike;
  }
  const double n = static_cast<double>(variables_.size());
  return {n > 0 ? sum / n : 1, n > 1 ? (sum * sum - squares) / (n * (n - 1)) : 1};
}

}  // namespace frx::derive::tune
