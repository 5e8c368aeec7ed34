#include "derive/trace/recorded_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace frx::derive::trace {
namespace {

using Json = nlohmann::json;
using Kind = RecordedInput::Kind;

struct TypeName {
  std::string_view recorded, torch;
};

// What C++ calls the types of elements, with different compilers.
constexpr TypeName type_names[] = {{"float", "float32"},
                                   {"double", "float64"},
                                   {"c10::Half", "float16"},
                                   {"c10::BFloat16", "bfloat16"},
                                   {"c10::bfloat16", "bfloat16"},
                                   {"long int", "int64"},
                                   {"long", "int64"},
                                   {"long long", "int64"},
                                   {"__int64", "int64"},
                                   {"int", "int32"},
                                   {"short int", "int16"},
                                   {"short", "int16"},
                                   {"signed char", "int8"},
                                   {"unsigned char", "uint8"},
                                   {"unsigned short", "uint16"},
                                   {"unsigned int", "uint32"},
                                   {"unsigned long", "uint64"},
                                   {"bool", "bool"},
                                   {"c10::complex<float>", "complex64"},
                                   {"c10::complex<double>", "complex128"},
                                   {"c10::Float8_e4m3fn", "float8_e4m3fn"},
                                   {"c10::Float8_e5m2", "float8_e5m2"},
                                   {"c10::Float8_e4m3fnuz", "float8_e4m3fnuz"},
                                   {"c10::Float8_e5m2fnuz", "float8_e5m2fnuz"}};

// A list of JSON, which is empty for any other text.
Json list_in(std::string_view text) {
  Json list = Json::parse(text, nullptr, false);
  return list.is_array() ? list : Json::array();
}

bool is_shape(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& size) {
           return size.is_number_unsigned() && size.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
         });
}

bool is_list_of_shapes(const Json& value) { return value.is_array() && !value.empty() && std::ranges::all_of(value, is_shape); }

RecordedTensor tensor_of(const Json& shape, const Json* strides, std::string_view type) {
  RecordedTensor tensor;
  tensor.shape = shape.get<std::vector<std::int64_t>>();
  tensor.type = type;
  if (strides && is_shape(*strides) && strides->size() == shape.size()) tensor.strides = strides->get<std::vector<std::int64_t>>();
  return tensor;
}

// "1", "1e-05", "inf": as Python spells it; absent for anything else.
std::optional<std::string> number_literal(std::string_view text) {
  if (text == "True" || text == "False") return std::string(text);
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, whole); error == std::errc() && at == end) return fmt::to_string(whole);
  double number = 0;
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  if (!std::isfinite(number)) return fmt::format("float(\"{}\")", number);
  const std::string literal = fmt::format("{}", number);
  return literal.find_first_of(".e") == literal.npos ? literal + ".0" : literal;
}

// The same, or a list: "[1, 1]".
std::optional<std::string> literal(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('[') || !text.ends_with(']')) return number_literal(text);
  text = text.substr(1, text.size() - 2);
  if (trim(text).empty()) return "[]";
  std::vector<std::string> items;
  for (const std::string_view item : split(text, ',')) {
    const std::optional<std::string> one = number_literal(trim(item));
    if (!one) return std::nullopt;
    items.push_back(*one);
  }
  return "[" + join(items, ", ") + "]";
}

// What the lists of the file say at one place.
struct Entry {
  const Json& shape;
  const Json* strides = nullptr;
  std::string type, value;
  bool has_type = false;
};

// Of "GenericList[Tensor(float),Tensor(long int)]" the type of one element; "" where a list does not name them.
std::string_view element_type(std::string_view list, std::size_t number) {
  constexpr std::string_view mark = "Tensor(";
  std::size_t at = list.find(mark);
  for (; at != list.npos && number > 0; --number) at = list.find(mark, at + 1);
  if (at == list.npos) return {};
  const std::string_view rest = list.substr(at + mark.size());
  return torch_type(rest.substr(0, rest.find(')')));
}

RecordedInput tensors_of(const Entry& entry) {
  RecordedInput input{Kind::tensors, {}, {}};
  for (std::size_t i = 0; i < entry.shape.size(); ++i) {
    const bool has_strides = entry.strides && entry.strides->is_array() && entry.strides->size() == entry.shape.size();
    input.tensors.push_back(tensor_of(entry.shape[i], has_strides ? &(*entry.strides)[i] : nullptr, element_type(entry.type, i)));
  }
  return input;
}

RecordedInput tensor_input(const Entry& entry) {
  const std::string_view type = torch_type(entry.type);
  if (entry.has_type && type.empty()) return {Kind::refused, {}, entry.type};
  return {Kind::tensor, {tensor_of(entry.shape, entry.strides, type)}, {}};
}

bool is_number_type(std::string_view type) { return type == "Scalar" || type == "Int" || type == "Double" || type == "Bool"; }

RecordedInput input_of(const Entry& entry) {
  if (is_list_of_shapes(entry.shape)) return tensors_of(entry);
  if (is_shape(entry.shape) && !entry.shape.empty()) return tensor_input(entry);
  if (std::optional<std::string> value = literal(entry.value)) return {Kind::value, {}, std::move(*value)};
  if (is_number_type(entry.type)) return {Kind::number, {}, {}};
  if (entry.type == "ScalarList") return {Kind::list, {}, {}};
  // A tensor without dimensions.
  if (is_shape(entry.shape) && !torch_type(entry.type).empty()) return tensor_input(entry);
  return {};
}

std::string text_at(const Json& list, std::size_t at) {
  return at < list.size() && list[at].is_string() ? list[at].get<std::string>() : std::string();
}

}  // namespace

std::string_view torch_type(std::string_view recorded) {
  const auto* const at = std::ranges::find(type_names, recorded, &TypeName::recorded);
  return at == std::end(type_names) ? std::string_view() : at->torch;
}

std::size_t RecordedInputs::count(Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count(inputs, kind, &RecordedInput::kind));
}

std::optional<RecordedInputs> recorded_inputs(const InputTexts& texts) {
  const Json shapes = list_in(texts.shapes);
  if (shapes.empty()) return std::nullopt;
  const Json types = list_in(texts.types), strides = list_in(texts.strides), values = list_in(texts.values);
  RecordedInputs recorded;
  recorded.has_types = types.size() == shapes.size();
  recorded.has_strides = strides.size() == shapes.size();
  recorded.has_values = values.size() == shapes.size();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Entry entry{shapes[i], recorded.has_strides ? &strides[i] : nullptr, recorded.has_types ? text_at(types, i) : "",
                      recorded.has_values ? text_at(values, i) : "", recorded.has_types};
    recorded.inputs.push_back(input_of(entry));
  }
  return recorded;
}

}  // namespace frx::derive::trace
