#include "layout/programs.h"

#include <fmt/format.h>

#include <array>

namespace frx::testing::layout {
namespace {

Scalar some_half(Dice& dice) { return dice.of({Scalar::f16, Scalar::bf16}); }
Scalar some_type(Dice& dice) { return dice.of({Scalar::f16, Scalar::bf16, Scalar::f32}); }

// nn.Linear, with its frames.
struct LinearLayer {
  Tensor weight, bias;
  LinearLayer() = default;
  LinearLayer(Torch& torch, std::int64_t from, std::int64_t to, Scalar type)
      : weight(torch.parameter({to, from}, type)), bias(torch.parameter({to}, type)) {}
  Tensor operator()(Torch& torch, const Tensor& x) const {
    const ModuleScope scope(torch.recorder(), fmt::format("Linear_{}", weight.id), "torch/nn/modules/linear.py(116)");
    return torch.linear(x, weight, bias);
  }
};

struct ConvolutionLayer {
  Tensor weight, bias;
  Convolution how;
  ConvolutionLayer() = default;
  ConvolutionLayer(Torch& torch, std::int64_t from, std::int64_t to, std::int64_t window, Scalar type, bool is_channels_last)
      : weight(torch.parameter({to, from, window, window}, type)), bias(torch.parameter({to}, type)) {
    how.padding = window / 2;
    if (is_channels_last) weight.strides = channels_last_strides(weight.sizes);
  }
  Tensor operator()(Torch& torch, const Tensor& x) const {
    const ModuleScope scope(torch.recorder(), fmt::format("Conv2d_{}", weight.id), "torch/nn/modules/conv.py(460)");
    return torch.conv2d(x, weight, bias, how);
  }
};

struct NormLayer {
  std::vector<Tensor> weights;
  NormLayer() = default;
  NormLayer(Torch& torch, std::int64_t size, Scalar type) {
    for (int i = 0; i < 4; ++i) weights.push_back(i < 2 ? torch.parameter({size}, type) : torch.given({size}, type));
  }
  Tensor layer(Torch& torch, const Tensor& x) const {
    const ModuleScope scope(torch.recorder(), fmt::format("LayerNorm_{}", weights[0].id), "torch/nn/modules/normalization.py(201)");
    return torch.layer_norm(x, weights[0], weights[1]);
  }
  Tensor batch(Torch& torch, const Tensor& x) const {
    const ModuleScope scope(torch.recorder(), fmt::format("BatchNorm2d_{}", weights[0].id), "torch/nn/modules/batchnorm.py(137)");
    return torch.batch_norm(x, weights);
  }
};

// Sizes of a sequence: tens of megabytes at most.
struct SequenceSizes {
  std::int64_t batch, length, heads, size;
  std::int64_t width() const { return heads * size; }
};

SequenceSizes some_sequence(Dice& dice) { return {dice.of({4, 8, 16}), dice.of({128, 256, 384, 512}), dice.of({8, 12, 16}), 64}; }

Tensor with_strides(Tensor tensor, Extents strides) {
  tensor.strides = std::move(strides);
  return tensor;
}

// --- Clean blocks ---

Forward mlp(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const LinearLayer up(torch, s.width(), 4 * s.width(), type), down(torch, 4 * s.width(), s.width(), type);
  const NormLayer norm(torch, s.width(), type);
  const Tensor x = torch.given({s.batch, s.length, s.width()}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    return torch.binary("add", down(torch, torch.unary("gelu", up(torch, norm.layer(torch, x)))), x);
  };
}

// x @ w.t(): cuBLAS reads a transposed matrix as it lies.
Forward transposed_weights(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t rows = dice.of({512, 2048, 4096}), width = dice.of({512, 768, 1024});
  const Tensor x = torch.given({rows, width}, type), w = torch.parameter({2 * width, width}, type),
               v = torch.parameter({2 * width, width}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.mm(torch.unary("relu", torch.mm(x, torch.t(w))), v); };
}

// model.to(memory_format=torch.channels_last) was done.
Forward channels_last_network(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t channels = dice.of({32, 64, 128}), side = dice.of({28, 56}), batch = dice.of({8, 16});
  Tensor x = torch.given({batch, channels, side, side}, type);
  x = with_strides(x, channels_last_strides(x.sizes));
  const ConvolutionLayer first(torch, channels, channels, 3, type, true), second(torch, channels, 2 * channels, 1, type, true);
  const NormLayer norm(torch, channels, Scalar::f32);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    return torch.max_pool2d(second(torch, torch.unary("relu", norm.batch(torch, first(torch, x)))));
  };
}

// cuDNN has no NHWC path for double.
Forward double_network(Torch& torch, Dice& dice) {
  const std::int64_t channels = dice.of({16, 32});
  const Tensor x = torch.given({4, channels, 28, 28}, Scalar::f64);
  ConvolutionLayer layer(torch, channels, channels, 3, Scalar::f64, false);
  layer.how.uses_layout_kernels = false;
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.unary("relu", layer(torch, x)); };
}

