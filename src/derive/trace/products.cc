#include "derive/trace/products.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "base/text.h"
#include "derive/trace/counts.h"
#include "derive/trace/judged_names.h"
#include "derive/trace/work_times.h"
#include "model/product_operators.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::size_t most_products = 200;

using Shape = std::vector<double>;

// "[[64], [8, 128], []]" as lists of numbers; what is nested deeper (lists of tensors) is left out, and nothing else may stand there.
std::vector<Shape> shapes_in(std::string_view text) {
  std::vector<Shape> shapes;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '[') {
      if (++depth == 2) shapes.emplace_back();
    } else if (c == ']') {
      if (depth-- == 0) return {};
    } else if (c >= '0' && c <= '9') {
      double number = 0;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
      if (error != std::errc() || depth != 2) return {};
      shapes.back().push_back(number);
      at = static_cast<std::size_t>(end - text.data()) - 1;
    }
  }
  return shapes;
}

// The strings of a list of them: ["", "[1, 1]", "False"]. In the file they stand quoted, in what was read perhaps with escapes.
std::vector<std::string_view> strings_in(std::string_view text) {
  std::vector<std::string_view> strings;
  for (std::size_t at = text.find('"'); at != text.npos;) {
    const std::size_t end = text.find('"', at + 1);
    if (end == text.npos) return {};
    strings.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('"', end + 1);
  }
  return strings;
}

// "[1, 2]" for two dimensions, "[1]" for each of them.
std::optional<Shape> numbers_of(std::string_view text, std::size_t dimensions) {
  Shape numbers;
  for (std::size_t at = text.find_first_of("0123456789"); at != text.npos; at = text.find_first_of("0123456789", at)) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - text.data());
  }
  if (numbers.size() == 1) numbers.resize(dimensions, numbers.front());
  return numbers.size() == dimensions ? std::optional(numbers) : std::nullopt;
}

double product_of(std::span<const double> numbers) {
  double product = 1;
  for (const double number : numbers) product *= number;
  return product;
}

// [.., m, k] times [.., k, n], with the same numbers before them.
std::optional<ProductWork> matrix_work(const std::vector<Shape>& shapes, std::size_t first, std::size_t rank) {
  if (shapes.size() < first + 2) return std::nullopt;
  const Shape &a = shapes[first], &b = shapes[first + 1];
  if (a.size() != rank || b.size() != rank || a.back() != b[rank - 2] || (rank == 3 && a[0] != b[0])) return std::nullopt;
  const double batch = rank == 3 ? a[0] : 1, m = a[rank - 2], k = a.back(), n = b.back();
  return ProductWork{2 * batch * m * n * k, batch * (m * k + k * n + m * n)};
}

// [.., k] times the transpose of [n, k].
std::optional<ProductWork> linear_work(const std::vector<Shape>& shapes) {
  if (shapes.size() < 2 || shapes[0].empty() || shapes[1].size() != 2 || shapes[0].back() != shapes[1][1]) return std::nullopt;
  const double rows = product_of(std::span(shapes[0]).first(shapes[0].size() - 1)), k = shapes[0].back(), n = shapes[1][0];
  return ProductWork{2 * rows * n * k, rows * k + n * k + rows * n};
}

// Of input [N, C, ..] and weight [K, C / groups, ..], each element of the output takes the elements of one row of the weight.
std::optional<ProductWork> convolution_work(const Shape& input, const Shape& weight, std::span<const std::string_view> settings) {
  const std::size_t dimensions = input.size() < 3 ? 0 : input.size() - 2;
  if (dimensions == 0 || weight.size() != input.size() || settings.size() < 3 || weight[0] <= 0) return std::nullopt;
  const auto stride = numbers_of(settings[0], dimensions), padding = numbers_of(settings[1], dimensions),
             dilation = numbers_of(settings[2], dimensions);
  if (!stride || !padding || !dilation) return std::nullopt;
  double output = input[0] * weight[0];
  for (std::size_t i = 0; i < dimensions; ++i) {
    const double reach = (*dilation)[i] * (weight[i + 2] - 1) + 1, steps = input[i + 2] + 2 * (*padding)[i] - reach;
    if ((*stride)[i] <= 0 || steps < 0) return std::nullopt;
    output *= std::floor(steps / (*stride)[i]) + 1;
  }
  return ProductWork{2 * output * product_of(weight) / weight[0], product_of(input) + product_of(weight) + output};
}

// Transposed, each element of the input meets one row of the weight [C, K / groups, ..].
std::optional<ProductWork> transposed_work(const Shape& input, const Shape& weight, double output) {
  if (input.size() < 3 || weight.size() != input.size() || weight[0] != input[1] || weight[0] <= 0) return std::nullopt;
  return ProductWork{2 * product_of(input) * product_of(weight) / weight[0], product_of(input) + product_of(weight) + output};
}

