// Tensors of PyTorch that a launch passes by accessors:
//
//   __global__ void k(const torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> a, ...) { if (i < a.size(0)) ... a[i][j] }
//
// and images of OpenCV:
//
//   __global__ void k(const cv::cuda::PtrStepSz<uchar> in, cv::cuda::PtrStepSzf out) { if (x < in.cols) out(y, x) = in.ptr(y)[x]; }
//
// They are arrays whose extents are known at run time only. Rows of a tensor lie one behind the other unless it is a view of another one;
// of that nothing is known here: what is said holds for a tensor that is contiguous, as most are that kernels get.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

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

// cv::cuda::PtrStepSz<const uchar>, PtrStepf: the type of an element; empty for what is no image.
std::string_view element_of_image(const Program& program, std::string_view type) {
  constexpr std::array<std::string_view, 3> templates{"PtrStepSz", "PtrStep", "DevMem2D_"};
  constexpr std::array<std::pair<char, std::string_view>, 3> endings{{{'b', "uchar"}, {'i', "int"}, {'f', "float"}}};
  const std::size_t open = type.find('<');
  std::string_view name = trim(type.substr(0, open));
  if (const std::size_t colon = name.rfind(':'); colon != name.npos) name.remove_prefix(colon + 1);
  if (program.struct_named(name)) return {};
  if (open != type.npos) {
    const bool is_image = std::ranges::find(templates, name) != templates.end() && type.ends_with('>');
    std::string_view element = is_image ? trim(type.substr(open + 1, type.size() - open - 2)) : std::string_view();
    if (element.starts_with("const ")) element = trim(element.substr(6));
    return element.find_first_of("<,") == element.npos ? element : std::string_view();
  }
  if (name.empty()) return {};
  for (const auto& [ending, element] : endings) {
    const std::string_view front = name.substr(0, name.size() - 1);
    if (name.ends_with(ending) && (front == "PtrStep" || front == "PtrStepSz" || front == "DevMem2D")) return element;
  }
  return {};
}

}  // namespace

// A parameter of the kernel; false where it is no image.
bool Walker::declare_image(std::string_view type, std::uint32_t name, std::uint32_t parameter) {
  const std::string_view alias = program_.alias(type);
  const std::string_view element = element_of_image(program_, alias.empty() ? type : alias);
  if (element.empty()) return false;
  const std::uint32_t number = add_memory(Space::global, text(name), element, parameter);
  const ExprId rows = e_.fresh(Op::uniform), pitch = e_.fresh(Op::uniform), columns = e_.fresh(Op::uniform);
  for (const ExprId size : {rows, pitch, columns}) add_size(size, "size");
  Memory& memory = trace_.memories[number];
  memory.dims = {rows, pitch};
  memory.columns = columns;
  memory.is_image = true;
  put_slot(text(name), pointer_to(number));
  return true;
}

bool Walker::is_image(const Value& object) const {
  return object.kind == Value::pointer && object.memory != none && object.subscripts == 0 && trace_.memories[object.memory].is_image;
}

// in.rows, in.cols, in.step, in.data
std::optional<Value> Walker::member_of_image(std::uint32_t object, std::string_view name) {
  const auto slot = syntax().is(object, NodeKind::identifier) ? slot_named(text(object)) : std::nullopt;
  if (!slot || !is_image(slots_[*slot].value)) return std::nullopt;
  const Memory& memory = trace_.memories[slots_[*slot].value.memory];
  if (name == "rows") return with(memory.dims[0]);
  if (name == "cols") return with(memory.columns);
  if (name == "step") return with(e_.binary(Op::mul, memory.dims[1], e_.constant(std::max(memory.bytes, 1u))));
  if (name != "data") return std::nullopt;
  return elements_of(slots_[*slot].value);
}

Value Walker::elements_of(Value array) const {
  array.subscripts = static_cast<std::uint32_t>(trace_.memories[array.memory].dims.size());
  return array;
}

// in.ptr(y), in.ptr(y, x), in.ptr()
std::optional<Value> Walker::eval_image_method(const Value& image, std::string_view name, const std::vector<Value>& arguments) {
  if (name != "ptr" || arguments.size() > 2) return std::nullopt;
  if (arguments.empty()) return elements_of(image);
  Value place = image;
  for (const Value& index : arguments) {
    place = offset_by(place, truth(index));
    ++place.subscripts;
  }
  return place;
}

// in(y, x): the address of an element where that is asked for.
std::optional<Value> Walker::eval_image_element(const Value& image, const std::vector<Value>& arguments, std::uint32_t call) {
  if (!is_image(image) || arguments.size() != 2) return std::nullopt;
  const Value element = *eval_image_method(image, "ptr", arguments);
  if (addressed_ != ref(call)) return loaded(element, call);
  addressed_ = {};
  return element;
}

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
  if (is_image(object)) return eval_image_method(object, name, arguments);
  if (object.kind != Value::pointer || object.memory == none || !trace_.memories[object.memory].is_tensor) return std::nullopt;
  const std::vector<ExprId>& dims = trace_.memories[object.memory].dims;
  if (name == "data" && arguments.empty()) return elements_of(object);
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
