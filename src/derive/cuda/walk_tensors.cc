// Tensors of PyTorch that a launch passes by accessors:
//
//   __global__ void k(const torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> a, ...) { if (i < a.size(0)) ... a[i][j] }
//
// They are arrays whose extents are known at run time only. Rows of a tensor lie one behind the other unless it is a view of another one;
// of that nothing is known here: what is said holds for a tensor that is contiguous, as most are that kernels get.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {
namespace {

struct TensorType {
  std::string_view element;
  std::uint32_t dimensions = 0;
};

// torch::PackedTensorAccessor32<scalar_t, 2, ...>, at::TensorAccessor<...>; none where a template chooses the dimensions, and for a class
// of the program's own.
std::optional<TensorType> tensor_type(const Program& program, std::string_view type) {
  constexpr std::array<std::string_view, 5> names{"PackedTensorAccessor", "PackedTensorAccessor32", "PackedTensorAccessor64",
                                                  "GenericPackedTensorAccessor", "TensorAccessor"};
  constexpr std::uint32_t most_dimensions = 9;
  const std::size_t open = type.find('<'), comma = open == type.npos ? type.npos : type.find(',', open);
  if (comma == type.npos) return std::nullopt;
  const std::string_view qualified = trim(type.substr(0, open));
  const std::size_t colon = qualified.rfind(':');
  const std::string_view name = colon == qualified.npos ? qualified : qualified.substr(colon + 1);
  if (std::ranges::find(names, name) == names.end() || program.struct_named(name)) return std::nullopt;
  const std::string_view element = trim(type.substr(open + 1, comma - open - 1));
  const std::string_view rest = trim(type.substr(comma + 1));
  const bool is_digit = !rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0;
  const bool is_one_digit = is_digit && (rest.size() == 1 || std::isalnum(static_cast<unsigned char>(rest[1])) == 0);
  const auto dimensions = is_one_digit ? static_cast<std::uint32_t>(rest[0] - '0') : 0;
  if (dimensions == 0 || dimensions > most_dimensions || element.find('<') != element.npos) return std::nullopt;
  return TensorType{element, dimensions};
}

}  // namespace

// A parameter of the kernel; false where it is no tensor.
bool Walker::declare_tensor(std::string_view type, std::uint32_t name, std::uint32_t parameter) {
  // typedef torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> Rows;
  const std::string_view alias = program_.alias(type);
  const auto tensor = tensor_type(program_, alias.empty() ? type : alias);
  if (!tensor) return false;
  const std::uint32_t memory = add_memory(Space::global, text(name), tensor->element, parameter);
  for (std::uint32_t d = 0; d < tensor->dimensions; ++d) {
    const ExprId extent = e_.fresh(Op::uniform);
    add_size(extent, "size");
    trace_.memories[memory].dims.push_back(extent);
  }
  trace_.memories[memory].is_tensor = true;
  put_slot(text(name), pointer_to(memory));
  return true;
}

// a.size(0), a[i].size(0), a.stride(0), a.data(); nothing for what is no tensor.
std::optional<Value> Walker::eval_tensor_method(const Value& object, std::string_view name, const std::vector<Value>& arguments) {
  if (object.kind != Value::pointer || object.memory == none || !trace_.memories[object.memory].is_tensor) return std::nullopt;
  const std::vector<ExprId>& dims = trace_.memories[object.memory].dims;
  if (name == "data" && arguments.empty()) {
    Value flat = object;
    flat.subscripts = static_cast<std::uint32_t>(dims.size());
    return flat;
  }
  const auto which = arguments.size() == 1 ? constant_of(arguments[0]) : std::nullopt;
  if (!which || *which < 0 || object.subscripts + static_cast<std::uint64_t>(*which) >= dims.size()) return std::nullopt;
  const std::size_t first = object.subscripts + static_cast<std::size_t>(*which);
  if (name == "size") return with(dims[first]);
  if (name != "stride") return std::nullopt;
  ExprId stride = e_.constant(1);
  for (std::size_t d = first + 1; d < dims.size(); ++d) stride = e_.binary(Op::mul, stride, dims[d]);
  return with(stride);
}

}  // namespace frx::derive::cuda