// Gradients of a convolution: as many operations each as the convolution, for those that are asked for: "[True, True, False]".
std::optional<ProductWork> backward_work(const std::vector<Shape>& shapes, std::span<const std::string_view> concrete) {
  if (shapes.size() < 3 || concrete.size() < 11) return std::nullopt;
  const Shape &output = shapes[0], &input = shapes[1], &weight = shapes[2];
  if (output.size() < 3 || weight.size() != output.size() || weight[0] <= 0) return std::nullopt;
  const std::string_view asked = concrete[10];
  const bool of_input = asked.starts_with("[True"), of_weight = asked.find(", True") < asked.rfind(',');
  const bool transposed = concrete[7] == "True";
  const double each = 2 * product_of(transposed ? input : output) * product_of(weight) / weight[0];
  const double tensors = product_of(output) + product_of(input) + product_of(weight);
  return ProductWork{each * (of_input + of_weight), tensors * (of_input + of_weight)};
}

// One kernel that a product launched.
struct LaunchedKernel {
  std::uint32_t op = 0;  // row
  std::int64_t ns = 0;
  ProductUnit unit = ProductUnit::unknown;
};

std::vector<LaunchedKernel> kernels_of_products(const Timeline& timeline, const Attribution& attribution,
                                                const knowledge::KernelClasses& classes, std::int64_t rank) {
  const auto tensor = classes.with_name("tensor_core_matrix"), fp32 = classes.with_name("fp32_matrix");
  JudgedNames is_product(timeline, model::is_product_operator);
  std::vector<std::int8_t> unit(timeline.names.size(), -1);
  std::vector<LaunchedKernel> kernels;
  for (const GpuWork& one : attribution.work) {
    if (one.op == none || timeline.kind[one.event] != EventKind::kernel || !is_of_rank(timeline, one.event, rank)) continue;
    if (!is_product.holds_for(one.op)) continue;
    std::int8_t& of_kernel = unit[timeline.name[one.event]];
    if (of_kernel < 0) {
      const std::uint64_t bits = classes.of(timeline.name_of(one.event));
      const bool on_tensor = tensor && (bits >> *tensor & 1), on_fp32 = fp32 && (bits >> *fp32 & 1);
      of_kernel = static_cast<std::int8_t>(on_tensor ? ProductUnit::tensor_cores
                                           : on_fp32 ? ProductUnit::fp32_cores
                                                     : ProductUnit::unknown);
    }
    kernels.push_back({one.op, timeline.duration[one.event], static_cast<ProductUnit>(of_kernel)});
  }
  if (!std::ranges::is_sorted(kernels, {}, &LaunchedKernel::op)) std::ranges::stable_sort(kernels, {}, &LaunchedKernel::op);
  return kernels;
}

// The kernels of one call.
struct CallTime {
  std::int64_t ns = 0, tensor_ns = 0, fp32_ns = 0;
  void add(const LaunchedKernel& kernel) {
    ns += kernel.ns;
    tensor_ns += kernel.unit == ProductUnit::tensor_cores ? kernel.ns : 0;
    fp32_ns += kernel.unit == ProductUnit::fp32_cores ? kernel.ns : 0;
  }
};

struct ProductSum {
  CallTime time;
  std::uint64_t calls = 0;
};

using ProductKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;  // name, shapes, types, concrete

ProductKey key_of(const Timeline& timeline, std::uint32_t op) {
  ProductKey key{timeline.name[op], Timeline::no_id, Timeline::no_id, Timeline::no_id};
  const std::uint32_t* const at = std::ranges::lower_bound(timeline.shaped_events, op);
  if (at != timeline.shaped_events.end() && *at == op)
    std::get<1>(key) = timeline.shapes_of[static_cast<std::size_t>(at - timeline.shaped_events.begin())];
  const auto arguments = std::ranges::lower_bound(timeline.arguments, op, {}, &model::OperatorArguments::event);
  if (arguments != timeline.arguments.end() && arguments->event == op) {
    std::get<2>(key) = arguments->types;
    std::get<3>(key) = arguments->concrete;
  }
  return key;
}

std::uint64_t bytes_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, std::uint64_t> sizes[] = {{"double", 8},        {"float", 4},       {"c10::Half", 2},
                                                                  {"c10::BFloat16", 2}, {"signed char", 1}, {"unsigned char", 1}};
  if (type.starts_with("c10::Float8")) return 1;
  const auto* const at = std::ranges::find(sizes, type, &std::pair<std::string_view, std::uint64_t>::first);
  return at == std::end(sizes) ? 0 : at->second;
}

// The type of the first matrix: of addmm and the like that of the second input, as the bias may be kept in another.
std::string type_of(std::string_view name, std::string_view types) {
  const std::vector<std::string_view> all = strings_in(types);
  const std::size_t first = name.ends_with("addmm") || name.ends_with("addbmm") || name.ends_with("baddbmm") ? 1 : 0;
  return first < all.size() ? std::string(all[first]) : "";
}

