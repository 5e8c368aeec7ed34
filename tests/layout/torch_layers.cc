// Products, attention, norms, convolutions and pooling, forward and backward.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "layout/torch.h"

namespace frx::testing::layout {
namespace {

Argument flag(bool value) { return Argument::scalar(value ? "True" : "False"); }

// PyTorch, prepare_batch_matrix_for_cublas: a matrix goes to cuBLAS as it is if one of its last two strides is 1 and the other at least as
// large as the row it steps over, whichever is which; the stride of the batch may be anything. A transposed weight is such a matrix.
bool is_taken_by_blas(const Tensor& x, bool is_batched) {
  const std::size_t row = x.sizes.size() - 2, column = row + 1;
  // PyTorch, prepare_matrix_for_cublas: so is any dense matrix.
  if (!is_batched && is_dense(x)) return true;
  const bool is_row_major = x.strides[column] == 1 && x.strides[row] >= std::max<std::int64_t>(1, x.sizes[column]);
  const bool is_column_major = x.strides[row] == 1 && x.strides[column] >= std::max<std::int64_t>(1, x.sizes[row]);
  return is_row_major || is_column_major;
}

// PyTorch, should_fold: matmul of a batch and a matrix is one product of two matrices if the matrix needs a gradient, or if rows of the
// batch follow each other without gaps; otherwise the matrix is expanded over the batch.
bool is_folded(const Tensor& x, const Tensor& y) {
  if (x.rank() < 3 || y.rank() != 2) return false;
  if (y.needs_grad) return true;
  for (std::size_t i = 0; i + 2 < x.sizes.size(); ++i) {
    if (x.strides[i] != x.strides[i + 1] * x.sizes[i + 1]) return false;
  }
  return true;
}

bool is_half(Scalar type) { return type == Scalar::f16 || type == Scalar::bf16; }

std::string_view short_type(Scalar type) { return type == Scalar::bf16 ? "bf16" : "f16"; }

std::string_view layer_norm_kernel(Scalar type, bool is_backward) {
  if (is_backward)
    return "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel<float, float>(float const*, float const*, float const*, "
           "float const*, float const*, float*, int)";
  return is_half(type) ? "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>(int, float, c10::Half "
                         "const*, c10::Half const*, c10::Half const*, float*, float*, c10::Half*)"
                       : "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*, "
                         "float const*, float const*, float*, float*, float*)";
}

}  // namespace

// A product on tensor cores reaches a part of their peak; one that is limited by memory a part of that.
double Torch::us_of_flops(double flops, std::int64_t count, Scalar type, bool allows_tf32) {
  double peak = type == Scalar::f64 ? gpu_.simt_flops_per_us / 2 : gpu_.simt_flops_per_us;
  if (is_half(type) && gpu_.tensor_flops_per_us > 0) peak = gpu_.tensor_flops_per_us;
  if (type == Scalar::f32 && allows_tf32 && gpu_.tf32_flops_per_us > 0) peak = gpu_.tf32_flops_per_us;
  return std::max(2 + flops / (peak * recorder_.between(0.55, 0.75)), us_of(count, recorder_.between(0.72, 0.85)));
}

void Torch::product_kernel(const Tensor& x, const Tensor& y, const Tensor& result) {
  const double flops = 2.0 * static_cast<double>(elements(result)) * static_cast<double>(x.sizes.back());
  const std::int64_t moved = unique_bytes(x) + unique_bytes(y) + bytes(result);
  const auto is_transposed = [](const Tensor& one) { return one.strides.back() != 1; };
  const char* operands = is_transposed(y) ? "tn" : is_transposed(x) ? "nt" : "nn";
  std::string name = fmt::format("ampere_sgemm_128x64_{}", operands);
  const bool has_tensor_cores = is_half(x.type) || (x.type == Scalar::f32 && allows_tf32_products && gpu_.tf32_flops_per_us > 0);
  if (gpu_.major < 8) name = fmt::format("volta_sgemm_128x64_{}", operands);
  if (is_half(x.type))
    name = fmt::format("ampere_{0}_s16816gemm_{0}_128x128_ldg8_f2f_stages_32x5_{1}", x.type == Scalar::bf16 ? "bf16" : "fp16", operands);
  if (is_half(x.type) && gpu_.major < 8) name = fmt::format("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_{}", operands);
  if (!is_half(x.type) && has_tensor_cores)
    name = fmt::format("sm80_xmma_gemm_tf32f32_tf32f32_f32_{}_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x8_kernel", operands);
  recorder_.launch(
      {name, us_of_flops(flops, moved, x.type, allows_tf32_products), moved, std::max<std::int64_t>(elements(result) / 64, 128), false});
}

// What cuBLAS cannot take is cloned first, below the operator.
Tensor Torch::product_operand(const Tensor& x, bool is_batched) {
  return is_taken_by_blas(x, is_batched) ? x : clone(x, Format::contiguous);
}

Tensor Torch::mm(const Tensor& x, const Tensor& y) {
  const Op op(recorder_, "aten::mm", {x, y});
  const Tensor left = product_operand(x, false), right = product_operand(y, false);
  const Extents sizes = {x.sizes[0], y.sizes[1]};
  const Tensor result = {.sizes = sizes, .strides = contiguous_strides(sizes), .type = x.type};
  product_kernel(left, right, result);
  // PyTorch, mm_mat2_backward: for a transposed matrix the transposed gradient is computed, so that TBackward gives the strides of it.
  return record("MmBackward0", {x, y}, result, [=, this](const Tensor& g) {
    Tensor for_y = g;
    if (y.needs_grad) for_y = y.strides[0] == 1 && y.sizes[0] > 1 ? t(mm(t(g), x)) : mm(t(x), g);
    return Gradients{x.needs_grad ? mm(g, t(y)) : g, for_y};
  });
}

Tensor Torch::bmm(const Tensor& x, const Tensor& y) {
  const Op op(recorder_, "aten::bmm", {x, y});
  const Tensor left = product_operand(x, true), right = product_operand(y, true);
  const Extents sizes = {x.sizes[0], x.sizes[1], y.sizes[2]};
  const Tensor result = {.sizes = sizes, .strides = contiguous_strides(sizes), .type = x.type};
  product_kernel(left, right, result);
  return record("BmmBackward0", {x, y}, result, [=, this](const Tensor& g) {
    const Tensor for_x = x.needs_grad ? bmm(g, transpose(y, 1, 2)) : g;
    return Gradients{for_x, y.needs_grad ? bmm(transpose(x, 1, 2), g) : g};
  });
}

Tensor Torch::addmm(const Tensor& bias, const Tensor& x, const Tensor& y) {
  const Op op(recorder_, "aten::addmm", {bias, x, y, Argument::number(1), Argument::number(1)});
  const Tensor left = product_operand(x, false), right = product_operand(y, false);
  const Extents sizes = {x.sizes[0], y.sizes[1]};
  const Tensor result = {.sizes = sizes, .strides = contiguous_strides(sizes), .type = x.type};
  product_kernel(left, right, result);
  return record("AddmmBackward0", {bias, x, y}, result, [=, this](const Tensor& g) {
    const Tensor for_x = x.needs_grad ? mm(g, t(y)) : g;
    const Tensor for_y = y.needs_grad ? t(mm(t(g), x)) : g;
    Tensor for_bias = sum(g);
    for_bias.sizes = bias.sizes;
    for_bias.strides = bias.strides;
    return Gradients{for_bias, for_x, for_y};
  });
}

// Operands of a batched product: expanded to one batch, then one batch dimension, which copies if the strides do not allow it.
Tensor Torch::batched(const Tensor& x, const Extents& batch) {
  Extents sizes = batch;
  sizes.insert(sizes.end(), x.sizes.end() - 2, x.sizes.end());
  return reshape(expand(x, sizes), {elements(batch), x.sizes[x.sizes.size() - 2], x.sizes.back()});
}

Tensor Torch::folded_matmul(const Tensor& x, const Tensor& y) {
  Extents sizes = x.sizes;
  sizes.back() = y.sizes.back();
  const Tensor rows = reshape(x, {elements(x) / x.sizes.back(), x.sizes.back()});
  const Tensor product = mm(rows, y);
  const Op op(recorder_, "aten::_unsafe_view", {product, sizes});
  return record("UnsafeViewBackward0", {product}, *viewed(product, sizes),
                [=, this](const Tensor& g) { return Gradients{reshape(g, product.sizes)}; });
}

Tensor Torch::matmul(const Tensor& x, const Tensor& y) {
  const Op op(recorder_, "aten::matmul", {x, y}, Op::composite);
  if (x.rank() == 2 && y.rank() == 2) return mm(x, y);
  if (is_folded(x, y)) return folded_matmul(x, y);
  Extents batch(x.sizes.begin(), x.sizes.end() - 2);
  if (y.rank() > x.rank()) batch.assign(y.sizes.begin(), y.sizes.end() - 2);
  Extents sizes = batch;
  sizes.insert(sizes.end(), {x.sizes[x.sizes.size() - 2], y.sizes.back()});
  const Tensor left = batched(x, batch), right = batched(y, batch);
  const Tensor product = bmm(left, right);
  const Op inner(recorder_, "aten::_unsafe_view", {product, sizes});
  return record("UnsafeViewBackward0", {product}, *viewed(product, sizes),
                [=, this](const Tensor& g) { return Gradients{reshape(g, product.sizes)}; });
}

Tensor Torch::linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias) {
  std::vector<Argument> arguments = {x, weight, {}};
  if (bias) arguments.back() = *bias;
  const Op op(recorder_, "aten::linear", arguments, Op::composite);
  if (bias && x.rank() == 2) return addmm(*bias, x, t(weight));
  if (bias && x.rank() == 3 && is_contiguous(x)) {
    const Tensor rows = reshape(x, {x.sizes[0] * x.sizes[1], x.sizes[2]});
    return view(addmm(*bias, rows, t(weight)), {x.sizes[0], x.sizes[1], weight.sizes[0]});
  }
  const Tensor product = matmul(x, t(weight));
  return bias ? binary("add_", product, *bias) : product;
}

