// The tokens that the expansion of macros works on, and the body of a macro in them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/cuda/scanner.h"
#include "model/cuda_source.h"

namespace frx::ingest::cuda {

inline constexpr std::uint32_t nowhere = 0xFFFFFFFF;

// Bytes of the file.
struct FileRange {
  std::uint32_t begin = nowhere, end = nowhere;
};

struct MacroToken {
  std::string_view spelling;
  std::uint32_t file = nowhere;    // the byte of the file, when it is written there
  std::uint32_t before = nowhere;  // the end of the token before it in the file
  FileRange invocation = {};       // in the file, of the innermost macro there that wrote it
  std::uint32_t hidden = 0;        // the macros that it came out of, which do not expand it again
  bool is_spaced = false;          // a blank, a comment or a line end stands before it
};
using MacroTokens = std::vector<MacroToken>;

// The body of a macro, in tokens, with the parameters among them.
struct MacroBody {
  struct Part {
    MacroToken token;
    int parameter = -1;
    bool is_stringized = false;  // behind #
    bool is_pasted = false;      // to the part before it
  };
  std::vector<Part> parts;
  std::size_t parameters = 0;
  bool is_variadic = false;
};

MacroBody body_of(const model::cuda::Macro& macro);

}  // namespace frx::ingest::cuda
