#include "derive/layout/operator_roles.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/text.h"

namespace frx::derive::layout {
namespace {

struct RoleNames {
  OperatorRole role;
  std::initializer_list<std::string_view> names;
};

// By the whole plain name.
const RoleNames exact_names[] = {
    {OperatorRole::view,
     {"permute", "transpose",    "t",         "mT",           "swapaxes",       "swapdims", "movedim",          "moveaxis",
      "view",    "_unsafe_view", "view_as",   "unsqueeze",    "squeeze",        "expand",   "expand_as",        "select",
      "slice",   "narrow",       "unflatten", "numpy_T",      "adjoint",        "split",    "split_with_sizes", "chunk",
      "unbind",  "diagonal",     "unfold",    "broadcast_to", "_reshape_alias", "alias",    "detach",           "real",
      "imag"}},
    {OperatorRole::copy,
     {"contiguous", "clone", "copy_", "_to_copy", "to", "reshape", "flatten", "repeat", "_reshape_copy", "reshape_as", "ravel"}},
    {OperatorRole::gemm,
     {"mm", "addmm", "bmm", "baddbmm", "linear", "matmul", "einsum", "_scaled_mm", "_int_mm", "_addmm_activation", "mv", "addmv", "addbmm",
      "tensordot", "bilinear", "_grouped_mm", "addmm_"}},
    {OperatorRole::normalisation,
     {"layer_norm", "native_layer_norm", "group_norm", "native_group_norm", "batch_norm", "native_batch_norm", "_batch_norm_impl_index",
      "cudnn_batch_norm", "instance_norm", "rms_norm", "_fused_rms_norm", "native_layer_norm_backward", "native_group_norm_backward",
      "native_batch_norm_backward", "cudnn_batch_norm_backward", "miopen_batch_norm", "miopen_batch_norm_backward",
      "_native_batch_norm_legit", "_batch_norm_with_update"}},
    {OperatorRole::softmax, {"softmax", "_softmax", "log_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data"}},
    {OperatorRole::concatenation, {"cat", "stack", "concat", "hstack", "vstack", "_cat"}},
    {OperatorRole::embedding, {"embedding", "embedding_bag", "_embedding_bag", "embedding_dense_backward", "index_select"}},
    {OperatorRole::reduction,
     {"sum",
      "mean",
      "max",
      "min",
      "amax",
      "amin",
      "argmax",
      "argmin",
      "prod",
      "any",
      "all",
      "norm",
      "linalg_vector_norm",
      "var",
      "std",
      "var_mean",
      "logsumexp",
      "cumsum",
      "nll_loss",
      "nll_loss_forward"}},
    {OperatorRole::elementwise,
     {"add",
      "add_",
      "sub",
      "sub_",
      "rsub",
      "mul",
      "mul_",
      "div",
      "div_",
      "pow",
      "exp",
      "log",
      "neg",
      "relu",
      "relu_",
      "gelu",
      "silu",
      "silu_",
      "sigmoid",
      "tanh",
      "dropout",
      "native_dropout",
      "where",
      "clamp",
      "clamp_min",
      "sqrt",
      "rsqrt",
      "abs",
      "masked_fill",
      "masked_fill_",
      "maximum",
      "minimum",
      "threshold_backward",
      "gelu_backward",
      "silu_backward",
      "tanh_backward",
      "sigmoid_backward",
      "hardtanh",
      "hardtanh_",
      "hardswish",
      "hardswish_",
      "leaky_relu",
      "leaky_relu_",
      "elu",
      "softplus",
      "mish",
      "sin",
      "cos",
      "erf",
      "lerp",
      "fill_",
      "zero_",
      "addcmul",
      "addcmul_",
      "addcdiv",
      "addcdiv_",
      "bitwise_and",
      "bitwise_or",
      "logical_and",
      "logical_not",
      "eq",
      "ne",
      "gt",
      "lt",
      "ge",
      "le",
      "reciprocal",
      "square",
      "native_dropout_backward",
      "hardtanh_backward",
      "leaky_relu_backward",
      "tril",
      "triu",
      "floor",
      "ceil",
      "round",
      "sign",
      "remainder",
      "softplus_backward",
      "log1p",
      "expm1",
      "bernoulli_",
      "neg_"}},
    {OperatorRole::allocation,
     {"empty", "empty_like", "empty_strided", "as_strided", "as_strided_", "resize_", "resolve_conj", "resolve_neg", "result_type", "set_",
      "is_nonzero", "lift_fresh", "new_empty", "new_empty_strided", "set_data", "record_stream", "_unsafe_view_"}},
};

bool is_part(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return name.find(part) != name.npos; });
}

OperatorRole role_of_aten(std::string_view name) {
  for (const RoleNames& known : exact_names) {
    if (std::ranges::find(known.names, name) != known.names.end()) return known.role;
  }
  if (is_part(name, {"convolution", "conv1d", "conv2d", "conv3d", "conv_transpose", "conv_depthwise", "slow_conv", "thnn_conv"}))
    return OperatorRole::convolution;
  if (is_part(name, {"scaled_dot_product", "flash_attention", "efficient_attention", "multi_head_attention"}))
    return OperatorRole::attention;
  if (is_part(name, {"pool"})) return OperatorRole::pooling;
  return OperatorRole::other;
}

// Of PyTorch itself, and of libraries that come with it.
bool is_namespace_of_torch(std::string_view space) {
  constexpr std::array known = {"aten", "prims", "prim", "torch", "inductor", "cuda", "profiler", "autograd", "quantized", "torchvision"};
  return std::ranges::find(known, space) != known.end();
}

}  // namespace

std::string_view plain_name(std::string_view name) { return name.starts_with("aten::") ? name.substr(6) : name; }

OperatorRole role_of(std::string_view name) {
  if (name.starts_with("aten::")) return role_of_aten(name.substr(6));
  if (name.starts_with("autograd::") || name.find("Backward") != name.npos) return OperatorRole::autograd;
  if (name.starts_with("Torch-Compiled Region") || name.starts_with("## Call CompiledFxGraph") || name.starts_with("CompiledFunction") ||
      name.starts_with("torch_dynamo") || name.starts_with("TorchDynamo"))
    return OperatorRole::compiled;
  if (name.starts_with("c10d::") || name.starts_with("nccl:") || name.starts_with("_c10d_functional") || name == "record_param_comms")
    return OperatorRole::collective;
  if (is_part(name, {"flash_attn", "flash_attention", "xformers::efficient_attention"})) return OperatorRole::attention;
  const std::size_t colons = name.find("::");
  if (colons == name.npos || colons == 0 || name.find(' ') < colons || name.find('(') < colons) return OperatorRole::other;
  return is_namespace_of_torch(name.substr(0, colons)) ? OperatorRole::other : OperatorRole::custom;
}

}  // namespace frx::derive::layout
