#include <algorithm>
#include <initializer_list>

#include "derive/layout/operator_output.h"

namespace frx::derive::layout {
namespace {

struct FamilyNames {
  OperatorFamily family;
  std::initializer_list<std::string_view> names;
};

// Names without "aten::" and without the "_" of operators that work in place. What is not here goes by its role.
// clang-format off
const FamilyNames family_names[] = {
    {OperatorFamily::filling,
     {"fill", "zero", "bernoulli", "normal", "uniform", "exponential", "random", "log_normal", "geometric", "cauchy"}},
    {OperatorFamily::elementwise,
     {"neg", "erfinv", "nan_to_num", "isnan", "isinf", "isfinite", "logical_or", "logical_xor", "bitwise_not", "bitwise_xor", "clamp_max",
      "_masked_scale", "fmod", "floor_divide", "hardsigmoid", "hardsigmoid_backward", "hardswish_backward", "prelu", "_prelu_kernel",
      "_prelu_kernel_backward", "elu_backward", "mish_backward", "erfc", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "log2",
      "log10", "exp2", "trunc", "frac", "sgn", "logit", "sigmoid_backward", "relu6", "celu", "selu", "glu_backward", "xlogy", "hypot",
      "logaddexp", "fmax", "fmin", "copysign", "heaviside", "mse_loss_backward", "smooth_l1_loss", "smooth_l1_loss_backward", "huber_loss",
      "binary_cross_entropy_with_logits", "binary_cross_entropy", "binary_cross_entropy_backward", "complex", "polar", "lerp", "softshrink",
      "hardshrink", "threshold", "log_sigmoid_forward", "log_sigmoid_backward", "rrelu_with_noise", "true_divide", "divide", "multiply",
      "subtract", "_conj_physical", "conj_physical", "bitwise_left_shift", "bitwise_right_shift", "__lshift__", "__rshift__", "__and__",
      "__or__", "logical_and", "greater", "less", "special_erf", "relu", "add", "mul"}},
    {OperatorFamily::scan, {"cumsum", "cumprod", "logcumsumexp", "flip", "roll"}},
    {OperatorFamily::reduction,
     {"nansum", "count_nonzero", "aminmax", "dot", "vdot", "std_mean", "median", "mode", "kthvalue", "frobenius_norm", "_unique2"}},
    {OperatorFamily::copying, {"repeat", "_reshape_copy", "clone", "contiguous", "copy", "_to_copy", "to"}},
    {OperatorFamily::resampling,
     {"upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact2d", "upsample_linear1d",
      "upsample_bilinear2d", "upsample_bicubic2d", "upsample_trilinear3d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa",
      "upsample_nearest2d_backward", "upsample_bilinear2d_backward", "upsample_bicubic2d_backward", "upsample_trilinear3d_backward",
      "upsample_nearest3d_backward"}},
    {OperatorFamily::embedding, {"embedding"}},
    {OperatorFamily::embedding_gradient, {"embedding_dense_backward"}},
    {OperatorFamily::gathering, {"gather", "index_select", "index", "take", "take_along_dim", "nll_loss_forward", "nll_loss2d_forward",
                                 "masked_select", "embedding_bag", "_embedding_bag"}},
    {OperatorFamily::scattering, {"scatter", "scatter_add", "index_put", "_index_put_impl", "index_add", "index_copy", "index_fill",
                                  "masked_scatter", "scatter_reduce"}},
    {OperatorFamily::unknown,
     {"nll_loss_backward", "nll_loss", "where_scalar", "_grouped_mm", "tensordot", "bilinear", "einsum",
      "as_strided", "_fused_rms_norm", "_cudnn_rnn", "_cudnn_rnn_backward", "topk", "sort", "argsort", "unique", "nonzero", "multinomial"}},
};
// clang-format on

OperatorFamily family_of_role(OperatorRole role) {
  switch (role) {
    case OperatorRole::copy: return OperatorFamily::copying;
    case OperatorRole::gemm: return OperatorFamily::gemm;
    case OperatorRole::convolution: return OperatorFamily::convolution;
    case OperatorRole::attention: return OperatorFamily::attention;
    case OperatorRole::normalisation: return OperatorFamily::normalisation;
    case OperatorRole::softmax: return OperatorFamily::softmax;
    case OperatorRole::pooling: return OperatorFamily::pooling;
    case OperatorRole::elementwise: return OperatorFamily::elementwise;
    case OperatorRole::reduction: return OperatorFamily::reduction;
    case OperatorRole::concatenation: return OperatorFamily::concatenation;
    default: return OperatorFamily::unknown;
  }
}

// Gradients of families whose own tensors the gradient moves differently.
OperatorFamily as_gradient(OperatorFamily forward) {
  switch (forward) {
    case OperatorFamily::convolution: return OperatorFamily::convolution_gradient;
    case OperatorFamily::attention: return OperatorFamily::attention_gradient;
    case OperatorFamily::pooling: return OperatorFamily::gradient_of_input;
    case OperatorFamily::reduction: return OperatorFamily::unknown;
    default: return forward;
  }
}

bool works_on_lists(std::string_view plain) {
  return plain.starts_with("_foreach_") || plain.starts_with("_amp_foreach_") || plain.starts_with("_fused_ad") ||
         plain.starts_with("_fused_sgd");
}

}  // namespace

std::string_view name_of(OperatorFamily family) {
  constexpr std::string_view names[] = {"unknown",   "elementwise", "filling",       "copy",       "normalisation", "softmax",
                                        "reduction", "scan",        "pooling",       "resampling", "pooling",       "embedding",
                                        "embedding", "gathering",   "scattering",    "gemm",       "convolution",   "convolution",
                                        "attention", "attention",   "concatenation", "list",       "compiled"};
  return names[static_cast<std::size_t>(family)];
}

OperatorFamily family_of(std::string_view operator_name) {
  if (operator_name.starts_with("triton_")) return OperatorFamily::compiled;
  const OperatorRole role = role_of(operator_name);
  std::string_view plain = plain_name(operator_name);
  const bool is_gradient = plain.find("backward") != plain.npos;
  if (plain.size() == operator_name.size()) {
    const OperatorFamily family = role == OperatorRole::attention ? OperatorFamily::attention : OperatorFamily::unknown;
    return is_gradient ? as_gradient(family) : family;
  }
  if (works_on_lists(plain)) return OperatorFamily::list;
  if (plain.ends_with('_')) plain.remove_suffix(1);
  for (const FamilyNames& known : family_names) {
    if (std::ranges::find(known.names, plain) != known.names.end()) return known.family;
  }
  const OperatorFamily family = family_of_role(role == OperatorRole::other ? role_of("aten::" + std::string(plain)) : role);
  return is_gradient ? as_gradient(family) : family;
}

}  // namespace frx::derive::layout
