// Values among the recorded inputs of an operator: "[1, 2]" for a stride, "-1" for a dimension, "True" for keepdim.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "derive/layout/layout_trace.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {

// Nothing where the input is no value, or not of that kind. `integers_at` takes a single number for a list of one.
std::optional<std::int64_t> integer_at(const RecordedInputs& inputs, std::size_t index);
std::optional<Dimensions> integers_at(const RecordedInputs& inputs, std::size_t index);
std::optional<bool> truth_at(const RecordedInputs& inputs, std::size_t index);
// "[1]" and "1" stand for the same number in each of `count` dimensions.
std::optional<Dimensions> integers_of_each(const RecordedInputs& inputs, std::size_t index, std::size_t count);
// Was None given, or nothing? Values were recorded, and this one is neither a value nor a tensor.
bool is_absent(const RecordedInputs& inputs, std::size_t index);
// A dimension, counted from the end where it is negative. Nothing where the tensor has no such dimension.
std::optional<std::size_t> resolved_dimension(std::int64_t dimension, std::size_t rank);

}  // namespace frx::derive::layout
