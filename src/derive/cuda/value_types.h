// The arithmetic types of the expressions of a function, as far as its declarations tell.
//
//   float a = x[i];  a * 0.5      float32 * the literal 0.5 (float64): the product is float64
//
// What is not declared in the function itself or in a structure - templates, `auto` - is unknown, and so is what is computed from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

enum class Arithmetic : std::uint8_t { unknown, int32, int64, float32, float64 };  // int32: also narrower ones

struct ValueType {
  Arithmetic type = Arithmetic::unknown;
  std::uint8_t levels = 0;         // of pointers and arrays
  bool is_vector = false;          // float4 and the like: `type` is that of a component
  const Struct* record = nullptr;  // the structure that it is, or that its pointers lead to
  std::optional<double> literal;   // the value of a number, or of arithmetic with numbers alone

  bool is(Arithmetic wanted) const { return type == wanted && levels == 0 && !is_vector; }
  // Does a float hold the value as well?
  bool is_exact_in_float() const { return literal && static_cast<double>(static_cast<float>(*literal)) == *literal; }
};

class ValueTypes {
 public:
  // Linear in the function. `program` must outlive it.
  ValueTypes(const Program& program, const Function& function);

  const ValueType& of(std::uint32_t node) const { return types_[node - first_]; }
  const ValueType& declared(std::string_view name) const;
  // Is a type in the function - of a variable, a parameter, a cast - one with "double" in its name?
  bool mentions_double() const { return mentions_double_; }
  // Of the function's parameters.
  bool has_float_pointer() const { return has_float_pointer_; }
  bool has_byte_pointer() const { return has_byte_pointer_; }
  // A local variable or a parameter is a float, and all pointers lead to integers.
  bool computes_floats_of_integers() const { return has_float_variable_ && !has_unknown_pointer_; }
  bool has_float_parameter() const { return has_float_parameter_; }  // a number or a pointer

 private:
  bool is_of_bytes(std::string_view type) const;
  void note_data(const ValueType& type, std::uint32_t parameter);
  void declare(std::uint32_t declaration);
  ValueType named_type(std::string_view name) const;
  void note(std::string_view name, const ValueType& type);
  ValueType typed(std::uint32_t node) const;
  ValueType named(std::uint32_t node) const;
  ValueType macro_value(std::string_view name) const;
  ValueType call(std::uint32_t node) const;
  ValueType known_function(std::string_view name, std::uint32_t arguments) const;
  ValueType binary(std::uint32_t node) const;
  ValueType field(std::uint32_t node) const;
  ValueType child(std::uint32_t node, Role role) const;
  ValueType only_child(std::uint32_t node) const;

  const Program& program_;
  const Source& source_;
  std::uint32_t first_;
  std::unordered_map<std::string_view, ValueType> names_;
  std::vector<ValueType> types_;  // by node
  bool mentions_double_ = false, has_float_pointer_ = false, has_byte_pointer_ = false, has_float_variable_ = false,
       has_unknown_pointer_ = false, has_float_parameter_ = false;
};

// Is it a function that gives a double where its arguments are integers or doubles: pow, sqrt, fmin?
bool may_give_double(std::string_view function);

// "const float" is float32, "size_t" is int64.
ValueType arithmetic_type_named(std::string_view name);

}  // namespace frx::derive::cuda