// Channels that are no multiple of eight do not fit tensor cores.
Forward unaligned_network(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t channels = dice.of({10, 30, 45, 99});
  const Tensor x = torch.given({8, channels, 56, 56}, type);
  ConvolutionLayer layer(torch, channels, channels, 3, type, false);
  layer.how.uses_layout_kernels = false;
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.unary("relu", layer(torch, x)); };
}

// Images of three channels: cuDNN's NHWC kernels pad them, so that nothing is gained.
Forward first_convolution(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const Tensor x = torch.given({dice.of({8, 16}), 3, 224, 224}, type);
  ConvolutionLayer layer(torch, 3, 64, 7, type, false);
  layer.how = {.stride = 2, .padding = 3, .uses_layout_kernels = false};
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.unary("relu", layer(torch, x)); };
}

// Of one pixel, or one channel: NCHW and NHWC are the same.
Forward single_pixel(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t channels = dice.of({64, 256, 512});
  const Tensor x = torch.given({dice.of({8, 16}), channels, 1, 1}, type);
  const ConvolutionLayer squeeze(torch, channels, channels / 8, 1, type, dice.one_in(2)),
      excite(torch, channels / 8, channels, 1, type, dice.one_in(2));
  return [=](Torch& torch, int) -> std::optional<Tensor> { return excite(torch, torch.unary("relu", squeeze(torch, x))); };
}

// Images that a loader made as NHWC, permuted: channels_last without a copy.
Forward permuted_images(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t channels = dice.of({16, 32, 64});
  const Tensor x = torch.given({8, 56, 56, channels}, type);
  const ConvolutionLayer layer(torch, channels, 2 * channels, 3, type, true);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.unary("relu", layer(torch, torch.permute(x, {0, 3, 1, 2}))); };
}

// Fused attention takes (batch, heads, length, size) as a transposed view; its result lies as the projection needs it.
Forward fused_attention(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_half(dice);
  const Tensor x = torch.given({s.batch, s.length, s.width()}, type);
  std::array<LinearLayer, 4> layers;
  for (LinearLayer& layer : layers) layer = LinearLayer(torch, s.width(), s.width(), type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    std::array<Tensor, 3> parts;
    for (std::size_t i = 0; i < 3; ++i)
      parts[i] = torch.transpose(torch.view(layers[i](torch, x), {s.batch, s.length, s.heads, s.size}), 1, 2);
    const Tensor heads = torch.attention(parts[0], parts[1], parts[2]);
    // contiguous() finds it contiguous already.
    return layers[3](torch, torch.view(torch.contiguous(torch.transpose(heads, 1, 2)), {s.batch, s.length, s.width()}));
  };
}

// contiguous() on what is contiguous returns it: no event and no copy, however often.
Forward contiguous_without_effect(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({dice.of({2048, 4096}), 1024}, type);
  const int times = dice.whole(2, 6);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    Tensor y = x;
    for (int i = 0; i < times; ++i) y = torch.unary("relu", torch.contiguous(y));
    return y;
  };
}

