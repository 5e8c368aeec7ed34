// The inputs of one call of an operator, as a trace recorded them: tensors by shape, strides and type, other values as Python spells them.
//
//   "Input Dims": [[8, 128], []], "Input type": ["float", "Scalar"], "Input Strides": [[128, 1], []], "Concrete Inputs": ["", "1"]
//
// Every list but the first may be absent. What is none of the values that PyTorch writes there counts as not recorded, so that nothing of
// a file becomes code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frx::derive::trace {

struct RecordedTensor {
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // as many as dimensions; absent: not recorded
  std::string_view type;                             // of torch, "float32"; "": not recorded
};

struct RecordedInput {
  enum class Kind : std::uint8_t {
    tensor,
    tensors,  // a list of them
    value,    // a number, a boolean or a list of these
    number,   // one whose value was not recorded
    list,     // the same
    unnamed,  // None, a text, a device, a list of optional tensors, or a value of which nothing was recorded
    refused,  // a tensor of a type that cannot be made here
  };
  Kind kind = Kind::unnamed;
  std::vector<RecordedTensor> tensors;  // one for a tensor
  std::string text;                     // of a value, a literal of Python; of a refused tensor, its type
};

struct RecordedInputs {
  std::vector<RecordedInput> inputs;
  bool has_types = false, has_strides = false, has_values = false;

  std::size_t count(RecordedInput::Kind kind) const;
};

// The texts of the file; "" where it has none. Absent when the shapes are no list.
struct InputTexts {
  std::string_view shapes, types, strides, values;
};
std::optional<RecordedInputs> recorded_inputs(const InputTexts& texts);

// "float32" for "float", "c10::Half" and the like; "" for a type that no tensor has, or that torch cannot fill.
std::string_view torch_type(std::string_view recorded);

}  // namespace frx::derive::trace