// PyTorch, einsum: every operand gets all dimensions, in the order batch, own, summed; then one batched product.
Tensor Torch::einsum_heads(const Tensor& x, const Tensor& y) {
  const Op op(recorder_, "aten::einsum", {{}, std::vector<Tensor>{x, y}, {}}, Op::composite);
  const std::int64_t batch = x.sizes[0], rows = x.sizes[1], heads = x.sizes[2], size = x.sizes[3], columns = y.sizes[1];
  const Tensor left = permute(permute(unsqueeze(x, 4), {0, 2, 1, 4, 3}), {0, 1, 2, 4, 3});
  const Tensor right = permute(permute(unsqueeze(y, 4), {0, 2, 4, 1, 3}), {0, 1, 4, 3, 2});
  const Tensor product = bmm(reshape(left, {batch * heads, rows, size}), reshape(right, {batch * heads, size, columns}));
  return view(product, {batch, heads, rows, columns});
}

// The flash kernel takes any strides but the last, which must be 1.
Tensor Torch::attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Argument none, zero = Argument::scalar("0.");
  const Op op(recorder_, "aten::scaled_dot_product_attention", {q, k, v, none, zero, flag(false), none, flag(false)}, Op::composite);
  const Op inner(recorder_, "aten::_scaled_dot_product_flash_attention", {q, k, v, zero, flag(false), flag(false), none});
  const Tensor rows[] = {transpose(q, 1, 2), transpose(k, 1, 2), transpose(v, 1, 2)};
  Tensor result = {.sizes = rows[0].sizes, .strides = contiguous_strides(rows[0].sizes), .type = q.type};
  {
    const Op innermost(recorder_, "aten::_flash_attention_forward",
                       {rows[0], rows[1], rows[2], none, none, zero, flag(false), flag(false), none});
    empty(result.sizes, result.type);
    const std::int64_t moved = 3 * unique_bytes(q) + bytes(result);
    const double flops = 4.0 * static_cast<double>(elements(q)) * static_cast<double>(k.sizes[2]);
    recorder_.launch(
        {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::half_t> "
         ">(pytorch_flash::Flash_fwd_params)",
         us_of_flops(flops, moved, q.type, true), moved, elements(q) / 8, false});
  }
  result = transpose(result, 1, 2);
  return record("ScaledDotProductFlashAttentionBackward0", {q, k, v}, result, [=, this](const Tensor& g) {
    const Op backward(recorder_, "aten::_scaled_dot_product_flash_attention_backward", {g, q, k, v, result});
    const double flops = 10.0 * static_cast<double>(elements(q)) * static_cast<double>(k.sizes[2]);
    recorder_.launch(
        {"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, "
         "4, false, false, cutlass::half_t> >(pytorch_flash::Flash_bwd_params)",
         us_of_flops(flops, 8 * bytes(q), q.type, true), 8 * bytes(q), elements(q) / 8, false});
    return Gradients{made(q), made(k), made(v)};
  });
}