// Mixed precision: copies that change the type only.
Forward casts(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t width = dice.of({512, 1024});
  const Tensor x = torch.given({dice.of({1024, 4096}), width}, Scalar::f32), w = torch.parameter({width, width}, Scalar::f32);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    return torch.to(torch.mm(torch.to(x, type), torch.t(torch.to(w, type))), Scalar::f32);
  };
}

// The batch comes from the host.
Forward input_copy(Torch& torch, Dice& dice) {
  const Tensor x = torch.given({dice.of({8, 32}), 3, 128, 128}, Scalar::f32);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor batch = torch.to_gpu(x), other = torch.to_gpu(x);
    return torch.binary("mul", batch, other);
  };
}

// Clones of dense tensors keep their strides, also of transposed ones: a cudaMemcpyAsync each.
Forward defensive_clone(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t rows = dice.of({1024, 2048});
  const Tensor x = torch.given({rows, 512}, type), w = torch.parameter({512, 512}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.mm(torch.clone(x), torch.clone(torch.t(w))); };
}

// One copy into another layout in a step, of a few kilobytes.
Forward small_contiguous(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({dice.of({16, 32}), 64}, type), w = torch.given({8192, 4096}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor y = torch.contiguous(torch.t(x));
    return torch.binary("add", torch.unary("relu", y), torch.sum(torch.unary("relu", torch.unary("gelu", w))));
  };
}

// Products read matrices with gaps between rows, and batches that repeat one matrix.
Forward leading_dimension(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t rows = dice.of({1024, 2048}), batch = dice.of({4, 8});
  const Tensor x = torch.given({rows, 1536}, type), w = torch.parameter({512, 512}, type), z = torch.given({batch, 256, 512}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor y = torch.mm(torch.slice(x, 1, 512, 1024), w);
    const Tensor both = torch.bmm(z, torch.expand(torch.unsqueeze(w, 0), {batch, 512, 512}));
    return torch.binary("add", torch.sum(y), torch.sum(both));
  };
}

// The last batch of an epoch is smaller: sizes change, and strides with them.
Forward changing_batch(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor w = torch.parameter({512, 512}, type);
  const std::int64_t least = dice.of({256, 512});
  return [=](Torch& torch, int step) -> std::optional<Tensor> {
    const Tensor x = torch.given({64, least + 8 * step}, type);
    return torch.mm(torch.unary("relu", torch.t(x)), torch.unary("relu", torch.slice(w, 0, 0, 64)));
  };
}

// Large, but as fast as memory allows.
Forward saturating_elementwise(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({dice.of({64, 128}), 1024, 512}, type), y = torch.given(x.sizes, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.binary("mul", torch.binary("add", x, y), y); };
}

// Strided, and slow for its bytes, but these stay in the cache.
Forward cached_elementwise(Torch& torch, Dice& dice) {
  const Tensor x = torch.given({512, 512}, Scalar::f32);
  const double efficiency = dice.between(0.1, 0.3);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    torch.strided_efficiency = efficiency;
    const Tensor y = torch.binary("add", x, torch.t(x));
    torch.strided_efficiency = 0.6;
    return y;
  };
}

// An fp32 product without TF32: slower than memory could feed tensor cores, but its own units are the limit.
Forward single_precision_product(Torch& torch, Dice& dice) {
  const std::int64_t side = dice.of({4096, 6144});
  const Tensor x = torch.given({side, 64}, Scalar::f32), w = torch.parameter({64, side}, Scalar::f32);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.mm(x, w); };
}

// A kernel of another library, whose inputs tell nothing of what it moves.
Forward custom_operator(Torch& torch, Dice& dice) {
  const Tensor x = torch.given({dice.of({32, 64}), 2048, 512}, some_half(dice));
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    torch.long_custom_operator(x);
    return torch.unary("relu", x);
  };
}

Forward concatenation(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({dice.of({1024, 4096}), 256}, type), y = torch.given(x.sizes, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    return torch.unary("gelu", torch.cat({torch.unary("relu", x), torch.unary("relu", y)}, 1));
  };
}

