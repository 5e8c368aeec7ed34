// Views, copies, elementwise operators and the backward pass; torch_layers.cc has products and layers.
#include "layout/torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace frx::testing::layout {
namespace {

Argument formatted(Format format) { return format == Format::preserve ? Argument() : Argument::number(static_cast<int>(format)); }
Argument typed(Scalar type) { return Argument::number(type_number(type)); }

// Elementwise functors by operator, as they stand in names of kernels.
std::string functor_of(std::string_view name, Scalar type) {
  const std::string_view t = kernel_name(type);
  if (name == "add" || name == "add_") return fmt::format("at::native::CUDAFunctor_add<{}>", t);
  if (name == "mul") return fmt::format("at::native::BinaryFunctor<{0}, {0}, {0}, at::native::binary_internal::MulFunctor<{0}> >", t);
  if (name == "relu")
    return "at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, "
           "at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}";
  return fmt::format("at::native::{}_kernel_cuda(at::TensorIteratorBase&)::{{lambda()#1}}::operator()() const::{{lambda({})#1}}", name, t);
}

std::string copy_functor(Scalar type) {
  return fmt::format(
      "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{{lambda()#3}}::operator()() const::{{lambda()#12}}::operator()() "
      "const::{{lambda({})#1}}",
      kernel_name(type));
}

// Kernels of TensorIterator: one run of memory needs no index calculation, and is read in vectors.
std::string elementwise_name(const std::string& functor, bool is_one_run, bool is_cast, std::size_t operands, Scalar type) {
  const int lanes = bytes_of(type) <= 2 ? 4 : 2;
  if (is_one_run && is_cast) {
    return fmt::format(
        "void at::native::unrolled_elementwise_kernel<{0}, std::array<char*, {1}ul>, 4, TrivialOffsetCalculator<1, unsigned int>, "
        "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int, {0})",
        functor, operands);
  }
  if (is_one_run)
    return fmt::format("void at::native::vectorized_elementwise_kernel<4, {0}, std::array<char*, {1}ul> >(int, {0})", functor, operands);
  return fmt::format(
      "void at::native::elementwise_kernel<128, {0}, at::native::gpu_kernel_impl{1}<{2}>(at::TensorIteratorBase&, {2} const&)::"
      "{{lambda(int)#1}}>(int, at::native::gpu_kernel_impl{1}<{2}>(at::TensorIteratorBase&, {2} const&)::{{lambda(int)#1}})",
      lanes, is_cast ? "" : "_nocast", functor);
}

// The dimensions of more than one element, by the strides of a tensor: two tensors of one physical order have the same.
bool have_one_order(const Tensor& one, const Tensor& other) { return is_one_run(std::array{one, other}); }

CopyKind kind_of_copy(const Tensor& to, const Tensor& from) {
  if (to.is_on_gpu != from.is_on_gpu) return CopyKind::transfer;
  Tensor same_order = empty_like(from, to.type, Format::preserve);
  const bool is_same_order = have_one_order(same_order, to);
  if (is_expanded(from)) return CopyKind::materialise;
  if (to.type != from.type) return is_same_order ? CopyKind::cast : CopyKind::cast_relayout;
  if (!is_same_order) return CopyKind::relayout;
  return is_dense(from) && is_dense(to) ? CopyKind::plain : CopyKind::compact;
}

}  // namespace

Tensor Torch::made(Tensor tensor) {
  tensor.id = recorder_.new_id();
  tensor.needs_grad &= is_training;
  return tensor;
}

Tensor Torch::given(const Extents& sizes, Scalar type) {
  return made({.sizes = sizes, .strides = contiguous_strides(sizes), .type = type});
}

Tensor Torch::parameter(const Extents& sizes, Scalar type) {
  return made({.sizes = sizes, .strides = contiguous_strides(sizes), .type = type, .needs_grad = true});
}

// A value that autograd can go back from; nested calls below an operator of autograd record nothing.
Tensor Torch::record(std::string_view node, const std::vector<Tensor>& inputs, Tensor output,
                     std::function<Gradients(const Tensor&)> backward) {
  output.needs_grad = std::ranges::any_of(inputs, &Tensor::needs_grad);
  output.is_unstable = std::ranges::any_of(inputs, &Tensor::is_unstable);
  output = made(output);
  if (!output.needs_grad || !recorder_.is_recorded()) return output;
  tape_.push_back({std::string(node), recorder_.next_sequence++, recorder_.site, inputs, output.id, std::move(backward)});
  return output;
}