// PyTorch, host_softmax and softmax_backward: `input_.contiguous()` comes first.
Tensor Torch::softmax(const Tensor& x) {
  const Op op(recorder_, "aten::softmax", {x, Argument::number(-1), {}}, Op::composite);
  const Op inner(recorder_, "aten::_softmax", {x, Argument::number(-1), flag(false)});
  const Tensor input = contiguous(x);
  const Tensor result = empty_like(input, x.type, Format::contiguous);
  streaming_kernel(fmt::format("void (anonymous namespace)::softmax_warp_forward<{0}, {0}, float, 10, false, false>({0}*, {0} const*, int, "
                               "int, int, bool const*, int, bool)",
                               kernel_name(x.type)),
                   2 * bytes(x), elements(x) / 8, recorder_.between(0.62, 0.8));
  const Tensor kept = result;
  return record("SoftmaxBackward0", {x}, result, [=, this](const Tensor& g) {
    const Op backward(recorder_, "aten::_softmax_backward_data", {g, kept, Argument::number(-1), Argument::number(6)});
    const Tensor gradient = contiguous(g);
    streaming_kernel(fmt::format("void (anonymous namespace)::softmax_warp_backward<{0}, {0}, float, 10, false, false>({0}*, {0} const*, "
                                 "{0} const*, int, int, int, bool const*)",
                                 kernel_name(x.type)),
                     3 * bytes(x), elements(x) / 8, recorder_.between(0.62, 0.8));
    return Gradients{made(kept)};
  });
}