// Every other step computes a number for the log before the same operators: their places in the step move, their strides do not.
Forward logging(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t side = dice.of({256, 512});
  const Tensor x = torch.given({side, side}, type), w = torch.given({side, side}, type);
  return [=](Torch& torch, int step) -> std::optional<Tensor> {
    const Tensor y = torch.unary("relu", x);
    if (step % 2 == 1) torch.sum(torch.binary("mul", y, w));
    return torch.mm(y, w);
  };
}

// One module is called with two layouts of equal sizes, in each step in the same order.
Forward two_layouts(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t side = dice.of({256, 512});
  const Tensor x = torch.given({side, side}, type), w = torch.given({side, side}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.binary("add", torch.mm(x, w), torch.mm(torch.t(x), w)); };
}

// Views without a copy behind them: headers of tensors change, no element moves.
Forward short_views(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t batch = dice.of({8, 16});
  const Tensor x = torch.given({batch, 512, 256}, type), w = torch.parameter({256, 256}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor y = torch.mm(torch.view(x, {batch * 512, 256}), w);
    return torch.unary("relu", torch.view(y, {batch, 512, 256}));
  };
}

// A compiled region that keeps its graph, beside another frame with its own.
Forward compiled_region(Torch& torch, Dice& dice) {
  const Tensor x = torch.given({1024, dice.of({512, 1024})}, Scalar::f32);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    for (const char* name : {"Torch-Compiled Region: 0/0", "Torch-Compiled Region: 1/0"}) {
      torch.recorder().open_wrapper(name, -1);
      torch.fused_kernel("triton_poi_fused_add_mul_0", x);
      torch.recorder().close();
    }
    return std::nullopt;
  };
}

// --- 1: copies below hot operators ---

// Attention by hand: q, k and v are transposed views, and matmul() needs one batch dimension, so reshape() copies each of them.
Forward attention_by_hand(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({s.batch, s.length, s.width()}, type);
  std::array<LinearLayer, 4> layers;
  for (LinearLayer& layer : layers) layer = LinearLayer(torch, s.width(), s.width(), type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    std::array<Tensor, 3> parts;
    for (std::size_t i = 0; i < 3; ++i)
      parts[i] = torch.transpose(torch.view(layers[i](torch, x), {s.batch, s.length, s.heads, s.size}), 1, 2);
    const Tensor weights = torch.softmax(torch.matmul(parts[0], torch.transpose(parts[1], -2, -1)));
    const Tensor heads = torch.matmul(weights, parts[2]);
    return layers[3](torch, torch.reshape(torch.transpose(heads, 1, 2), {s.batch, s.length, s.width()}));
  };
}

// layer_norm() reads rows: of (batch, channels, length) turned around it makes a contiguous copy first.
Forward norm_of_transposed(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({s.batch, s.width(), s.length}, type);
  const NormLayer norm(torch, s.width(), type);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return norm.layer(torch, torch.transpose(torch.unary("relu", x), 1, 2)); };
}

Forward softmax_of_permuted(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({s.length, s.length, s.heads}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.softmax(torch.permute(torch.unary("relu", x), {2, 0, 1})); };
}

// With gradients linear() folds the batch into rows, which copies a transposed input. Without, it expands the weight, and nothing is
// copied.
Forward linear_of_transposed(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({s.batch, s.width(), s.length}, type);
  const LinearLayer layer(torch, s.width(), s.width() / 2, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return layer(torch, torch.transpose(torch.unary("relu", x), 1, 2)); };
}

// cuBLAS needs a stride of 1: every other column has none, so mm() and bmm() clone it.
Forward sliced_product(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const bool is_batch = dice.one_in(2);
  const std::int64_t rows = dice.of({1024, 2048}), batch = dice.of({8, 16});
  const Tensor x = is_batch ? torch.given({batch, 512, 1024}, type) : torch.given({rows, 2048}, type);
  const Tensor w = is_batch ? torch.given({batch, 512, 256}, type) : torch.parameter({1024, 512}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor y = torch.unary("relu", x);
    return is_batch ? torch.bmm(torch.slice(y, 2, 0, 1024, 2), w) : torch.mm(torch.slice(y, 1, 0, 2048, 2), w);
  };
}

