// Modules of PyTorch and sizes that the blocks of made-up programs are made of.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "layout/programs.h"
#include "layout/torch.h"

namespace frx::testing::layout {

inline Scalar some_half(Dice& dice) { return dice.of({Scalar::f16, Scalar::bf16}); }
inline Scalar some_type(Dice& dice) { return dice.of({Scalar::f16, Scalar::bf16, Scalar::f32}); }

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

inline SequenceSizes some_sequence(Dice& dice) { return {dice.of({4, 8, 16}), dice.of({128, 256, 384, 512}), dice.of({8, 12, 16}), 64}; }

inline Tensor with_strides(Tensor tensor, Extents strides) {
  tensor.strides = std::move(strides);
  return tensor;
}

}  // namespace frx::testing::layout
