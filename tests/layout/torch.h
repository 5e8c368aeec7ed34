// Operators of PyTorch on simulated tensors: the child operators, events, inputs, kernels and copies of PyTorch 2.4 in eager mode on one
// GPU, and a backward pass. Sources: the operator trees that the profiler of PyTorch 1.13 records (torch_test.cc holds them), recordings
// of 2.4 and later, and the conditions under which PyTorch copies, each cited where it is decided.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/recorder.h"
#include "layout/tensor.h"

namespace frx::testing::layout {

struct Convolution {
  std::int64_t stride = 1, padding = 1, groups = 1;
  bool uses_layout_kernels = true;  // cuDNN chose an NHWC kernel for NCHW tensors, with conversions around it
  bool returns_nchw = false;        // which writes NCHW itself: one conversion less
};

class Torch {
 public:
  Torch(Recorder& recorder, const Gpu& gpu) : recorder_(recorder), gpu_(gpu) {}

  bool is_training = false;           // gradients are recorded
  bool allows_tf32_products = false;  // torch.backends.cuda.matmul.allow_tf32, off by default; convolutions use TF32 by default
  bool has_reshape_alias = false;     // PyTorch 1.12 to 2.0: reshape() calls _reshape_alias where later versions call view

  // Tensors that exist before the recording: parameters, batches, buffers.
  Tensor given(const Extents& sizes, Scalar type);
  Tensor parameter(const Extents& sizes, Scalar type);

  // Views.
  Tensor view(const Tensor& x, const Extents& sizes);
  Tensor transpose(const Tensor& x, std::int64_t one, std::int64_t other);
  Tensor permute(const Tensor& x, const Extents& order);
  Tensor t(const Tensor& x);
  Tensor expand(const Tensor& x, const Extents& sizes);
  Tensor select(const Tensor& x, std::int64_t dimension, std::int64_t index);
  Tensor slice(const Tensor& x, std::int64_t dimension, std::int64_t begin, std::int64_t end, std::int64_t step = 1);
  Tensor unsqueeze(const Tensor& x, std::int64_t dimension);
  Tensor squeeze(const Tensor& x, std::int64_t dimension);

  // What copies, or may.
  Tensor reshape(const Tensor& x, const Extents& sizes);
  Tensor contiguous(const Tensor& x, Format format = Format::contiguous);
  Tensor clone(const Tensor& x, Format format = Format::preserve);
  Tensor to(const Tensor& x, Scalar type);
  Tensor to_channels_last(const Tensor& x);  // x.to(memory_format=torch.channels_last)
  Tensor to_gpu(const Tensor& x);
  Tensor cat(const std::vector<Tensor>& parts, std::int64_t dimension);

  // Elementwise: "add", "mul", "relu", "gelu"... Of kernels that need no index calculation memory is the limit; others reach
  // `strided_efficiency` of it.
  Tensor unary(std::string_view name, const Tensor& x);
  Tensor binary(std::string_view name, const Tensor& x, const Tensor& y);
  double strided_efficiency = 0.6;
  Tensor sum(const Tensor& x);

  // Products.
  Tensor mm(const Tensor& x, const Tensor& y);
  Tensor bmm(const Tensor& x, const Tensor& y);
  Tensor addmm(const Tensor& bias, const Tensor& x, const Tensor& y);
  Tensor matmul(const Tensor& x, const Tensor& y);
  Tensor linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias);
  Tensor einsum_heads(const Tensor& x, const Tensor& y);  // "bshd,bthd->bhst"
  Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v);

  // Layers.
  Tensor softmax(const Tensor& x);  // over the last dimension
  Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias);
  Tensor batch_norm(const Tensor& x, const std::vector<Tensor>& weights);  // weight, bias, mean, variance
  Tensor conv2d(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, const Convolution& how);
  Tensor max_pool2d(const Tensor& x);  // 2 x 2

  void optimizer_step(const std::vector<Tensor>& parameters);
  void long_custom_operator(const Tensor& x);  // of another library; what it computes is in no input

  void fused_kernel(const std::string& name, const Tensor& x);  // of Inductor: one input, one output

  // Runs what training recorded since the last call, from `loss` back, on the thread of autograd.
  void backward(const Tensor& loss);

  Recorder& recorder() { return recorder_; }
  const Gpu& gpu() const { return gpu_; }

 private:
  using Gradients = std::vector<Tensor>;
  struct Node {
    std::string name;
    std::int64_t sequence = 0;
    Site site;
    std::vector<Tensor> inputs;
    int output = 0;
    std::function<Gradients(const Tensor&)> backward;
  };

  Tensor made(Tensor tensor);  // with an id
  Tensor record(std::string_view node, const std::vector<Tensor>& inputs, Tensor output, std::function<Gradients(const Tensor&)> backward);
  Tensor ones_like(const Tensor& x);
  void as_strided(const Tensor& x, const Tensor& result);
  void empty(const Extents& sizes, Scalar type);
  void copy_(const Tensor& to, const Tensor& from);
  Tensor reshaped_by_copy(const Tensor& x, const Extents& sizes);
  Tensor batched(const Tensor& x, const Extents& batch);  // of matmul
  Tensor folded_matmul(const Tensor& x, const Tensor& y);
  Tensor product_operand(const Tensor& x, bool is_batched);
  void product_kernel(const Tensor& x, const Tensor& y, const Tensor& result);
  void elementwise_kernel(std::string_view functor, const std::vector<Tensor>& inputs, const Tensor& result);
  void streaming_kernel(const std::string& name, std::int64_t bytes, std::int64_t threads, double efficiency);
  Tensor convolved(const Tensor& x, const Tensor& weight, const Convolution& how);
  void add_channel_bias(const Tensor& x, const Tensor& bias);
  void convolution_kernels(const Tensor& x, const Tensor& weight, const Tensor& result, const Convolution& how);
  void convert_layout(const Tensor& x, bool is_to_nhwc);
  Gradients convolution_backward(const Tensor& gradient, const Tensor& x, const Tensor& weight, const Convolution& how);
  void accumulate(std::map<int, Tensor>& gradients, const Tensor& input, const Tensor& gradient);
  void accumulate_into_parameter(const Tensor& parameter, const Tensor& gradient);
  double us_of(std::int64_t bytes, double efficiency);
  double us_of_flops(double flops, std::int64_t bytes, Scalar type, bool allows_tf32);

  Recorder& recorder_;
  const Gpu& gpu_;
  std::vector<Node> tape_;
};

}  // namespace frx::testing::layout