// One matrix for all heads, expanded: matmul() folds batch and heads, which a stride of 0 between them does not allow.
Forward expanded_product(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor scores = torch.given({s.batch, 1, s.length, s.length}, type),
               values = torch.given({s.batch, s.heads, s.length, s.size}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor weights = torch.expand(torch.unary("relu", scores), {s.batch, s.heads, s.length, s.length});
    return torch.matmul(weights, values);
  };
}

// Every other pixel, or turned images: _convolution() makes its input contiguous.
Forward strided_convolution(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t channels = dice.of({10, 30});  // no multiple of eight: nothing else to report
  const Tensor x = torch.given({dice.of({16, 32}), channels, 112, 112}, type);
  ConvolutionLayer layer(torch, channels, channels, 3, type, false);
  layer.how.uses_layout_kernels = false;
  const bool is_turned = dice.one_in(2);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    if (is_turned) return torch.unary("relu", layer(torch, torch.transpose(torch.unary("relu", x), 2, 3)));
    const Tensor y = torch.unary("relu", x);
    return torch.unary("relu", layer(torch, torch.slice(torch.slice(y, 2, 0, 112, 2), 3, 0, 112, 2)));
  };
}

// The input was made channels_last, the model was not: each call converts the weights.
Forward mixed_weights(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t channels = dice.of({256, 512});
  Tensor x = torch.given({4, channels, 14, 14}, type);
  x = with_strides(x, channels_last_strides(x.sizes));
  const ConvolutionLayer layer(torch, channels, channels, 3, type, false);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return torch.unary("relu", layer(torch, x)); };
}

Forward batch_norm_of_transposed(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({s.batch, s.length, s.width()}, type);
  const NormLayer norm(torch, s.width(), Scalar::f32);
  return [=](Torch& torch, int) -> std::optional<Tensor> { return norm.batch(torch, torch.transpose(torch.unary("relu", x), 1, 2)); };
}

// einsum("bshd,bthd->bhst"): heads are not next to the batch, so both operands are copied.
Forward einsum_of_heads(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({s.batch, s.length, s.heads, s.size}, type), y = torch.given(x.sizes, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    return torch.softmax(torch.einsum_heads(torch.unary("relu", x), torch.unary("relu", y)));
  };
}

// --- 2: calls of contiguous() that repeat ---

Tensor some_matrix(Torch& torch, Dice& dice, Scalar type) {
  return torch.given({dice.of({1024, 2048, 3072}), dice.of({1024, 2048})}, type);
}

// The same transposed matrix is made contiguous in each round of a loop.
Forward contiguous_in_loop(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = some_matrix(torch, dice, type);
  const int times = dice.whole(2, 6);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor turned = torch.t(torch.unary("relu", x));
    Tensor y = torch.unary("gelu", torch.contiguous(turned));
    for (int i = 1; i < times; ++i) y = torch.binary("add", y, torch.contiguous(turned));
    return y;
  };
}

// Turned, made contiguous, turned back, made contiguous.
Forward ping_pong(Torch& torch, Dice& dice) {
  const SequenceSizes s = some_sequence(dice);
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({s.batch, s.length, s.width()}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor there = torch.unary("relu", torch.contiguous(torch.transpose(torch.unary("relu", x), 1, 2)));
    return torch.unary("gelu", torch.contiguous(torch.transpose(there, 1, 2)));
  };
}

// Several users of one tensor each copy it for themselves.
Forward fan_out(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = some_matrix(torch, dice, type);
  const int users = dice.whole(2, 4);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor turned = torch.t(torch.unary("relu", x));
    Tensor all = torch.sum(torch.unary("relu", torch.contiguous(turned)));
    for (int i = 1; i < users; ++i) all = torch.binary("add", all, torch.sum(torch.unary("gelu", torch.contiguous(turned))));
    return all;
  };
}

// One call in a step, but of the largest tensor there is.
Forward heavy_contiguous(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({dice.of({16, 32}), 1024, 1024}, type);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    return torch.unary("relu", torch.contiguous(torch.transpose(torch.unary("relu", x), 1, 2)));
  };
}

