// What the name of a size suggests about it, where its value is unknown.
#pragma once

#include <string_view>

namespace frx::derive::cuda {

// incx, INCY: increments as BLAS has them, nearly always 1.
bool is_increment(std::string_view name);

// Width, rows, pitch, tile: more than a few elements. One element, or a few channels of a pixel, have other names.
bool is_extent(std::string_view name);

// n, nx, c_nt, num_samples, rows: how many of something there are; no increment has such a name.
bool is_count(std::string_view name);

// grid_size, numBlocks: how many blocks a launch has. threads_per_block, dimBlock: the shape of one. Of names that say both, neither.
bool is_block_count(std::string_view name);
bool is_block_shape(std::string_view name);

// T, scalar_t, Real: a type that is not given, and is a number by its name rather than a record.
bool sounds_like_number(std::string_view type);

// tensor.size(0), image.cols(): a method that says how large an object is.
bool is_size_method(std::string_view name);

// DIVIDE, ceil_div, round_up, next_pow2: a function or macro of a header that makes a size of sizes.
bool makes_size(std::string_view function);

}  // namespace frx::derive::cuda
