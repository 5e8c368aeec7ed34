#include "ingest/nsys/nvtx_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/text.h"

namespace frx::ingest::nsys {
namespace {

constexpr std::string_view sequence_key = ", seq = ", op_key = ", op_id = ", sizes_key = ", sizes = ", inputs_key = ", input_op_ids = ";

// Takes "KEY NUMBER" from the front of `text`. What is no number is left.
std::optional<std::uint64_t> take_number(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const begin = text.data() + key.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Takes "KEY [...]" with all that its brackets enclose; a list that does not end is left.
std::string_view take_list(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key) || text.size() == key.size() || text[key.size()] != '[') return {};
  std::size_t depth = 0;
  for (std::size_t i = key.size(); i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) {
      const std::string_view list = text.substr(key.size(), i + 1 - key.size());
      text.remove_prefix(i + 1);
      return list;
    }
  }
  return {};
}

}  // namespace

NvtxText parse_nvtx(std::string_view text) {
  // A name may hold commas ("void f<int, float>"), so the parts are looked for by their keys.
  const std::size_t first = std::min({text.find(sequence_key), text.find(op_key), text.find(sizes_key)});
  NvtxText parsed{text.substr(0, first), {}, {}, {}, {}};
  if (first == text.npos) return parsed;
  std::string_view rest = text.substr(first);
  parsed.sequence = take_number(rest, sequence_key);
  parsed.op_id = take_number(rest, op_key);
  parsed.sizes = take_list(rest, sizes_key);
  parsed.input_ops = take_list(rest, inputs_key);
  const bool is_any = parsed.sequence || parsed.op_id || !parsed.sizes.empty();
  return is_any ? parsed : NvtxText{text, {}, {}, {}, {}};
}

bool is_operator(const NvtxText& text) {
  if (text.sequence || text.op_id || !text.sizes.empty()) return true;
  constexpr std::string_view spaces[] = {
      "aten::", "c10d::", "quantized::", "xformers::", "flash_attn::", "torchvision::", "autograd::engine::"};
  return std::ranges::any_of(spaces, [&](std::string_view space) { return text.name.starts_with(space); });
}

bool is_domain_of_library(std::string_view domain) {
  constexpr std::string_view libraries[] = {"CCCL",     "NCCL",     "cuBLAS", "cuBLASLt", "cuDNN",  "cuFFT",
                                            "cuSPARSE", "cuSOLVER", "cuRAND", "TensorRT", "NVSHMEM"};
  return std::ranges::any_of(libraries, [&](std::string_view library) { return equals_ignoring_case(domain, library); });
}

}  // namespace frx::ingest::nsys