// w.t().contiguous() for a product that would have read w.t().
Forward late_contiguous(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t width = dice.of({1024, 2048});
  const Tensor x = torch.given({512, width}, type);
  const Tensor weights[] = {torch.parameter({width, width}, type), torch.parameter({width, width}, type)};
  const Tensor first = weights[0], second = weights[1];
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor y = torch.mm(x, torch.contiguous(torch.t(first)));
    return torch.mm(torch.unary("relu", y), torch.contiguous(torch.t(second)));
  };
}

// A channels_last network with one contiguous() in it: back to NCHW, and the next convolution converts again.
Forward dropped_layout(Torch& torch, Dice& dice) {
  const Scalar type = some_half(dice);
  const std::int64_t channels = dice.of({64, 128});
  Tensor x = torch.given({16, channels, 56, 56}, type);
  x = with_strides(x, channels_last_strides(x.sizes));
  const ConvolutionLayer first(torch, channels, channels, 3, type, true), second(torch, channels, channels, 3, type, true);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor y = torch.contiguous(torch.unary("relu", first(torch, x)));
    return torch.unary("relu", second(torch, y));
  };
}

// --- 3: chains of views ---

// Windows of an image: view, permute, transpose, and a copy at the end.
Forward window_partition(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t batch = dice.of({8, 16}), side = 56, window = 7, channels = dice.of({96, 192});
  const Tensor x = torch.given({batch, side, side, channels}, type);
  const bool is_reshaped = dice.one_in(2);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const std::int64_t n = side / window;
    const Tensor blocks = torch.view(torch.unary("relu", x), {batch, n, window, n, window, channels});
    const Tensor turned = torch.transpose(torch.permute(blocks, {0, 1, 3, 2, 4, 5}), 3, 4);
    const Extents sizes = {batch * n * n, window * window, channels};
    const Tensor rows = is_reshaped ? torch.reshape(turned, sizes) : torch.view(torch.contiguous(turned), sizes);
    return torch.unary("gelu", rows);
  };
}

// Two permutations that undo each other, with nothing between them.
Forward undone_permutation(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({dice.of({8, 16}), 32, 32, 64}, type);
  const bool is_transposed = dice.one_in(2);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor y = torch.unary("relu", x);
    if (is_transposed) return torch.unary("gelu", torch.transpose(torch.transpose(y, 1, 3), 1, 3));
    return torch.unary("gelu", torch.permute(torch.permute(y, {0, 3, 1, 2}), {0, 2, 3, 1}));
  };
}

// A loop that permutes in each round. The elementwise operator keeps the strides, so that no element moves.
Forward permute_in_loop(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Tensor x = torch.given({dice.of({4, 8}), 64, 48, 32}, type);
  const int times = dice.whole(11, 14);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    Tensor y = torch.unary("relu", x);
    for (int i = 0; i < times; ++i) y = torch.unary(i % 2 == 0 ? "gelu" : "relu", torch.permute(y, {0, 2, 3, 1}));
    return y;
  };
}

// --- 4: NCHW where NHWC would be native ---

Forward nchw_network(Torch& torch, Dice& dice, Scalar type, bool uses_layout_kernels) {
  const std::int64_t channels = dice.of({32, 64, 128}), side = dice.of({28, 56}), batch = dice.of({8, 16});
  const bool has_stem = dice.one_in(2), returns_nchw = dice.one_in(2), has_pool = dice.one_in(2);
  const Tensor image = torch.given({batch, 3, side, side}, type), x = torch.given({batch, channels, side, side}, type);
  std::array<ConvolutionLayer, 3> layers = {ConvolutionLayer(torch, 3, channels, 3, type, false),
                                            ConvolutionLayer(torch, channels, channels, 3, type, false),
                                            ConvolutionLayer(torch, channels, 2 * channels, 1, type, false)};
  for (ConvolutionLayer& layer : layers) {
    layer.how.uses_layout_kernels = uses_layout_kernels;
    layer.how.returns_nchw = returns_nchw;
  }
  const NormLayer norm(torch, channels, Scalar::f32);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    const Tensor first = has_stem ? layers[0](torch, image) : x;
    const Tensor y = layers[2](torch, torch.unary("relu", norm.batch(torch, layers[1](torch, first))));
    return has_pool ? torch.max_pool2d(y) : y;
  };
}

