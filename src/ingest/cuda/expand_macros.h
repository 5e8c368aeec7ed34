// The text of a file with its macros replaced by what they mean, and where each byte of that comes from.
//
//   #define FLOAT4(x) (reinterpret_cast<float4*>(&(x))[0])
//   FLOAT4(b[i]) = FLOAT4(a[i]);
//
// becomes (reinterpret_cast<float4*>(&(b[i]))[0]) = ..., in which `b[i]` has its own place and all else that of the invocation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/cuda/expansion_writer.h"
#include "ingest/cuda/macro_table.h"
#include "model/cuda_source.h"

namespace frx::ingest::cuda {

// The definition that holds at a byte of the file; null where the name is no macro, or it is unknown which definition holds.
using MacroAt = std::function<const MacroDefinition*(std::string_view name, std::size_t place)>;

// `text` is without directives; `names` are the bytes of words in it, in order, among them all that name a macro, and perhaps words that
// are no longer there. Absent when nothing is to be replaced. An invocation that would become too large, is not closed, or has another
// number of arguments stays as it is; time and memory are linear in the size of the text.
std::optional<ExpandedText> expand_macros(std::string_view text, std::span<const std::uint32_t> names, const MacroAt& macro_at);

}  // namespace frx::ingest::cuda
