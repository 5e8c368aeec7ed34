// The text of an NVTX range, as torch.autograd.profiler.emit_nvtx writes it:
//
//   aten::addmm, seq = 12, op_id = 40, sizes = [[512], [8, 768], [768, 512]], input_op_ids = [(7,0), (0,-1)]
//
// Every part behind the name may be absent. Any other text is a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace frx::ingest::nsys {

struct NvtxText {
  std::string_view name;
  std::optional<std::uint64_t> sequence;  // joins a backward range with the operator that made it
  std::optional<std::uint64_t> op_id;
  std::string_view sizes;      // "[[512], [8, 768]]": shapes of the inputs, as traces of PyTorch have them; "" where they were not recorded
  std::string_view input_ops;  // "[(7,0), (0,-1)]": the operators whose outputs the inputs are, and which output; "": not recorded
};

NvtxText parse_nvtx(std::string_view text);

// Is the range an operator of the framework, rather than one that the program named?
bool is_operator(const NvtxText& text);
// Was the range made by a library for a call of it (NCCL, CCCL, cuBLAS)? `domain`: its NVTX domain, "" for the default one.
bool is_domain_of_library(std::string_view domain);

}  // namespace frx::ingest::nsys
