// The evidence of PTX about a finding in the source that it was compiled from.
//
// By line, where the finding is about accesses or a condition; by kernel, where it is about the whole of it. A template is several kernels:
// all of them must agree. A property that a compiler may change freely proves nothing and is not used: barriers stay in place, loops may
// appear or disappear.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/code_report.h"
#include "report/cuda_report.h"

namespace frx::report {

struct PtxVerdict {
  enum Kind : std::uint8_t { silent, confirmed, withdrawn };
  Kind kind = silent;
  std::string sentence;         // without a full stop
  std::string_view confidence;  // of a confirmed finding; "" when it keeps its own
};

class PtxEvidence {
 public:
  // Both must outlive it. Nearly linear in the size of the PTX.
  PtxEvidence(const CudaReport& report, const PtxReport& ptx);

  PtxVerdict about(const model::Finding& finding) const;

 private:
  using Line = std::pair<std::string, std::uint32_t>;  // last part of the file's name, line

  // One entry of the PTX.
  struct Kernel {
    const derive::ptx::KernelFacts* facts = nullptr;
    std::set<Line> lines;           // that have instructions
    std::set<Line> divergent;       // with a branch that may diverge
    bool all_parts_placed = false;  // every such branch has a line, and none was left out
  };
  struct Answer;

  void add_accesses(const CudaReport& report, const PtxReport& ptx, const derive::ptx::KernelFacts& facts);
  void add_kernel(const PtxReport& ptx, const derive::ptx::KernelFacts& facts);
  std::vector<const Kernel*> kernels_of(const model::Finding& finding) const;
  Answer ask(const model::Finding& finding, model::ptx::Space space) const;

  PtxVerdict about_accesses(const model::Finding& finding, model::ptx::Space space) const;
  PtxVerdict about_width(const model::Finding& finding) const;
  PtxVerdict about_condition(const model::Finding& finding) const;
  PtxVerdict about_branches(const model::Finding& finding) const;
  PtxVerdict about_registers(const model::Finding& finding) const;
  PtxVerdict about_tensor_cores(const model::Finding& finding) const;

  std::map<std::uint32_t, std::string> files_;  // last part of the name, by number
  std::multimap<Line, derive::ptx::MemoryAccess> accesses_;
  std::multimap<std::string, Kernel, std::less<>> kernels_;  // by the last part of the readable name
};

}  // namespace frx::report