// PyTorch, layer_norm_cuda: `input.expect_contiguous()` comes first.
Tensor Torch::layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Argument epsilon = Argument::scalar("1.0000000000000001e-05");
  const Extents normal = {x.sizes.back()};
  const Op op(recorder_, "aten::layer_norm", {x, normal, weight, bias, epsilon, flag(true)}, Op::composite);
  const Op inner(recorder_, "aten::native_layer_norm", {x, normal, weight, bias, epsilon});
  const Tensor input = contiguous(x);
  const Tensor result = empty_like(input, x.type, Format::contiguous);
  const Extents rows = {elements(x) / x.sizes.back()};
  empty(result.sizes, result.type);
  empty(rows, Scalar::f32);
  empty(rows, Scalar::f32);
  streaming_kernel(std::string(layer_norm_kernel(x.type, false)), 2 * bytes(x), elements(x) / 8, recorder_.between(0.62, 0.82));
  const Tensor statistics = given(rows, Scalar::f32);
  return record("NativeLayerNormBackward0", {x, weight, bias}, result, [=, this](const Tensor& g) {
    const Op backward(recorder_, "aten::native_layer_norm_backward", {g, x, normal, statistics, statistics, weight, bias, {}});
    const Tensor gradient = contiguous(g), again = contiguous(x);
    streaming_kernel(std::string(layer_norm_kernel(x.type, true)), 3 * bytes(x), elements(x) / 8, recorder_.between(0.68, 0.82));
    return Gradients{made(result), made(weight), made(bias)};
  });
}