void Torch::as_strided(const Tensor& x, const Tensor& result) {
  const Op op(recorder_, "aten::as_strided", {x, result.sizes, result.strides, {}});
}

void Torch::empty(const Extents& sizes, Scalar type) {
  const Op op(recorder_, "aten::empty", {sizes, typed(type), Argument::number(0), {}, {}, {}});
}

Tensor Torch::view(const Tensor& x, const Extents& sizes) {
  const Op op(recorder_, "aten::view", {x, sizes});
  const Tensor result =
      record("ViewBackward0", {x}, *viewed(x, sizes), [this, x](const Tensor& g) { return Gradients{reshape(g, x.sizes)}; });
  recorder_.note_view(x, result, {});
  return result;
}

Tensor Torch::transpose(const Tensor& x, std::int64_t one, std::int64_t other) {
  const Op op(recorder_, "aten::transpose", {x, Argument::number(one), Argument::number(other)});
  const Tensor result = record("TransposeBackward0", {x}, transposed(x, one, other),
                               [=, this](const Tensor& g) { return Gradients{transpose(g, one, other)}; });
  as_strided(x, result);
  Extents order;
  for (std::int64_t i = 0; i < x.rank(); ++i) order.push_back(i);
  std::swap(order[static_cast<std::size_t>((one + x.rank()) % x.rank())], order[static_cast<std::size_t>((other + x.rank()) % x.rank())]);
  recorder_.note_view(x, result, order);
  return result;
}

Tensor Torch::permute(const Tensor& x, const Extents& order) {
  const Op op(recorder_, "aten::permute", {x, order});
  Extents back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  const Tensor result =
      record("PermuteBackward0", {x}, permuted(x, order), [=, this](const Tensor& g) { return Gradients{permute(g, back)}; });
  as_strided(x, result);
  recorder_.note_view(x, result, order);
  return result;
}

Tensor Torch::t(const Tensor& x) {
  const Op op(recorder_, "aten::t", {x});
  const Tensor result = record("TBackward0", {x}, transposed(x, 0, 1), [this](const Tensor& g) { return Gradients{t(g)}; });
  {
    const Op inner(recorder_, "aten::transpose", {x, Argument::number(0), Argument::number(1)});
    as_strided(x, result);
  }
  recorder_.note_view(x, result, {1, 0});
  return result;
}

Tensor Torch::expand(const Tensor& x, const Extents& sizes) {
  const Op op(recorder_, "aten::expand", {x, sizes, Argument::scalar("False")});
  const Tensor expected = expanded(x, sizes);
  const Tensor result = record("ExpandBackward0", {x}, expected, [=, this](const Tensor& g) {
    if (x.sizes == expected.sizes) return Gradients{g};
    Tensor small = sum(g);
    small.sizes = x.sizes;
    small.strides = contiguous_strides(x.sizes);
    return Gradients{small};
  });
  as_strided(x, result);
  recorder_.note_view(x, result, {});
  return result;
}

// Of parts the gradient is a tensor of zeros with a part that is written.
Tensor Torch::select(const Tensor& x, std::int64_t dimension, std::int64_t index) {
  const Op op(recorder_, "aten::select", {x, Argument::number(dimension), Argument::number(index)});
  const Tensor result = record("SelectBackward0", {x}, selected(x, dimension), [=, this](const Tensor& g) {
    const Op inner(recorder_, "aten::select_backward", {g, x.sizes, Argument::number(dimension), Argument::number(index)});
    const Tensor all = given(x.sizes, g.type);
    copy_(selected(all, dimension), g);
    return Gradients{all};
  });
  as_strided(x, result);
  recorder_.note_view(x, result, {});
  return result;
}

Tensor Torch::slice(const Tensor& x, std::int64_t dimension, std::int64_t begin, std::int64_t end, std::int64_t step) {
  const std::vector<Argument> where = {Argument::number(dimension), Argument::number(begin), Argument::number(end), Argument::number(step)};
  const Op op(recorder_, "aten::slice", {x, where[0], where[1], where[2], where[3]});
  const Tensor result = record("SliceBackward0", {x}, sliced(x, dimension, begin, end, step), [=, this](const Tensor& g) {
    const Op inner(recorder_, "aten::slice_backward", {g, x.sizes, where[0], where[1], where[2], where[3]});
    const Tensor all = given(x.sizes, g.type);
    copy_(sliced(all, dimension, begin, end, step), g);
    return Gradients{all};
  });
  as_strided(x, result);
  recorder_.note_view(x, result, {});
  return result;
}

