#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compose/payloads.h"
#include "report/finding_tiers.h"

namespace frx::compose {
namespace {

using model::Finding;
using SourceKernel = model::cuda::Kernel;
using model::cuda::Launch;
using model::cuda::LaunchAdvice;
using model::cuda::SharedArray;
using report::CudaReport;

void put_shared(JsonObject& out, const SharedArray& array) {
  out.add("name", array.name, "type", array.type, "dims", array.dims, "bytes", array.bytes, "dynamic", array.is_dynamic,
          "bank_conflict_risk", array.bank_conflict_risk, "line", array.place.line);
}

void put_kernel(JsonObject& out, const SourceKernel& kernel) {
  out.add("name", kernel.name, "filename", kernel.place.file, "line", kernel.place.line, "column", kernel.place.column, "signature",
          kernel.signature);
  out.list("params", kernel.parameters,
           [](JsonObject& inner, const model::cuda::Parameter& parameter) { inner.add("type", parameter.type, "name", parameter.name); });
  out.add("template_parameters", kernel.template_parameters, "max_threads_per_block", kernel.max_threads, "min_blocks_per_sm",
          kernel.min_blocks, "indexing_patterns", kernel.indexing_patterns, "memory_access_styles", kernel.memory_access_styles, "atomics",
          kernel.atomics, "reductions", kernel.reductions);
  out.list("shared_memory", kernel.shared_memory, put_shared);
  out.list("barriers", kernel.barriers, [](JsonObject& inner, const model::cuda::Barrier& barrier) {
    inner.add("line", barrier.place.line, "in_loop", barrier.in_loop, "divergent", barrier.is_divergent);
  });
  out.add("loop_count", kernel.loops, "unrolled_loop_count", kernel.unrolled_loops, "live_scalars", kernel.live_scalars, "complete",
          kernel.is_complete);
}

std::optional<std::array<std::uint64_t, 3>> numbers_of(const std::optional<model::cuda::Extent>& extent) {
  return extent ? std::optional(std::array{extent->x, extent->y, extent->z}) : std::nullopt;
}

void put_launch(JsonObject& out, const Launch& launch) {
  out.add("kernel_name", unless_empty(launch.kernel), "filename", launch.place.file, "line", launch.place.line, "column",
          launch.place.column, "raw_config", launch.raw_config, "grid_expr", launch.grid_expr, "block_expr", launch.block_expr,
          "shared_memory_expr", unless_empty(launch.shared_memory_expr), "stream_expr", unless_empty(launch.stream_expr), "grid",
          numbers_of(launch.grid), "block", numbers_of(launch.block), "block_size_hint",
          launch.block ? std::optional(launch.block->volume()) : std::nullopt, "dynamic_shared_bytes", launch.dynamic_shared_bytes);
}

void put_advice(JsonObject& out, const LaunchAdvice& advice) {
  out.add("kernel_name", advice.kernel);
  out.list("candidates", advice.candidates, [](JsonObject& inner, const model::cuda::LaunchCandidate& candidate) {
    inner.add("block_size", candidate.block_size, "occupancy_pct", rounded(candidate.occupancy_pct, 1));
  });
  out.add("observed_block_sizes", advice.observed_block_sizes, "notes", advice.notes);
}

// Estimated occupancy of each kernel: at the block sizes of its launches, and at those of the launch advice.
void put_launch_occupancy(JsonObject& out, const LaunchAdvice& advice) {
  const auto put_size = [](JsonObject& inner, const model::cuda::LaunchCandidate& one) {
    inner.add("block_size", one.block_size, "occupancy_pct", rounded(one.occupancy_pct, 1));
  };
  out.add("kernel_name", advice.kernel);
  out.list("launches", advice.observed, put_size);
  out.list("candidates", advice.candidates, put_size);
}

// What each kernel has, by kernel (docs/contract.md, section 10).
void put_by_kernel(JsonObject& out, const char* list, const char* key, const CudaReport& report,
                   std::vector<std::string> SourceKernel::*member) {
  std::vector<const SourceKernel*> with_some;
  for (const SourceKernel& kernel : report.inspection.kernels) {
    if (!(kernel.*member).empty()) with_some.push_back(&kernel);
  }
  out.list(list, with_some,
           [key, member](JsonObject& inner, const SourceKernel* kernel) { inner.add("kernel_name", kernel->name, key, kernel->*member); });
}

bool is_about_shared_memory(const Finding& finding) {
  return finding.id() == "possible_shared_memory_bank_conflict" || finding.id() == "large_static_shared_memory" ||
         finding.id() == "shared_memory_without_barrier" || finding.id() == "conditional_syncthreads" ||
         finding.id() == "warp_level_sync_misuse" || finding.id() == "unnecessary_syncthreads" || finding.id() == "sync_inside_tight_loop";
}

void put_warnings(JsonObject& out, const CudaReport& report) {
  std::vector<const Finding*> warnings;
  for (const Finding& finding : report.findings) {
    if (is_about_shared_memory(finding)) warnings.push_back(&finding);
  }
  out.list("shared_memory_warnings", warnings, [](JsonObject& inner, const Finding* finding) { put_finding(inner, *finding); });
}

}  // namespace

void put_cuda(JsonObject& out, const CudaReport& report) {
  const std::vector<model::cuda::UnreadKernel>& unread = report.inspection.not_read;
  out.add("schema", "cuda_static_v1", "schema_version", "cuda_static_v1", "files", report.files, "gpu_model", unless_empty(report.gpu),
          "kernel_count", report.inspection.kernels.size(), "launch_count", report.inspection.launches.size());
  out.object("kernels_not_read", unread.empty() ? nullptr : &unread, [](JsonObject& inner, const auto& kernels) {
    inner.add("count", kernels.size());
    inner.list("kernels", kernels, [](JsonObject& one, const model::cuda::UnreadKernel& kernel) {
      one.add("name", unless_empty(kernel.name), "filename", kernel.place.file, "line", kernel.place.line, "column", kernel.place.column,
              "why", kernel.why);
    });
  });
  out.list("kernels", report.inspection.kernels, put_kernel);
  out.list("launches", report.inspection.launches, put_launch);
  out.list("findings", report.findings, put_finding);
  out.list("launch_advisor", report.inspection.advice, put_advice);
  out.list("launch_configs", report.inspection.launches, put_launch);
  out.list("launch_advice", report.inspection.advice, put_advice);
  put_by_kernel(out, "indexing_patterns", "patterns", report, &SourceKernel::indexing_patterns);
  put_by_kernel(out, "memory_tags", "tags", report, &SourceKernel::memory_access_styles);
  put_by_kernel(out, "atomics", "atomics", report, &SourceKernel::atomics);
  put_warnings(out, report);
  if (report.gpu.empty()) {
    out.add("occupancy", nullptr);  // without limits there is nothing to estimate
  } else {
    out.list("occupancy", report.inspection.advice, put_launch_occupancy);
  }
  out.add("suppressed_count", report.suppressed, "withheld_count", report::pedantic_count(report), "notes", report.notes);
}

}  // namespace frx::compose