// PyTorch, cudnn_batch_norm: `input->contiguous(input->suggest_memory_format())` comes first.
Tensor Torch::batch_norm(const Tensor& x, const std::vector<Tensor>& weights) {
  const Argument momentum = Argument::scalar("0.10000000000000001"), epsilon = Argument::scalar("1.0000000000000001e-05");
  const std::vector<Argument> all = {x, weights[0], weights[1], weights[2], weights[3], flag(is_training), momentum, epsilon};
  std::vector<Argument> with_cudnn = all;
  with_cudnn.push_back(flag(true));
  const Op op(recorder_, "aten::batch_norm", with_cudnn, Op::composite);
  const Op inner(recorder_, "aten::_batch_norm_impl_index", with_cudnn, Op::composite);
  const Op innermost(recorder_, "aten::cudnn_batch_norm", all);
  const Format format = suggested_format(x);
  const Tensor input = contiguous(x, format);
  const Tensor result = empty_like(input, x.type, format);
  const bool is_nhwc = format == Format::channels_last;
  streaming_kernel(fmt::format("void cudnn::bn_fw_tr_1C11_kernel_N{}<{}, float, int, 512, true, 1, true>(cudnnTensorStruct, float const*)",
                               is_nhwc ? "HWC" : "CHW", is_half(x.type) ? "__half2" : "float"),
                   2 * bytes(x), elements(x) / 8, recorder_.between(0.55, 0.7));
  return record("CudnnBatchNormBackward0", {x, weights[0], weights[1]}, result, [=, this](const Tensor& g) {
    const Op backward(recorder_, "aten::cudnn_batch_norm_backward",
                      {x, g, weights[0], weights[2], weights[3], weights[0], weights[0], epsilon, {}});
    const Tensor gradient = contiguous(g, format);
    streaming_kernel(
        fmt::format("void cudnn::bn_bw_1C11_kernel_new<{}, float, float2, 512, true, 1>(float, float, float, float, cudnnTensorStruct)",
                    is_half(x.type) ? "__half" : "float"),
        3 * bytes(x), elements(x) / 8, recorder_.between(0.6, 0.75));
    return Gradients{made(result), made(weights[0]), made(weights[1])};
  });
}

// A conversion of cuDNN between NCHW and NHWC, below the operator that needed it.
void Torch::convert_layout(const Tensor& x, bool is_to_nhwc) {
  const std::string_view type = x.type == Scalar::f16 ? "__half" : x.type == Scalar::bf16 ? "__nv_bfloat16" : "float";
  const std::string name = fmt::format(
      "void cudnn::ops::{0}<{1}, {1}, float, false, true, (cudnnKernelDataType_t)2>(cudnn::ops::{2}_params_t<float>, {1} const*, {1}*)",
      is_to_nhwc ? "nchwToNhwcKernel" : "nhwcToNchwKernel", type, is_to_nhwc ? "nchw2nhwc" : "nhwc2nchw");
  const double us = us_of(2 * bytes(x), recorder_.between(0.3, 0.6));
  recorder_.launch({name, us, 2 * bytes(x), elements(x) / 4, false});
  recorder_.seen().kernels.back().is_copy = true;
}

