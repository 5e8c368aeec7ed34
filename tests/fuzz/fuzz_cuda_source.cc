// CUDA source, and all that is derived from it. Whatever the text is, every place lies in the file, a finding names
// a rule, and nodes nest as they should.
#include <vector>

#include "derive/cuda/inspect.h"
#include "detect/cuda_findings.h"
#include "fuzz/input.h"
#include "ingest/cuda/read_source.h"

namespace {

using frx::fuzz::require;
namespace cuda = frx::model::cuda;

const frx::knowledge::CodeRules& rules() {
  static const frx::knowledge::Library library = frx::knowledge::Library::builtin();
  static const auto all = frx::knowledge::CodeRules::load(library, "cuda").value();
  return all;
}

const frx::knowledge::SmLimits* limits() {
  for (const frx::knowledge::SmLimits& one : frx::fuzz::knowledge().gpus.all_limits()) {
    if (one.family_key == "sm_80") return &one;
  }
  return nullptr;
}

void check_syntax(const cuda::Source& source) {
  for (std::uint32_t n = 0; n < source.syntax.size(); ++n) {
    const cuda::Node& node = source.syntax[n];
    require(node.begin <= node.end && node.end <= source.text.size() && node.last > n && node.last <= source.syntax.size());
    if (node.parent == cuda::none) continue;
    const cuda::Node& parent = source.syntax[node.parent];
    require(node.parent < n && node.last <= parent.last && node.begin >= parent.begin && node.end <= parent.end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  frx::Result<cuda::Source> source = frx::ingest::cuda::read_source("input.cu", std::string(input.text()));
  if (!source) return 0;
  check_syntax(*source);
  std::vector<cuda::Source> sources;
  sources.push_back(std::move(*source));
  const cuda::Inspection inspection = frx::derive::cuda::inspect(sources, {limits()});
  require(inspection.advice.size() == inspection.kernels.size());
  const frx::detect::CudaFindings result = frx::detect::examine_cuda(rules(), inspection, sources, "sm_80");
  for (const frx::model::Finding& finding : result.findings) {
    require(rules().with_id(finding.id()) != nullptr);
    require(finding.place().line >= 1 && finding.place().line <= sources[0].line_starts.size() && finding.place().column >= 1);
  }
  return 0;
}
