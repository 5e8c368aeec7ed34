#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "render/cuda_report.h"
#include "render/finding_members.h"
#include "render/json.h"

namespace frx::render {
namespace {

using model::CodeFinding;
using model::cuda::Kernel;
using model::cuda::Launch;
using model::cuda::LaunchAdvice;
using model::cuda::SharedArray;
using report::CudaReport;

template <typename Out>
void put_shared(Out& out, const SharedArray& array) {
  out.member("name", array.name);
  out.member("type", array.type);
  out.member("dims", array.dims);
  out.member("bytes", array.bytes);
  out.member("dynamic", array.is_dynamic);
  out.member("bank_conflict_risk", array.bank_conflict_risk);
  out.member("line", array.place.line);
}

template <typename Out>
void put_kernel(Out& out, const Kernel& kernel) {
  out.member("name", kernel.name);
  out.member("filename", kernel.place.file);
  out.member("line", kernel.place.line);
  out.member("column", kernel.place.column);
  out.member("signature", kernel.signature);
  out.list("params", kernel.parameters, [](auto& inner, const model::cuda::Parameter& parameter) {
    inner.member("type", parameter.type);
    inner.member("name", parameter.name);
  });
  out.member("template_parameters", kernel.template_parameters);
  out.member("max_threads_per_block", kernel.max_threads);
  out.member("min_blocks_per_sm", kernel.min_blocks);
  out.member("indexing_patterns", kernel.indexing_patterns);
  out.member("memory_access_styles", kernel.memory_access_styles);
  out.member("atomics", kernel.atomics);
  out.member("reductions", kernel.reductions);
  out.list("shared_memory", kernel.shared_memory, [](auto& inner, const SharedArray& array) { put_shared(inner, array); });
  out.list("barriers", kernel.barriers, [](auto& inner, const model::cuda::Barrier& barrier) {
    inner.member("line", barrier.place.line);
    inner.member("in_loop", barrier.in_loop);
    inner.member("divergent", barrier.is_divergent);
  });
  out.member("loop_count", kernel.loops);
  out.member("unrolled_loop_count", kernel.unrolled_loops);
  out.member("live_scalars", kernel.live_scalars);
  out.member("complete", kernel.is_complete);
}

std::optional<std::array<std::uint64_t, 3>> numbers_of(const std::optional<model::cuda::Extent>& extent) {
  return extent ? std::optional(std::array{extent->x, extent->y, extent->z}) : std::nullopt;
}

template <typename Out>
void put_launch(Out& out, const Launch& launch) {
  out.member("kernel_name", unless_empty(launch.kernel));
  out.member("filename", launch.place.file);
  out.member("line", launch.place.line);
  out.member("column", launch.place.column);
  out.member("raw_config", launch.raw_config);
  out.member("grid_expr", launch.grid_expr);
  out.member("block_expr", launch.block_expr);
  out.member("shared_memory_expr", unless_empty(launch.shared_memory_expr));
  out.member("stream_expr", unless_empty(launch.stream_expr));
  out.member("grid", numbers_of(launch.grid));
  out.member("block", numbers_of(launch.block));
  out.member("block_size_hint", launch.block ? std::optional(launch.block->volume()) : std::nullopt);
  out.member("dynamic_shared_bytes", launch.dynamic_shared_bytes);
}

template <typename Out>
void put_advice(Out& out, const LaunchAdvice& advice) {
  out.member("kernel_name", advice.kernel);
  out.list("candidates", advice.candidates, [](auto& inner, const model::cuda::LaunchCandidate& candidate) {
    inner.member("block_size", candidate.block_size);
    inner.member("occupancy_pct", number(candidate.occupancy_pct, 1));
  });
  out.member("observed_block_sizes", advice.observed_block_sizes);
  out.member("notes", advice.notes);
}

// Estimated occupancy of each kernel: at the block sizes of its launches, and at those of the launch advice.
template <typename Out>
void put_occupancy(Out& out, const LaunchAdvice& advice) {
  const auto size = [](auto& inner, const model::cuda::LaunchCandidate& one) {
    inner.member("block_size", one.block_size);
    inner.member("occupancy_pct", number(one.occupancy_pct, 1));
  };
  out.member("kernel_name", advice.kernel);
  out.list("launches", advice.observed, size);
  out.list("candidates", advice.candidates, size);
}

// What each kernel has, by kernel (docs/contract.md, section 10).
template <typename Out>
void put_by_kernel(Out& out, const char* list, const char* key, const CudaReport& report, std::vector<std::string> Kernel::*member) {
  std::vector<const Kernel*> with_some;
  for (const Kernel& kernel : report.inspection.kernels) {
    if (!(kernel.*member).empty()) with_some.push_back(&kernel);
  }
  out.list(list, with_some, [key, member](auto& inner, const Kernel* kernel) {
    inner.member("kernel_name", kernel->name);
    inner.member(key, kernel->*member);
  });
}

bool is_about_shared_memory(const CodeFinding& finding) {
  return finding.code == "possible_shared_memory_bank_conflict" || finding.code == "large_static_shared_memory" ||
         finding.code == "shared_memory_without_barrier" || finding.code == "conditional_syncthreads" ||
         finding.code == "warp_level_sync_misuse" || finding.code == "unnecessary_syncthreads" || finding.code == "sync_inside_tight_loop";
}

template <typename Out>
void put_warnings(Out& out, const CudaReport& report) {
  std::vector<const CodeFinding*> warnings;
  for (const CodeFinding& finding : report.findings) {
    if (is_about_shared_memory(finding)) warnings.push_back(&finding);
  }
  out.list("shared_memory_warnings", warnings, [](auto& inner, const CodeFinding* finding) { put_finding(inner, *finding); });
}

template <typename Out>
void put_report(Out& out, const CudaReport& report) {
  const auto kernel = [](auto& inner, const Kernel& one) { put_kernel(inner, one); };
  const auto launch = [](auto& inner, const Launch& one) { put_launch(inner, one); };
  const auto advice = [](auto& inner, const LaunchAdvice& one) { put_advice(inner, one); };
  out.member("schema", "cuda_static_v1");
  out.member("schema_version", "cuda_static_v1");
  out.member("files", report.files);
  out.member("gpu_model", unless_empty(report.gpu));
  out.member("kernel_count", report.inspection.kernels.size());
  out.member("launch_count", report.inspection.launches.size());
  out.list("kernels", report.inspection.kernels, kernel);
  out.list("launches", report.inspection.launches, launch);
  out.list("findings", report.findings, [](auto& inner, const CodeFinding& finding) { put_finding(inner, finding); });
  out.list("launch_advisor", report.inspection.advice, advice);
  out.list("launch_configs", report.inspection.launches, launch);
  out.list("launch_advice", report.inspection.advice, advice);
  put_by_kernel(out, "indexing_patterns", "patterns", report, &Kernel::indexing_patterns);
  put_by_kernel(out, "memory_tags", "tags", report, &Kernel::memory_access_styles);
  put_by_kernel(out, "atomics", "atomics", report, &Kernel::atomics);
  put_warnings(out, report);
  if (report.gpu.empty()) {
    out.member("occupancy", std::optional<std::string>());  // without limits there is nothing to estimate
  } else {
    out.list("occupancy", report.inspection.advice, [](auto& inner, const LaunchAdvice& one) { put_occupancy(inner, one); });
  }
  out.member("suppressed_count", report.suppressed);
  out.member("notes", report.notes);
}

}  // namespace

Json cuda_json(const CudaReport& report) {
  Json json = object_for(18);
  JsonTree out(json);
  put_report(out, report);
  return json;
}

void write_cuda_json(std::string_view mode, const CudaReport& report, const JsonSink& write) {
  JsonStream::write_result(mode, write, [&](JsonStream& out) { put_report(out, report); });
}

}  // namespace frx::render
