// The kernels that a text defines, found by its tokens alone, without parsing it.
//
//   EXPORT __global__ BOUNDS(256) void k(float* a) PURE { ... }
//          __global__             void k(float* a)      { ... }
//
// It serves twice. What stands in the head of a kernel and is neither a specifier of the language nor its name can only be a macro that
// is not known; it is blanked, as are attributes that the parser has no use for. And what is found here must be found by the parser too:
// the rest is reported as not read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace frx::ingest::cuda {

struct KernelHead {
  std::uint32_t begin = 0;       // of the whole definition, with its template parameters
  std::uint32_t word = 0;        // of __global__
  std::uint32_t name_begin = 0;  // empty where there is none
  std::uint32_t name_end = 0;
  std::uint32_t body = 0;  // the opening brace
  std::uint32_t end = 0;   // behind the closing one

  std::uint32_t word_end() const { return word + 10; }
};

// In order. `text` keeps its length.
std::vector<KernelHead> settle_kernel_heads(std::string& text);

}  // namespace frx::ingest::cuda