Tensor Torch::unsqueeze(const Tensor& x, std::int64_t dimension) {
  const Op op(recorder_, "aten::unsqueeze", {x, Argument::number(dimension)});
  const Tensor result =
      record("UnsqueezeBackward0", {x}, unsqueezed(x, dimension), [=, this](const Tensor& g) { return Gradients{squeeze(g, dimension)}; });
  as_strided(x, result);
  recorder_.note_view(x, result, {});
  return result;
}

Tensor Torch::squeeze(const Tensor& x, std::int64_t dimension) {
  const Op op(recorder_, "aten::squeeze", {x, Argument::number(dimension)});
  const Tensor result =
      record("SqueezeBackward1", {x}, squeezed(x, dimension), [=, this](const Tensor& g) { return Gradients{unsqueeze(g, dimension)}; });
  as_strided(x, result);
  recorder_.note_view(x, result, {});
  return result;
}

// PyTorch: reshape() is view() where the strides allow it, and a contiguous clone where they do not.
Tensor Torch::reshape(const Tensor& x, const Extents& sizes) {
  const Op op(recorder_, "aten::reshape", {x, sizes}, Op::composite);
  if (!viewed(x, sizes)) return reshaped_by_copy(x, sizes);
  Tensor result;
  if (has_reshape_alias) {
    const Tensor alias = *viewed(x, sizes);
    const Op inner(recorder_, "aten::_reshape_alias", {x, alias.sizes, alias.strides});
    result = record("ReshapeAliasBackward0", {x}, alias, [this, x](const Tensor& g) { return Gradients{reshape(g, x.sizes)}; });
  } else {
    result = view(x, sizes);
  }
  recorder_.note_view(x, result, {});
  return result;
}

Tensor Torch::reshaped_by_copy(const Tensor& x, const Extents& sizes) {
  const Tensor copy = clone(x, Format::contiguous);
  const Op inner(recorder_, "aten::_unsafe_view", {copy, sizes});
  return record("UnsafeViewBackward0", {copy}, *viewed(copy, sizes),
                [this, copy](const Tensor& g) { return Gradients{reshape(g, copy.sizes)}; });
}

// PyTorch: contiguous() of a tensor that is so returns it before an operator is called; only Python sees the call.
Tensor Torch::contiguous(const Tensor& x, Format format) {
  if (format == Format::channels_last ? is_channels_last(x) : is_contiguous(x)) {
    recorder_.push_frame("<built-in method contiguous of Tensor object at 0x7f3a41c0>");
    recorder_.pop_frame();
    return x;
  }
  const Op op(recorder_, "aten::contiguous", {x, formatted(format)}, Op::composite);
  return clone(x, format);
}

// PyTorch: a clone preserves the strides of a dense tensor, and asks for an empty tensor of those strides.
Tensor Torch::clone(const Tensor& x, Format format) {
  const Op op(recorder_, "aten::clone", {x, formatted(format)});
  Tensor result = empty_like(x, x.type, format);
  if (format == Format::preserve && is_dense(x)) {
    const Op inner(recorder_, "aten::empty_strided", {result.sizes, result.strides, typed(x.type), Argument::number(0), {}, {}});
  } else {
    const Op inner(recorder_, "aten::empty_like",
                   {x, typed(x.type), Argument::number(0), {}, {}, Argument::number(static_cast<int>(format))});
    if (format == Format::preserve) {
      const Op innermost(recorder_, "aten::empty_strided", {result.sizes, result.strides, typed(x.type), Argument::number(0), {}, {}});
    } else {
      empty(result.sizes, result.type);
    }
  }
  result = record("CloneBackward0", {x}, result, [](const Tensor& g) { return Gradients{g}; });
  copy_(result, x);
  return result;
}

