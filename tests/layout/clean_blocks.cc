// Blocks without a layout fault. Most look like one.
#include <array>

#include "layout/layers.h"
#include "layout/programs.h"

namespace frx::testing::layout {
namespace {

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

}  // namespace

const std::vector<BlockKind>& clean_blocks() {
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
  };
  return kinds;
}

}  // namespace frx::testing::layout
