// Operators that are matrix products or convolutions: the reader keeps more of their arguments than of others.
#pragma once

#include <algorithm>
#include <string_view>

namespace frx::model {

inline bool is_product_operator(std::string_view name) {
  constexpr std::string_view names[] = {"aten::mm",
                                        "aten::addmm",
                                        "aten::_addmm_activation",
                                        "aten::bmm",
                                        "aten::baddbmm",
                                        "aten::_scaled_mm",
                                        "aten::_int_mm",
                                        "aten::linear",
                                        "aten::convolution",
                                        "aten::_convolution",
                                        "aten::conv1d",
                                        "aten::conv2d",
                                        "aten::conv3d",
                                        "aten::cudnn_convolution",
                                        "aten::cudnn_convolution_relu",
                                        "aten::cudnn_convolution_transpose",
                                        "aten::miopen_convolution",
                                        "aten::miopen_depthwise_convolution",
                                        "aten::convolution_backward"};
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace frx::model