// PyTorch: tensors of one type that are one run of memory each, in one order, are copied by cudaMemcpyAsync; all others by a kernel of
// TensorIterator.
void Torch::copy_(const Tensor& to, const Tensor& from) {
  const Op op(recorder_, "aten::copy_", {to, from, Argument::scalar("False")});
  const CopyKind kind = kind_of_copy(to, from);
  if (kind == CopyKind::transfer) {
    const double us = 10 + static_cast<double>(bytes(to)) / 24000;
    recorder_.memcpy_on_gpu("HtoD (Pageable -> Device)", bytes(to), us);
    return recorder_.note_copy(kind, to, from, us);
  }
  const bool is_run = have_one_order(to, from);
  const std::int64_t moved = bytes(to) + unique_bytes(from);
  const double efficiency = is_run ? 0.8 : recorder_.between(0.25, 0.55);
  const double us = us_of(moved, efficiency);
  if (is_run && to.type == from.type) {
    recorder_.memcpy_on_gpu("DtoD (Device -> Device)", bytes(to), us);
  } else {
    recorder_.launch(
        {elementwise_name(copy_functor(to.type), is_run, to.type != from.type, 2, to.type), us, moved, elements(to) / 4, false});
  }
  recorder_.note_copy(kind, to, from, us);
}

Tensor Torch::to(const Tensor& x, Scalar type) {
  const Op op(recorder_, "aten::to", {x, typed(type), Argument::scalar("False"), Argument::scalar("False"), {}}, Op::composite);
  if (type == x.type) return x;
  const Op inner(recorder_, "aten::_to_copy", {x, typed(type), {}, {}, {}, Argument::scalar("False"), {}});
  Tensor result = empty_like(x, type, Format::preserve);
  {
    const Op innermost(recorder_, "aten::empty_strided",
                       {result.sizes, result.strides, typed(type), Argument::number(0), {}, Argument::scalar("False")});
  }
  result = record("ToCopyBackward0", {x}, result, [this, x](const Tensor& g) { return Gradients{to(g, x.type)}; });
  copy_(result, x);
  return result;
}

Tensor Torch::to_channels_last(const Tensor& x) {
  const Argument no = Argument::scalar("False");
  const Op op(recorder_, "aten::to", {x, {}, {}, {}, {}, no, no, Argument::number(2)}, Op::composite);
  if (is_channels_last(x)) return x;
  const Op inner(recorder_, "aten::_to_copy", {x, {}, {}, {}, {}, no, Argument::number(2)});
  Tensor result = empty_like(x, x.type, Format::channels_last);
  empty(result.sizes, result.type);
  result = record("ToCopyBackward0", {x}, result, [](const Tensor& g) { return Gradients{g}; });
  copy_(result, x);
  return result;
}

Tensor Torch::to_gpu(const Tensor& x) {
  Tensor host = x;
  host.is_on_gpu = false;
  const Argument no = Argument::scalar("False");
  const Op op(recorder_, "aten::to", {host, typed(x.type), Argument::number(0), {}, {}, no, no, {}}, Op::composite);
  const Op inner(recorder_, "aten::_to_copy", {host, typed(x.type), Argument::number(0), {}, {}, no, {}});
  const Tensor result = made(empty_like(x, x.type, Format::preserve));
  { const Op innermost(recorder_, "aten::empty_strided", {result.sizes, result.strides, typed(x.type), Argument::number(0), {}, {}}); }
  copy_(result, host);
  return result;
}

Tensor Torch::cat(const std::vector<Tensor>& parts, std::int64_t dimension) {
  const Op op(recorder_, "aten::cat", {parts, Argument::number(dimension)});
  Tensor result = parts.front();
  std::int64_t moved = 0;
  std::int64_t size = 0;
  for (const Tensor& part : parts) {
    size += part.sizes[static_cast<std::size_t>(dimension)];
    moved += 2 * bytes(part);
  }
  result.sizes[static_cast<std::size_t>(dimension)] = size;
  result.strides = contiguous_strides(result.sizes);
  const std::int64_t width = bytes_of(result.type);
  streaming_kernel(fmt::format("void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<at::native::(anonymous "
                               "namespace)::OpaqueType<{}u>, unsigned int, 2, 128, 1>()",
                               width),
                   moved, elements(result) / 4, recorder_.between(0.65, 0.8));
  return record("CatBackward0", parts, result, [=, this](const Tensor& g) {
    Gradients result;
    std::int64_t at = 0;
    for (const Tensor& part : parts) {
      const std::int64_t next = at + part.sizes[static_cast<std::size_t>(dimension)];
      result.push_back(slice(g, dimension, at, next));
      at = next;
    }
    return result;
  });
}