Forward nchw_half(Torch& torch, Dice& dice) { return nchw_network(torch, dice, some_half(dice), true); }
Forward nchw_tf32(Torch& torch, Dice& dice) { return nchw_network(torch, dice, Scalar::f32, true); }
Forward nchw_simt(Torch& torch, Dice& dice) { return nchw_network(torch, dice, Scalar::f32, false); }

// --- 5: memory used badly ---

// One operand is read along its rows, the other across them.
Forward transposed_operand(Torch& torch, Dice& dice) {
  const std::int64_t side = dice.of({4096, 6144});
  const Tensor x = torch.given({side, side}, Scalar::f32), y = torch.given({side, side}, Scalar::f32);
  const double efficiency = dice.between(0.1, 0.32);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    torch.strided_efficiency = efficiency;
    const Tensor z = torch.binary(side > 5000 ? "add" : "mul", x, torch.t(y));
    torch.strided_efficiency = 0.6;
    return z;
  };
}

// One element of each sector is used.
Forward gapped_operand(Torch& torch, Dice& dice) {
  const std::int64_t rows = dice.of({8192, 16384});
  const Tensor x = torch.given({rows, 8192}, Scalar::f32);
  const double efficiency = dice.between(0.1, 0.25);
  return [=](Torch& torch, int) -> std::optional<Tensor> {
    torch.strided_efficiency = efficiency;
    const Tensor z = torch.unary("gelu", torch.slice(x, 1, 0, 8192, 8));
    torch.strided_efficiency = 0.6;
    return z;
  };
}

// --- 6: strides that change from step to step ---

// A loader gives NCHW in one step and NHWC in the next.
Forward alternating_layout(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const Extents sizes = {8, dice.of({16, 32}), 32, 32};
  const int period = dice.whole(2, 3);
  const Tensor scale = torch.given({1, sizes[1], 1, 1}, type);
  return [=](Torch& torch, int step) -> std::optional<Tensor> {
    Tensor x = torch.given(sizes, type);
    if (step % period == 1) x.strides = channels_last_strides(sizes);
    x.is_unstable = true;
    return torch.sum(torch.unary("relu", torch.binary("mul", x, scale)));
  };
}

// A square matrix that is transposed in some steps: equal sizes, other strides.
Forward alternating_transpose(Torch& torch, Dice& dice) {
  const Scalar type = some_type(dice);
  const std::int64_t side = dice.of({512, 1024});
  const Tensor w = torch.given({side, side}, type);
  const int period = dice.whole(2, 3);
  return [=](Torch& torch, int step) -> std::optional<Tensor> {
    Tensor x = torch.given({side, side}, type);
    if (step % period == 1) x.strides = {1, side};
    x.is_unstable = true;
    return torch.mm(x, w);
  };
}

// Guards fail in each step, or in every other: the frame is compiled again, or another of its graphs is taken.
Forward recompiled_region(Torch& torch, Dice& dice) {
  const Tensor x = torch.given({1024, dice.of({512, 1024})}, Scalar::f32);
  const int graphs = dice.of({2, 3, 99});
  return [=](Torch& torch, int step) -> std::optional<Tensor> {
    torch.recorder().open_wrapper(fmt::format("Torch-Compiled Region: 0/{}", step % graphs), -1);
    torch.recorder().note_unstable("Torch-Compiled Region");
    torch.fused_kernel("triton_poi_fused_add_mul_0", x);
    torch.recorder().close();
    return std::nullopt;
  };
}

}  // namespace

