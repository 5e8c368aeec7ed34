#include "derive/layout/recorded_values.h"

#include <charconv>

#include "base/text.h"

namespace frx::derive::layout {
namespace {

std::string_view recorded_text(const RecordedInputs& inputs, std::size_t index) {
  if (index >= inputs.inputs.size() || inputs.inputs[index].kind != RecordedInput::Kind::value) return {};
  return trim(inputs.inputs[index].text);
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> integer_at(const RecordedInputs& inputs, std::size_t index) { return integer_in(recorded_text(inputs, index)); }

std::optional<Dimensions> integers_at(const RecordedInputs& inputs, std::size_t index) {
  std::string_view text = recorded_text(inputs, index);
  if (!text.starts_with('[') || !text.ends_with(']')) {
    const std::optional<std::int64_t> one = integer_in(text);
    return one ? std::optional(Dimensions{*one}) : std::nullopt;
  }
  text = trim(text.substr(1, text.size() - 2));
  Dimensions values;
  if (text.empty()) return values;
  for (const std::string_view part : split(text, ',')) {
    const std::optional<std::int64_t> value = integer_in(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<bool> truth_at(const RecordedInputs& inputs, std::size_t index) {
  const std::string_view text = recorded_text(inputs, index);
  if (text == "True") return true;
  if (text == "False") return false;
  return std::nullopt;
}

std::optional<Dimensions> integers_of_each(const RecordedInputs& inputs, std::size_t index, std::size_t count) {
  std::optional<Dimensions> values = integers_at(inputs, index);
  if (values && values->size() == 1) values->resize(count, values->front());
  return values && values->size() == count ? values : std::nullopt;
}

bool is_absent(const RecordedInputs& inputs, std::size_t index) {
  if (index >= inputs.inputs.size()) return true;
  return inputs.has_values && inputs.inputs[index].kind == RecordedInput::Kind::unnamed;
}

std::optional<std::size_t> resolved_dimension(std::int64_t dimension, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (dimension < 0) dimension += size;
  return dimension >= 0 && dimension < size ? std::optional(static_cast<std::size_t>(dimension)) : std::nullopt;
}

}  // namespace frx::derive::layout