double Torch::us_of(std::int64_t count, double efficiency) {
  // What fits into the cache is moved faster than memory could, and takes as long as a launch.
  const double bandwidth = gpu_.bytes_per_us * (static_cast<double>(count) < gpu_.l2_bytes * 0.5 ? 1.4 : 1.0);
  return (1.8 + static_cast<double>(count) / (bandwidth * efficiency)) * recorder_.between(0.98, 1.02);
}

void Torch::streaming_kernel(const std::string& name, std::int64_t count, std::int64_t threads, double efficiency) {
  recorder_.launch({name, us_of(count, efficiency), count, threads, false});
}

void Torch::elementwise_kernel(std::string_view name, const std::vector<Tensor>& inputs, const Tensor& result) {
  std::vector<Tensor> all = inputs;
  all.push_back(result);
  std::int64_t moved = 0;
  for (const Tensor& one : all) moved += unique_bytes(one);
  const bool is_run = is_one_run(all);
  const double efficiency = is_run ? recorder_.between(0.76, 0.88) : strided_efficiency;
  const Scalar type = result.type;
  recorder_.launch({elementwise_name(functor_of(name, type), is_run, false, all.size(), type), us_of(moved, efficiency), moved,
                    elements(result) / 4, true});
}

Tensor Torch::unary(std::string_view name, const Tensor& x) {
  const Op op(recorder_, fmt::format("aten::{}", name),
              name == "gelu" ? std::vector<Argument>{x, Argument::scalar("none")} : std::vector<Argument>{x});
  const Tensor result = elementwise_result(std::array{x}, x.type);
  elementwise_kernel(name, {x}, result);
  std::string node(name);
  node[0] = static_cast<char>(node[0] - 'a' + 'A');
  return record(node + "Backward0", {x}, result, [=, this, name = std::string(name)](const Tensor& g) {
    const Op inner(recorder_, fmt::format("aten::{}_backward", name == "relu" ? "threshold" : name), {g, x});
    const Tensor gradient = made(elementwise_result(std::array{g, x}, x.type));
    elementwise_kernel(name + "_backward", {g, x}, gradient);
    return Gradients{gradient};
  });
}

Tensor Torch::binary(std::string_view name, const Tensor& x, const Tensor& y) {
  std::vector<Argument> arguments = {x, y};
  if (name.starts_with("add")) arguments.push_back(Argument::number(1));
  const Op op(recorder_, fmt::format("aten::{}", name), arguments);
  const Tensor result = elementwise_result(std::array{x, y}, x.type);
  elementwise_kernel(name, {x, y}, result);
  if (name.starts_with("add")) {
    return record("AddBackward0", {x, y}, result, [=, this](const Tensor& g) { return Gradients{g, y.sizes == g.sizes ? g : sum(g)}; });
  }
  return record("MulBackward0", {x, y}, result, [=, this](const Tensor& g) {
    const Tensor left = x.needs_grad ? binary("mul", g, y) : g;
    return Gradients{left, y.needs_grad ? binary("mul", g, x) : g};
  });
}

Tensor Torch::sum(const Tensor& x) {
  const Op op(recorder_, "aten::sum", {x, {}});
  const Tensor result = {.sizes = {}, .strides = {}, .type = x.type};
  streaming_kernel(fmt::format("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<{0}, at::native::func_wrapper_t<{0}, "
                               "at::native::sum_functor<{0}, float, {0}> >, unsigned int, {0}, 4> >()",
                               kernel_name(x.type)),
                   unique_bytes(x), elements(x) / 8, recorder_.between(0.6, 0.8));
  // The gradient of a sum is one number for all elements: expanded, with strides of 0.
  return record("SumBackward0", {x}, result, [=, this](const Tensor& g) { return Gradients{expand(g, x.sizes)}; });
}

void Torch::long_custom_operator(const Tensor& x) {
  const Op op(recorder_, "my_ops::selective_scan", {x});
  const double us = us_of(bytes(x), 0.7) * recorder_.between(8, 20);
  recorder_.launch({"void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<128, 16, 1> >(SSMParamsBase)", us, bytes(x),
                    elements(x) / 16, false});
}

void Torch::fused_kernel(const std::string& name, const Tensor& x) {
  const Op op(recorder_, name, {x, x, Argument::number(elements(x))});
  streaming_kernel(name, 2 * bytes(x), elements(x) / 4, recorder_.between(0.76, 0.88));
}

