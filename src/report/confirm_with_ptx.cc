#include "report/confirm_with_ptx.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"

namespace frx::report {
namespace {

using derive::ptx::BlockShape;
using derive::ptx::MemoryAccess;
using model::CodeFinding;
using model::ptx::Function;
using model::ptx::Space;

// The block that the source launches the kernel with, where that is constant and the same everywhere.
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

std::string last_part(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return std::string(at == name.npos ? name : name.substr(at + 2));
}

// Accesses by the line of the source, of all kernels.
using Lines = std::multimap<std::pair<std::string, std::uint32_t>, MemoryAccess>;

Lines lines_of(const CudaReport& report, const PtxReport& ptx) {
  Lines lines;
  for (const diagnose::PtxKernel& kernel : ptx.diagnosis.kernels) {
    derive::ptx::LaunchFacts facts;
    const auto& shapes = kernel.facts.accesses.shapes;
    facts.block = launched_block(report, last_part(readable_symbol(kernel.facts.name)))
                      .value_or(shapes.empty() ? BlockShape{256, 1, 1} : shapes.front());
    for (MemoryAccess& access : derive::ptx::memory_accesses(ptx.module, *kernel.facts.function, facts)) {
      const model::TextPlace place = derive::ptx::place_of(ptx.module, access.instruction);
      if (place.source_line > 0)
        lines.emplace(std::pair(std::string(file_name_in(place.source_file)), place.source_line), std::move(access));
    }
  }
  return lines;
}

struct Answer {
  bool is_costly = false;
  bool is_known = true;  // the cost of every access is
  std::size_t accesses = 0;
  std::string sentence;  // of the worst one
};

// A place of the finding and what PTX has on its line.
void ask(const Lines& lines, const model::TextPlace& place, Space space, Answer& answer) {
  const auto [begin, end] = lines.equal_range({std::string(file_name_in(place.file)), place.line});
  std::uint32_t worst = 0;
  for (auto at = begin; at != end; ++at) {
    const MemoryAccess& access = at->second;
    if (access.space != space) continue;
    ++answer.accesses;
    if (!access.cost) {
      answer.is_known = false;
    } else if (access.cost->typical >= 2 * access.cost->ideal) {
      answer.is_costly = true;
      if (access.cost->typical > worst) answer.sentence = access.sentence;
      worst = std::max(worst, access.cost->typical);
    }
  }
}

std::optional<Space> space_of(std::string_view code) {
  if (code == "uncoalesced_access") return Space::global;
  if (code == "possible_shared_memory_bank_conflict") return Space::shared;
  return std::nullopt;
}

Answer answer_for(const Lines& lines, const CodeFinding& finding, Space space) {
  Answer answer;
  ask(lines, finding.place, space, answer);
  for (const model::TextPlace& place : finding.more_places) ask(lines, place, space, answer);
  return answer;
}

}  // namespace

void confirm_with_ptx(CudaReport& report, const PtxReport& ptx) {
  const Lines lines = lines_of(report, ptx);
  std::vector<CodeFinding> kept;
  for (CodeFinding& finding : report.findings) {
    const std::optional<Space> space = space_of(finding.code);
    const Answer answer = space ? answer_for(lines, finding, *space) : Answer{};
    if (answer.is_costly) {
      finding.confidence = "high";
      finding.message += " Confirmed by PTX: " + answer.sentence + ".";
    } else if (answer.accesses > 0 && answer.is_known) {
      report.notes.push_back(fmt::format("{} at {}:{} withdrawn: in PTX the accesses of this line need no more than their bytes do",
                                         finding.code, printable(file_name_in(finding.place.file)), finding.place.line));
      continue;
    }
    kept.push_back(std::move(finding));
  }
  report.findings = std::move(kept);
}

}  // namespace frx::report