void Torch::convolution_kernels(const Tensor& x, const Tensor& weight, const Tensor& result, const Convolution& how) {
  const bool is_nhwc = is_channels_last(result);
  const bool is_tf32 = x.type == Scalar::f32 && gpu_.tf32_flops_per_us > 0;
  const bool has_tensor_cores = (is_half(x.type) || is_tf32) && (is_nhwc || how.uses_layout_kernels);
  const bool converts = has_tensor_cores && !is_nhwc;
  if (converts) {
    convert_layout(x, true);
    convert_layout(weight, true);
  }
  const double flops =
      2.0 * static_cast<double>(elements(result)) * static_cast<double>(elements(weight)) / static_cast<double>(weight.sizes[0]);
  const std::int64_t moved = bytes(x) + bytes(weight) + bytes(result);
  std::string name = fmt::format("{}_scudnn_128x64_relu_xregs_large_nn_v1", gpu_.major >= 8 ? "cudnn_infer_ampere" : "volta");
  if (x.type == Scalar::f64)
    name = "void implicit_convolve_sgemm<double, double, 1024, 5, 5, 3, 3, 3, 1, false, false, true>(int, int, int, double const*)";
  if (has_tensor_cores) {
    const std::string type = is_half(x.type) ? fmt::format("{0}{0}_{0}f32_f32", short_type(x.type)) : "tf32f32_tf32f32_f32";
    name = fmt::format(
        "sm80_xmma_fprop_implicit_gemm_indexed_{}_nhwckrsc_{}_tilesize128x128x32_stage4_warpsize2x2x1_g1_tensor16x8x{}_execute_kernel__5x_"
        "cudnn",
        type, converts && how.returns_nchw ? "nchw" : "nhwc", is_half(x.type) ? 16 : 8);
  }
  recorder_.launch({name, us_of_flops(flops, moved, x.type, has_tensor_cores), moved, elements(result) / 16, false});
  if (converts && !how.returns_nchw) convert_layout(result, false);
  ConvolutionSeen seen = {recorder_.step(), recorder_.site,  x.type,   is_nhwc,  false,           false,
                          how.groups > 1,   x.sizes[1] <= 4, converts, !is_nhwc, has_tensor_cores};
  const std::int64_t multiple = is_half(x.type) ? 8 : 4;
  seen.has_aligned_channels = weight.sizes[0] % multiple == 0 && x.sizes[1] % multiple == 0;
  seen.is_ambiguous = x.sizes[1] == 1 || (x.sizes[2] == 1 && x.sizes[3] == 1);
  if (!recorder_.is_backward()) recorder_.seen().convolutions.push_back(std::move(seen));
}

Torch::Gradients Torch::convolution_backward(const Tensor& gradient, const Tensor& x, const Tensor& weight, const Convolution& how) {
  const Op op(recorder_, "aten::convolution_backward",
              {gradient,
               x,
               weight,
               {},
               Extents{how.stride, how.stride},
               Extents{how.padding, how.padding},
               Extents{1, 1},
               flag(false),
               Extents{0, 0},
               Argument::number(how.groups),
               {}});
  const bool is_nhwc = suggested_format(x) == Format::channels_last || suggested_format(weight) == Format::channels_last;
  const Tensor g = contiguous(gradient, is_nhwc ? Format::channels_last : Format::contiguous);
  Tensor for_x = empty_like(x, x.type, is_nhwc ? Format::channels_last : Format::contiguous);
  // Two products as large as that of the forward pass, with their own conversions.
  convolution_kernels(x, weight, empty_like(g, g.type, Format::preserve), how);
  convolution_kernels(x, weight, empty_like(g, g.type, Format::preserve), how);
  return {made(for_x), made(weight)};
}

