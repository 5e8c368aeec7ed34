// Macros that many projects define alike, for files that are read without the header that has them.
#pragma once

#include <string_view>

#include "ingest/cuda/macro_table.h"

namespace frx::ingest::cuda {

// What CUDA_KERNEL_LOOP(i, n) and its like usually are: the loop over the grid of Caffe, PyTorch, MMCV, OneFlow and PaddlePaddle; and
// CUDA_GET_THREAD_ID(i, n), by which renderers return behind the end of the data; and __int8 to __int64 of the compiler of Windows. Null
// for other names.
const MacroDefinition* known_macro(std::string_view name);

}  // namespace frx::ingest::cuda
