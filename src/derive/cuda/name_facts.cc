#include "derive/cuda/words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <unordered_set>

namespace frx::derive::cuda {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

class Reading {
 public:
  Reading(const Program& program, const Source& source) : program_(program), source_(source) {}

  void read(std::uint32_t function) {
    for (std::uint32_t n = function; n < source_.syntax[function].last; ++n) {
      switch (source_.syntax.kind(n)) {
        case NodeKind::identifier:
        case NodeKind::type_identifier:
        case NodeKind::namespace_identifier:
          if (const std::string_view name = source_.text_of(n); seen_.insert(name).second) word(name);
          break;
        case NodeKind::assembly: assembly(n); break;
        case NodeKind::for_statement: loop(n); break;
        default: break;
      }
    }
  }

  Words words;

 private:
  void word(std::string_view name) {
    static constexpr std::array<std::string_view, 10> tensor{
        "wmma",  "mma_sync", "load_matrix_sync", "cute",    "cutlass",
        "wgmma", "mma",      "warpgroup_arrive", "tcgen05", "ldmatrix"};
    words.tensor_api =
        words.tensor_api || name.starts_with("mma_") || name.starts_with("ldmatrix") || std::ranges::find(tensor, name) != tensor.end();
    words.warpgroup_mma = words.warpgroup_mma || name.starts_with("wgmma") || name.starts_with("warpgroup_") ||
                          name.starts_with("tcgen05");
    const TypeInfo type = program_.type(name);
    words.half_types = words.half_types || type.is_half;
    words.vector_types = words.vector_types || (type.parts > 1 && type.bytes >= 4);
    words.shuffles = words.shuffles || name.starts_with("__shfl");
    words.read_only_cache = words.read_only_cache || name == "__ldg" || is_constant(name);
    words.shared_helper =
        words.shared_helper || has(name, "SharedMem") || has(name, "sharedMem") || has(name, "TempStorage");
  }

  bool is_constant(std::string_view name) const {
    const Global* global = program_.global(name);
    return global && global->is_constant_memory;
  }

  void assembly(std::uint32_t n) {
    const std::string_view text = source_.text_of(n);
    if (has(text, "mma.") || has(text, "wmma.") || has(text, "tcgen05.") || has(text, "ldmatrix"))
      words.tensor_api = true;
    if (has(text, "wgmma.") || has(text, "tcgen05.")) words.warpgroup_mma = true;
    if (has(text, "bar.") || has(text, "barrier.")) words.barrier_in_assembly = true;
    if (has(text, "%tid") || has(text, "%laneid") || has(text, "%warpid")) words.thread_number_in_assembly = true;
  }

  void loop(std::uint32_t n) {
    const std::uint32_t update = source_.syntax.child(n, Role::update);
    if (update == none) return;
    const std::string_view op = source_.text_of(source_.syntax.child(update, Role::op));
    const std::string_view by = source_.text_of(source_.syntax.child(update, Role::right));
    if (op == ">>=" || (op == "/=" && by == "2")) words.tree_loop = true;
    if (op == "+=" && has(by, "gridDim.x")) words.grid_stride_loop = true;
  }

  const Program& program_;
  const Source& source_;
  std::array<std::byte, 8192> room_;  // enough for the names of most kernels
  std::pmr::monotonic_buffer_resource scratch_{room_.data(), room_.size()};
  std::pmr::unordered_set<std::string_view> seen_{&scratch_};
};

void merge(Words& into, const Words& more) {
  for (bool Words::*word :
       {&Words::tensor_api, &Words::warpgroup_mma, &Words::half_types, &Words::vector_types, &Words::shuffles,
        &Words::barrier_in_assembly, &Words::thread_number_in_assembly, &Words::read_only_cache, &Words::tree_loop,
        &Words::grid_stride_loop, &Words::shared_helper}) {
    into.*word = into.*word || more.*word;
  }
}

}  // namespace

Words words_of(const Program& program, const Trace& trace) {
  Words all;
  for (const std::uint32_t function : trace.functions) {
    const NodeRef at = program.functions()[function].at;
    Reading reading(program, program.sources()[at.source]);
    reading.read(at.node);
    merge(all, reading.words);
  }
  return all;
}

}  // namespace frx::derive::cuda
