// Blocks with layout faults, by the detector that they were written for.
#include <array>

#include "layout/layers.h"
#include "layout/programs.h"

namespace frx::testing::layout {
namespace {

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

const std::vector<BlockKind>& faulty_blocks() {
  static const std::vector<BlockKind> kinds = {
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
