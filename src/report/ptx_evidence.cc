#include "report/ptx_evidence.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "derive/ptx/divergence.h"
#include "report/report.h"

namespace frx::report {

using derive::ptx::BlockShape;
using derive::ptx::KernelFacts;
using derive::ptx::MemoryAccess;
using model::Finding;
using model::TextPlace;
using model::ptx::Category;
using model::ptx::Space;

namespace {

// The block size with which the source launches the kernel, where that is constant and the same everywhere.
std::optional<BlockShape> launched_block(const CudaReport& report, std::string_view kernel) {
  std::optional<BlockShape> block;
  for (const model::cuda::Launch& launch : report.inspection.launches) {
    if (launch.kernel != kernel) continue;
    if (!launch.block || launch.block->volume() > 1024) return std::nullopt;
    const BlockShape shape{static_cast<std::uint32_t>(launch.block->x), static_cast<std::uint32_t>(launch.block->y),
                           static_cast<std::uint32_t>(launch.block->z)};
    if (block && !(*block == shape)) return std::nullopt;
    block = shape;
  }
  return block;
}

// The places of the finding.
std::vector<std::pair<std::string, std::uint32_t>> lines_of(const Finding& finding) {
  std::vector<std::pair<std::string, std::uint32_t>> lines{{std::string(file_name_in(finding.place().file)), finding.place().line}};
  for (const TextPlace& place : finding.more_places()) lines.emplace_back(file_name_in(place.file), place.line);
  return lines;
}

PtxVerdict withdrawn(std::string sentence) { return {PtxVerdict::withdrawn, std::move(sentence), ""}; }
PtxVerdict confirmed(std::string sentence, std::string_view confidence) { return {PtxVerdict::confirmed, std::move(sentence), confidence}; }

}  // namespace

PtxEvidence::PtxEvidence(const CudaReport& report, const PtxReport& ptx) {
  for (const auto& file : ptx.module.files) files_.insert_or_assign(file.number, std::string(file_name_in(file.path)));
  for (const diagnose::PtxKernel& kernel : ptx.diagnosis.kernels) {
    add_accesses(report, ptx, kernel.facts);
    add_kernel(ptx, kernel.facts);
  }
}

void PtxEvidence::add_accesses(const CudaReport& report, const PtxReport& ptx, const KernelFacts& kernel) {
  derive::ptx::LaunchFacts facts;
  const auto& shapes = kernel.accesses.shapes;
  facts.block = launched_block(report, kernel_called(kernel.name)).value_or(shapes.empty() ? BlockShape{256, 1, 1} : shapes.front());
  for (MemoryAccess& access : derive::ptx::memory_accesses(ptx.module, *kernel.function, facts)) {
    const std::uint32_t place = ptx.module.instructions[access.instruction].place;
    if (place == model::ptx::none || ptx.module.places[place].line == 0) continue;
    const auto file = files_.find(ptx.module.places[place].file);
    if (file != files_.end()) accesses_.emplace(Line(file->second, ptx.module.places[place].line), std::move(access));
  }
}

void PtxEvidence::add_kernel(const PtxReport& ptx, const KernelFacts& facts) {
  namespace p = derive::ptx;
  const model::ptx::Module& module = ptx.module;
  Kernel kernel;
  kernel.facts = &facts;
  const auto line = [&](std::uint32_t instruction) -> std::optional<Line> {
    const std::uint32_t place = module.instructions[instruction].place;
    if (place == model::ptx::none || module.places[place].line == 0) return std::nullopt;
    const auto file = files_.find(module.places[place].file);
    return file == files_.end() ? std::nullopt : std::optional(Line(file->second, module.places[place].line));
  };
  for (std::uint32_t i = facts.function->instructions.begin; i < facts.function->instructions.end; ++i) {
    if (const std::optional<Line> at = line(i)) kernel.lines.insert(*at);
  }
  const p::FlowGraph graph = p::flow_graph(module, *facts.function);
  if (!graph.blocks.empty()) {
    const p::RegisterUses uses(module, *facts.function);
    const p::Divergence divergence = p::divergence(module, *facts.function, graph, uses, p::liveness(module, *facts.function, graph, uses));
    kernel.all_parts_placed = divergence.is_exact;
    for (const p::Branch& branch : divergence.branches) {
      if (!branch.may_diverge) continue;
      const std::optional<Line> at = line(branch.instruction);
      if (at) kernel.divergent.insert(*at);
      kernel.all_parts_placed &= at.has_value();
    }
  }
  kernels_.emplace(kernel_called(facts.name), std::move(kernel));
}

// The kernels of its name with code from the finding's file: another file may have a kernel of that name.
std::vector<const PtxEvidence::Kernel*> PtxEvidence::kernels_of(const Finding& finding) const {
  std::vector<const Kernel*> found;
  const std::string file(file_name_in(finding.place().file));
  const auto [begin, end] = kernels_.equal_range(kernel_called(finding.kernel));
  for (auto at = begin; at != end; ++at) {
    const auto first = at->second.lines.lower_bound({file, 0});
    if (first != at->second.lines.end() && first->first == file) found.push_back(&at->second);
  }
  return found;
}

struct PtxEvidence::Answer {
  bool is_costly = false;
  bool is_known = true;    // the cost of every access is
  bool is_spread = false;  // some access costs twice what its bytes need, though perhaps no more than one of 4 bytes per lane
  std::size_t accesses = 0;
  std::uint32_t narrowest = ~0u, widest = 0;  // bytes of one lane
  std::string sentence;                       // of the worst access
};

// The places of the finding and the PTX of their lines.
PtxEvidence::Answer PtxEvidence::ask(const Finding& finding, Space space) const {
  Answer answer;
  std::uint32_t worst = 0;
  for (const Line& line : lines_of(finding)) {
    const auto [begin, end] = accesses_.equal_range(line);
    for (auto at = begin; at != end; ++at) {
      const MemoryAccess& access = at->second;
      // One without a space may be of any: a pointer that was read, or allocated by the thread.
      if (access.space == Space::none && space == Space::global) answer.is_known = false;
      if (access.space != space) continue;
      ++answer.accesses;
      answer.narrowest = std::min(answer.narrowest, access.bytes);
      answer.widest = std::max(answer.widest, access.bytes);
      answer.is_known &= access.cost.has_value();
      if (!access.cost) continue;
      answer.is_spread |= access.cost->typical >= 2 * access.cost->ideal;
      if (space == Space::global ? !is_wasteful(*access.cost, access.bytes) : access.cost->typical < 2 * access.cost->ideal) continue;
      answer.is_costly = true;
      if (access.cost->typical > worst) answer.sentence = access.sentence;
      worst = std::max(worst, access.cost->typical);
    }
  }
  return answer;
}

PtxVerdict PtxEvidence::about_accesses(const Finding& finding, Space space) const {
  const Answer answer = ask(finding, space);
  if (answer.is_costly) return confirmed(answer.sentence, "high");
  if (answer.accesses == 0 || !answer.is_known || answer.is_spread) return {};
  return withdrawn("the accesses of this line need no more than their bytes do");
}

// The compiler joins neighbouring accesses of a thread into wider ones where it can prove that they are aligned.
PtxVerdict PtxEvidence::about_width(const Finding& finding) const {
  const Answer answer = ask(finding, Space::global);
  if (answer.accesses == 0) return {};
  if (answer.narrowest >= 8) return withdrawn(fmt::format("its accesses move {} or more bytes per lane", answer.narrowest));
  if (answer.widest > 4) return {};
  return confirmed(fmt::format("no access of these lines moves more than {} bytes per lane", answer.widest), "medium");
}

// A short branch becomes a selection: then the warp does not diverge.
PtxVerdict PtxEvidence::about_condition(const Finding& finding) const {
  const std::vector<const Kernel*> kernels = kernels_of(finding);
  const std::vector<Line> lines = lines_of(finding);
  const auto parts = [&](const Kernel* kernel) {
    return std::ranges::any_of(lines, [&](const Line& line) { return kernel->divergent.contains(line); });
  };
  const auto never = [&](const Kernel* kernel) {
    return kernel->all_parts_placed && !parts(kernel) &&
           std::ranges::all_of(lines, [&](const Line& line) { return kernel->lines.contains(line); });
  };
  if (kernels.empty()) return {};
  if (std::ranges::any_of(kernels, parts)) return confirmed("a branch of this line may diverge within a warp", "high");
  if (!std::ranges::all_of(kernels, never)) return {};
  return withdrawn("no branch of this line parts the lanes of a warp: the compiler selects between values");
}

PtxVerdict PtxEvidence::about_branches(const Finding& finding) const {
  const std::vector<const Kernel*> kernels = kernels_of(finding);
  if (kernels.empty()) return {};
  const auto together = [](const Kernel* k) { return k->facts->divergence_known && k->divergent.empty() && k->all_parts_placed; };
  if (!std::ranges::all_of(kernels, together)) return {};
  return withdrawn("no branch of the kernel parts the lanes of a warp");
}

// 32 registers allow all threads of every SM. docs/validation/ptx.md: nineteen of twenty kernels use less than 1.7 times the estimate, and
// nineteen of twenty more than it divided by 1.4.
PtxVerdict PtxEvidence::about_registers(const Finding& finding) const {
  constexpr std::uint32_t few = 16, many = 48, very_many = 128;
  const std::vector<const Kernel*> kernels = kernels_of(finding);
  std::uint32_t estimate = 0, live = 0;
  std::uint64_t local = 0;
  for (const Kernel* kernel : kernels) {
    const KernelFacts& facts = *kernel->facts;
    if (!facts.pressure.known || facts.calls > 0) return {};
    estimate = std::max(estimate, derive::ptx::estimated_registers(facts.pressure));
    live = std::max(live, facts.pressure.registers);
    local = std::max(local, facts.local_bytes);
  }
  if (kernels.empty()) return {};
  if (local > 0) return confirmed(fmt::format("{} bytes of each thread lie in local memory", local), "high");
  // Beyond 128 registers a quarter of the threads of an SM are left.
  if (live > many)
    return confirmed(fmt::format("values that fill {} registers have to be kept at once", live), live > very_many ? "high" : "medium");
  if (estimate > few) return {};
  return withdrawn(fmt::format("about {} registers do, which allows all threads of an SM", estimate));
}

PtxVerdict PtxEvidence::about_tensor_cores(const Finding& finding) const {
  const std::vector<const Kernel*> kernels = kernels_of(finding);
  const auto uses_them = [](const Kernel* kernel) { return kernel->facts->of(Category::tensor) > 0; };
  if (kernels.empty() || !std::ranges::all_of(kernels, uses_them)) return {};
  return withdrawn("the kernel uses the tensor cores");
}

PtxVerdict PtxEvidence::about(const Finding& finding) const {
  if (finding.id() == "uncoalesced_access") return about_accesses(finding, Space::global);
  if (finding.id() == "possible_shared_memory_bank_conflict") return about_accesses(finding, Space::shared);
  if (finding.id() == "missing_vectorized_loads") return about_width(finding);
  if (finding.id() == "warp_divergence") return about_condition(finding);
  if (finding.id() == "excessive_branching") return about_branches(finding);
  if (finding.id() == "high_register_pressure") return about_registers(finding);
  if (finding.id() == "fp32_only_matmul" || finding.id() == "missing_wmma_mma_path") return about_tensor_cores(finding);
  return {};
}

}  // namespace frx::report