const std::vector<BlockKind>& block_kinds() {
  static const std::vector<BlockKind> kinds = {
      {"mlp", "Mlp", 31, mlp, ""},
      {"transposed_weights", "Projection", 48, transposed_weights, ""},
      {"channels_last_network", "FastStage", 66, channels_last_network, ""},
      {"double_network", "Solver", 90, double_network, ""},
      {"unaligned_network", "OddStage", 104, unaligned_network, ""},
      {"first_convolution", "Stem", 118, first_convolution, ""},
      {"single_pixel", "SqueezeExcite", 131, single_pixel, ""},
      {"permuted_images", "PatchEmbed", 147, permuted_images, ""},
      {"fused_attention", "FusedAttention", 160, fused_attention, ""},
      {"contiguous_without_effect", "Careful", 188, contiguous_without_effect, ""},
      {"casts", "MixedPrecision", 203, casts, ""},
      {"input_copy", "Feeder", 219, input_copy, ""},
      {"defensive_clone", "Snapshot", 232, defensive_clone, ""},
      {"small_contiguous", "Positions", 247, small_contiguous, ""},
      {"leading_dimension", "Slices", 262, leading_dimension, ""},
      {"changing_batch", "LastBatch", 280, changing_batch, ""},
      {"saturating_elementwise", "Residual", 295, saturating_elementwise, ""},
      {"cached_elementwise", "Symmetric", 307, cached_elementwise, ""},
      {"single_precision_product", "Scores", 320, single_precision_product, ""},
      {"custom_operator", "Scan", 333, custom_operator, ""},
      {"concatenation", "Concat", 345, concatenation, ""},
      {"logging", "Logged", 359, logging, ""},
      {"two_layouts", "Shared", 375, two_layouts, ""},
      {"short_views", "Rows", 390, short_views, ""},
      {"compiled_region", "Compiled", 405, compiled_region, ""},
      {"attention_by_hand", "Attention", 430, attention_by_hand, "non_contiguous"},
      {"norm_of_transposed", "ChannelNorm", 455, norm_of_transposed, "non_contiguous"},
      {"softmax_of_permuted", "HeadSoftmax", 470, softmax_of_permuted, "non_contiguous"},
      {"linear_of_transposed", "TokenMixer", 484, linear_of_transposed, "non_contiguous"},
      {"sliced_product", "EvenColumns", 498, sliced_product, "non_contiguous"},
      {"expanded_product", "SharedScores", 515, expanded_product, "non_contiguous"},
      {"strided_convolution", "Downsample", 531, strided_convolution, "non_contiguous"},
      {"mixed_weights", "HalfConverted", 547, mixed_weights, "non_contiguous"},
      {"batch_norm_of_transposed", "SequenceNorm", 561, batch_norm_of_transposed, "non_contiguous"},
      {"einsum_of_heads", "EinsumScores", 574, einsum_of_heads, "non_contiguous"},
      {"contiguous_in_loop", "Rounds", 590, contiguous_in_loop, "contiguous_churn"},
      {"ping_pong", "Mixer", 608, ping_pong, "contiguous_churn"},
      {"fan_out", "Branches", 624, fan_out, "contiguous_churn"},
      {"heavy_contiguous", "Whole", 641, heavy_contiguous, "contiguous_churn"},
      {"late_contiguous", "Tied", 653, late_contiguous, "contiguous_churn"},
      {"dropped_layout", "Interrupted", 670, dropped_layout, "contiguous_churn"},
      {"window_partition", "Windows", 688, window_partition, "permute_storm"},
      {"undone_permutation", "ThereAndBack", 707, undone_permutation, "permute_storm"},
      {"permute_in_loop", "Axial", 722, permute_in_loop, "permute_storm"},
      {"nchw_half", "Stage", 738, nchw_half, "channels_last"},
      {"nchw_tf32", "StageTf32", 760, nchw_tf32, "channels_last"},
      {"nchw_simt", "StageSimt", 782, nchw_simt, "channels_last"},
      {"transposed_operand", "Distances", 804, transposed_operand, "memory_bound"},
      {"gapped_operand", "EveryEighth", 818, gapped_operand, "memory_bound"},
      {"alternating_layout", "Augment", 832, alternating_layout, "stride_instability"},
      {"alternating_transpose", "Flip", 848, alternating_transpose, "stride_instability"},
      {"recompiled_region", "Recompiled", 863, recompiled_region, "stride_instability"},
  };
  return kinds;
}

}  // namespace frx::testing::layout
