#include "derive/cuda/name_facts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <unordered_set>

namespace frx::derive::cuda {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

class NameScanner {
 public:
  NameScanner(const Program& program, std::uint32_t source) : program_(program), index_(source), source_(program.sources()[source]) {}

  void read(std::uint32_t function) {
    for (std::uint32_t n = function; n < source_.syntax[function].last; ++n) {
      switch (source_.syntax.kind(n)) {
        case NodeKind::identifier:
        case NodeKind::type_identifier:
        case NodeKind::namespace_identifier:
          if (const std::string_view name = source_.text_of(n); seen_.insert(name).second) look_at(name);
          break;
        case NodeKind::assembly: assembly(n); break;
        case NodeKind::for_statement: loop(n); break;
        default: break;
      }
    }
  }

  NameFacts facts;

 private:
  void look_at(std::string_view name) {
    static constexpr std::array<std::string_view, 10> tensor{"wmma",  "mma_sync", "load_matrix_sync", "cute",    "cutlass",
                                                             "wgmma", "mma",      "warpgroup_arrive", "tcgen05", "ldmatrix"};
    facts.tensor_api =
        facts.tensor_api || name.starts_with("mma_") || name.starts_with("ldmatrix") || std::ranges::find(tensor, name) != tensor.end();
    facts.warpgroup_mma = facts.warpgroup_mma || name.starts_with("wgmma") || name.starts_with("warpgroup_") || name.starts_with("tcgen05");
    const TypeInfo type = program_.type(name);
    facts.half_types = facts.half_types || type.is_half;
    facts.vector_types = facts.vector_types || (type.parts > 1 && type.bytes >= 4);
    facts.shuffles = facts.shuffles || name.starts_with("__shfl");
    facts.read_only_cache = facts.read_only_cache || name == "__ldg" || is_constant(name);
    facts.shared_helper = facts.shared_helper || has(name, "SharedMem") || has(name, "sharedMem") || has(name, "TempStorage");
  }

  bool is_constant(std::string_view name) const {
    const Global* global = program_.global(name, index_);
    return global && global->is_constant_memory;
  }

  void assembly(std::uint32_t n) {
    const std::string_view text = source_.text_of(n);
    if (has(text, "mma.") || has(text, "wmma.") || has(text, "tcgen05.") || has(text, "ldmatrix")) facts.tensor_api = true;
    if (has(text, "wgmma.") || has(text, "tcgen05.")) facts.warpgroup_mma = true;
    if (has(text, "bar.") || has(text, "barrier.")) facts.barrier_in_assembly = true;
    if (has(text, "%tid") || has(text, "%laneid") || has(text, "%warpid")) facts.thread_number_in_assembly = true;
  }

  void loop(std::uint32_t n) {
    const std::uint32_t update = source_.syntax.child(n, Role::update);
    if (update == none) return;
    const std::string_view op = source_.text_of(source_.syntax.child(update, Role::op));
    const std::string_view by = source_.text_of(source_.syntax.child(update, Role::right));
    if (op == ">>=" || (op == "/=" && by == "2")) facts.tree_loop = true;
    if (op == "+=" && has(by, "gridDim.x")) facts.grid_stride_loop = true;
  }

  const Program& program_;
  std::uint32_t index_;
  const Source& source_;
  std::array<std::byte, 8192> buffer_;  // enough for the names of most kernels
  std::pmr::monotonic_buffer_resource scratch_{buffer_.data(), buffer_.size()};
  std::pmr::unordered_set<std::string_view> seen_{&scratch_};
};

void merge(NameFacts& into, const NameFacts& more) {
  for (bool NameFacts::*fact :
       {&NameFacts::tensor_api, &NameFacts::warpgroup_mma, &NameFacts::half_types, &NameFacts::vector_types, &NameFacts::shuffles,
        &NameFacts::barrier_in_assembly, &NameFacts::thread_number_in_assembly, &NameFacts::read_only_cache, &NameFacts::tree_loop,
        &NameFacts::grid_stride_loop, &NameFacts::shared_helper}) {
    into.*fact = into.*fact || more.*fact;
  }
}

}  // namespace

NameFacts name_facts_of(const Program& program, const Trace& trace) {
  NameFacts all;
  for (const std::uint32_t function : trace.functions) {
    const NodeRef at = program.functions()[function].at;
    NameScanner scanner(program, at.source);
    scanner.read(at.node);
    merge(all, scanner.facts);
  }
  return all;
}

}  // namespace frx::derive::cuda
