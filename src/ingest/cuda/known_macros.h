// Macros that many projects define alike, for files that are read without the header that has them.
#pragma once

#include <array>
#include <string_view>

#include "ingest/cuda/macro_table.h"

namespace frx::ingest::cuda {

// All their names hold one of these.
constexpr std::array<std::string_view, 2> words_of_known_macros = {"KERNEL_LOOP", "GET_THREAD_ID"};

// What CUDA_KERNEL_LOOP(i, n) and its like usually are: the loop over the grid of Caffe, PyTorch, MMCV, OneFlow and PaddlePaddle; and
// CUDA_GET_THREAD_ID(i, n), by which renderers return behind the end of the data. Null for other names.
const MacroDefinition* known_macro(std::string_view name);

}  // namespace frx::ingest::cuda