void Torch::optimizer_step(const std::vector<Tensor>& parameters) {
  const double since = recorder_.now();
  const Argument one = Argument::scalar("0.001"), no = Argument::scalar("False");
  {
    const Op op(recorder_, "aten::_fused_adamw_",
                {parameters, parameters, parameters, parameters, Extents{}, Extents{}, one, one, one, one, one, no, no});
    std::int64_t moved = 0;
    for (const Tensor& parameter : parameters) moved += 7 * bytes(parameter);  // reads four tensors, writes three
    streaming_kernel(
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
        "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, "
        "(at::native::ADAM_MODE)1, false> >()",
        moved, moved / 64, recorder_.between(0.75, 0.85));
  }
  recorder_.annotate("Optimizer.step#AdamW.step", since);
}

// A second gradient of one tensor is added to the first.
void Torch::accumulate(std::map<int, Tensor>& gradients, const Tensor& input, const Tensor& gradient) {
  const auto [at, is_first] = gradients.try_emplace(input.id, gradient);
  if (!is_first) at->second = binary("add", at->second, gradient);
}

// PyTorch: the gradient of a parameter is kept as it is if its strides are those of the parameter, else copied into such strides.
void Torch::accumulate_into_parameter(const Tensor& parameter, const Tensor& gradient) {
  recorder_.open_wrapper("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", -1);
  recorder_.open("torch::autograd::AccumulateGrad", {gradient}, true);
  if (gradient.strides == parameter.strides || gradient.sizes != parameter.sizes) {
    const Op op(recorder_, "aten::detach", {gradient});
    const Op inner(recorder_, "detach", {gradient});
  } else {
    {
      const Op op(recorder_, "aten::new_empty_strided",
                  {gradient, parameter.sizes, parameter.strides, typed(gradient.type), Argument::number(0), {}, {}});
      const Op inner(recorder_, "aten::empty_strided",
                     {parameter.sizes, parameter.strides, typed(gradient.type), Argument::number(0), {}, {}});
    }
    copy_(parameter, gradient);
  }
  recorder_.close();
  recorder_.close();
}

Tensor Torch::ones_like(const Tensor& x) {
  const Op op(recorder_, "aten::ones_like", {x, typed(x.type), Argument::number(0), {}, {}, {}});
  {
    const Op inner(recorder_, "aten::empty_like", {x, typed(x.type), Argument::number(0), {}, {}, {}});
    const Op innermost(recorder_, "aten::empty_strided", {x.sizes, x.strides, typed(x.type), Argument::number(0), {}, {}});
  }
  const Op inner(recorder_, "aten::fill_", {x, Argument::scalar("1.")});
  streaming_kernel(
      "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, "
      "at::native::FillFunctor<float>, std::array<char*, 1ul>)",
      bytes(x), elements(x), 0.8);
  Tensor result = x;
  result.needs_grad = false;
  return made(result);
}

void Torch::backward(const Tensor& loss) {
  std::map<int, Tensor> gradients;
  std::map<int, bool> is_computed;
  for (const Node& node : tape_) is_computed[node.output] = true;
  const Site before = recorder_.site;
  recorder_.push_frame("torch/_tensor.py(466): backward");
  recorder_.push_frame("torch/autograd/__init__.py(165): backward");
  gradients[loss.id] = ones_like(loss);
  recorder_.enter_autograd_thread(true);
  for (auto node = tape_.rbegin(); node != tape_.rend(); ++node) {
    const auto at = gradients.find(node->output);
    if (at == gradients.end()) continue;
    recorder_.site = node->site;
    recorder_.open_wrapper("autograd::engine::evaluate_function: " + node->name, node->sequence);
    recorder_.open_wrapper(node->name, node->sequence);
    const Gradients results = node->backward(at->second);
    recorder_.close();
    for (std::size_t i = 0; i < results.size() && i < node->inputs.size(); ++i) {
      if (node->inputs[i].needs_grad) accumulate(gradients, node->inputs[i], results[i]);
    }
    recorder_.close();
    for (const Tensor& input : node->inputs) {
      if (input.needs_grad && !is_computed[input.id] && gradients.contains(input.id)) {
        accumulate_into_parameter(input, gradients[input.id]);
        gradients.erase(input.id);
      }
    }
  }
  recorder_.enter_autograd_thread(false);
  recorder_.pop_frame();
  recorder_.pop_frame();
  recorder_.site = before;
  tape_.clear();
}

}  // namespace frx::testing::layout