// Where most of the time is of kernels whose names say it.
ProductUnit unit_of(const CallTime& time) {
  if (time.tensor_ns * 2 > time.ns) return ProductUnit::tensor_cores;
  return time.fp32_ns * 2 > time.ns ? ProductUnit::fp32_cores : ProductUnit::unknown;
}

void add_product(const Timeline& timeline, const ProductKey& key, const ProductSum& sum, Products& products) {
  const auto [name, shapes, types, concrete] = key;
  if (shapes == Timeline::no_id || Timeline::is_hash_of_shapes(shapes)) {
    products.without_shapes_ns += sum.time.ns;
    return;
  }
  const std::string_view settings = concrete == Timeline::no_id ? std::string_view() : timeline.names[concrete];
  const std::optional<ProductWork> work = work_of_product({timeline.names[name], timeline.shapes[shapes], settings});
  if (!work || work->flops <= 0) {
    products.without_settings_ns += sum.time.ns;
    return;
  }
  Product product{
      std::string(timeline.names[name]), uniform_shapes(timeline.shapes[shapes]), "", sum.calls, sum.time.ns, *work, 0, unit_of(sum.time)};
  if (types != Timeline::no_id) product.type = type_of(product.name, timeline.names[types]);
  product.element_bytes = bytes_of_type(product.type);
  products.flops += product.flops();
  products.gpu_ns += product.gpu_ns;
  products.products.push_back(std::move(product));
}

}  // namespace

std::optional<ProductWork> work_of_product(const ProductInputs& inputs) {
  const std::vector<Shape> shapes = shapes_in(inputs.shapes);
  const std::vector<std::string_view> concrete = strings_in(inputs.concrete);
  const auto settings = [&](std::size_t first) { return std::span(concrete).subspan(std::min(first, concrete.size())); };
  const std::string_view name = inputs.name;
  if (name == "aten::mm" || name == "aten::_scaled_mm" || name == "aten::_int_mm") return matrix_work(shapes, 0, 2);
  if (name == "aten::addmm" || name == "aten::_addmm_activation") return matrix_work(shapes, 1, 2);
  if (name == "aten::bmm") return matrix_work(shapes, 0, 3);
  if (name == "aten::baddbmm") return matrix_work(shapes, 1, 3);
  if (name == "aten::linear") return linear_work(shapes);
  if (shapes.size() < 2) return std::nullopt;
  if (name == "aten::convolution_backward") return backward_work(shapes, concrete);
  if (name == "aten::cudnn_convolution_transpose") return transposed_work(shapes[0], shapes[1], 0);
  // Strides, paddings and dilations in the order in which each has them.
  const auto reordered = [&](std::size_t padding, std::size_t stride, std::size_t dilation) -> std::optional<ProductWork> {
    if (concrete.size() <= std::max({padding, stride, dilation})) return std::nullopt;
    const std::string_view ordered[] = {concrete[stride], concrete[padding], concrete[dilation]};
    return convolution_work(shapes[0], shapes[1], ordered);
  };
  if (name == "aten::cudnn_convolution") return reordered(2, 3, 4);
  if (name == "aten::miopen_convolution" || name == "aten::miopen_depthwise_convolution") return reordered(3, 4, 5);
  if (name == "aten::cudnn_convolution_relu") return reordered(4, 3, 5);
  if (name == "aten::convolution" || name == "aten::_convolution") {
    if (concrete.size() < 7) return std::nullopt;
    if (concrete[6] == "True") return transposed_work(shapes[0], shapes[1], 0);
    return convolution_work(shapes[0], shapes[1], settings(3));
  }
  if (name == "aten::conv1d" || name == "aten::conv2d" || name == "aten::conv3d")
    return convolution_work(shapes[0], shapes[1], settings(3));
  return std::nullopt;
}

Products products_of(const Timeline& timeline, const Attribution& attribution, const knowledge::KernelClasses& classes, std::int64_t rank) {
  Products products;
  const std::vector<LaunchedKernel> kernels = kernels_of_products(timeline, attribution, classes, rank);
  std::map<ProductKey, ProductSum> sums;
  for (std::size_t i = 0; i < kernels.size();) {
    ProductSum& sum = sums[key_of(timeline, kernels[i].op)];
    ++sum.calls;
    for (const std::uint32_t op = kernels[i].op; i < kernels.size() && kernels[i].op == op; ++i) sum.time.add(kernels[i]);
  }
  for (const auto& [key, sum] : sums) add_product(timeline, key, sum, products);
  std::ranges::stable_sort(products.products, std::ranges::greater{}, &Product::gpu_ns);
  products.different = products.products.size();
  products.products.resize(std::min(most_products, products.products.size()));
  return products;
}

}  // namespace frx::derive::trace