// PyTorch, cudnn_conv_suggest_memory_format: channels_last if the input or the weight is. _convolution makes both so with contiguous().
Tensor Torch::convolved(const Tensor& x, const Tensor& weight, const Convolution& how) {
  const bool is_nhwc = suggested_format(x) == Format::channels_last || suggested_format(weight) == Format::channels_last;
  const Format format = is_nhwc ? Format::channels_last : Format::contiguous;
  const Tensor input = contiguous(x, format), filter = contiguous(weight, format);
  const auto output_size = [&](std::size_t i) { return (x.sizes[i] + 2 * how.padding - weight.sizes[i]) / how.stride + 1; };
  Tensor result = {.sizes = {x.sizes[0], weight.sizes[0], output_size(2), output_size(3)}, .strides = {}, .type = x.type};
  result.strides = is_nhwc ? channels_last_strides(result.sizes) : contiguous_strides(result.sizes);
  const Extents stride = {how.stride, how.stride}, padding = {how.padding, how.padding}, one = {1, 1};
  const Op op(recorder_, "aten::cudnn_convolution",
              {input, filter, padding, stride, one, Argument::number(how.groups), flag(false), flag(false), flag(true)});
  convolution_kernels(input, filter, result, how);
  return result;
}

void Torch::add_channel_bias(const Tensor& x, const Tensor& bias) {
  const double before = strided_efficiency;
  strided_efficiency = recorder_.between(0.6, 0.72);  // the bias is broadcast, the image is read as it lies
  const Tensor rows = reshape(bias, {1, bias.sizes[0], 1, 1});
  binary("add_", x, rows);
  strided_efficiency = before;
}

Tensor Torch::conv2d(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, const Convolution& how) {
  const Extents stride = {how.stride, how.stride}, padding = {how.padding, how.padding}, one = {1, 1}, zero = {0, 0};
  const Argument groups = Argument::number(how.groups), biased = bias ? Argument(*bias) : Argument(), no = flag(false), yes = flag(true);
  const Op op(recorder_, "aten::conv2d", {x, weight, biased, stride, padding, one, groups}, Op::composite);
  const Op second(recorder_, "aten::convolution", {x, weight, biased, stride, padding, one, no, zero, groups});
  Tensor result;
  {
    const Op third(recorder_, "aten::_convolution", {x, weight, biased, stride, padding, one, no, zero, groups, no, no, yes, yes});
    result = convolved(x, weight, how);
    if (bias) add_channel_bias(result, *bias);
  }
  return record("ConvolutionBackward0", {x, weight}, result,
                [=, this](const Tensor& g) { return convolution_backward(g, x, weight, how); });
}

// PyTorch, max_pool2d_with_indices: `input_.contiguous(memory_format)` of the format of the input comes first.
Tensor Torch::max_pool2d(const Tensor& x) {
  const Extents window = {2, 2}, zero = {0, 0}, one = {1, 1};
  const Op op(recorder_, "aten::max_pool2d", {x, window, window, zero, one, flag(false)}, Op::composite);
  const Op inner(recorder_, "aten::max_pool2d_with_indices", {x, window, window, zero, one, flag(false)});
  const Format format = suggested_format(x);
  const Tensor input = contiguous(x, format);
  Tensor result = empty_like(input, x.type, format);
  result.sizes = {x.sizes[0], x.sizes[1], x.sizes[2] / 2, x.sizes[3] / 2};
  result.strides = format == Format::channels_last ? channels_last_strides(result.sizes) : contiguous_strides(result.sizes);
  const std::int64_t moved = bytes(x) + elements(result) * (bytes_of(x.type) + 8);  // indices are of 8 bytes
  streaming_kernel(
      fmt::format("void at::native::(anonymous namespace)::max_pool_forward_n{}<{}, float>(int, float const*, long, long, long, int, int)",
                  format == Format::channels_last ? "hwc" : "chw", kernel_name(x.type)),
      moved, elements(result) / 2, recorder_.between(0.6, 0.75));
  const Tensor kept = result;
  return record("MaxPool2DWithIndicesBackward0", {x}, result, [=, this](const Tensor& g) {
    const Op backward(recorder_, "aten::max_pool2d_with_indices_backward", {g, x, window, window, zero, one, flag(false), kept});
    const Tensor gradient = contiguous(g, format);
    streaming_kernel(
        "void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(float const*, long const*, int, long, long, long)",
        moved + bytes(x), elements(x) / 2, recorder_.between(0.6, 0.75));
    return Gradients{made(empty_like(x, x.type, format))};
  });
}

}  // namespace frx::testing::layout
