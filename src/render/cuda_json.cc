#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "render/code_findings.h"
#include "render/cuda_report.h"
#include "render/json.h"

namespace frx::render {
namespace {

using model::cuda::Kernel;
using model::cuda::Launch;
using model::cuda::LaunchAdvice;
using model::cuda::SharedArray;
using report::CudaReport;

Json shared_json(const SharedArray& array) {
  Json dims = Json::array();
  for (const auto& dim : array.dims) dims.push_back(or_null(dim));
  Json json = object_for(7);
  json["name"] = array.name;
  json["type"] = array.type;
  json["dims"] = std::move(dims);
  json["bytes"] = or_null(array.bytes);
  json["dynamic"] = array.is_dynamic;
  json["bank_conflict_risk"] = array.bank_conflict_risk;
  json["line"] = array.place.line;
  return json;
}

Json kernel_json(const Kernel& kernel) {
  Json params = Json::array();
  for (const auto& parameter : kernel.parameters) params.push_back({{"type", parameter.type}, {"name", parameter.name}});
  Json shared = Json::array();
  for (const SharedArray& array : kernel.shared_memory) shared.push_back(shared_json(array));
  Json barriers = Json::array();
  for (const auto& barrier : kernel.barriers) {
    barriers.push_back({{"line", barrier.place.line}, {"in_loop", barrier.in_loop}, {"divergent", barrier.is_divergent}});
  }
  Json json = object_for(19);
  json["name"] = kernel.name;
  json["filename"] = kernel.place.file;
  json["line"] = kernel.place.line;
  json["column"] = kernel.place.column;
  json["signature"] = kernel.signature;
  json["params"] = std::move(params);
  json["template_parameters"] = kernel.template_parameters;
  json["max_threads_per_block"] = or_null(kernel.max_threads);
  json["min_blocks_per_sm"] = or_null(kernel.min_blocks);
  json["indexing_patterns"] = kernel.indexing_patterns;
  json["memory_access_styles"] = kernel.memory_access_styles;
  json["atomics"] = kernel.atomics;
  json["reductions"] = kernel.reductions;
  json["shared_memory"] = std::move(shared);
  json["barriers"] = std::move(barriers);
  json["loop_count"] = kernel.loops;
  json["unrolled_loop_count"] = kernel.unrolled_loops;
  json["live_scalars"] = kernel.live_scalars;
  json["complete"] = kernel.is_complete;
  return json;
}

Json extent_json(const std::optional<model::cuda::Extent>& extent) {
  return extent ? Json{extent->x, extent->y, extent->z} : Json(nullptr);
}

Json launch_json(const Launch& launch) {
  Json json = object_for(13);
  json["kernel_name"] = text_or_null(launch.kernel);
  json["filename"] = launch.place.file;
  json["line"] = launch.place.line;
  json["column"] = launch.place.column;
  json["raw_config"] = launch.raw_config;
  json["grid_expr"] = launch.grid_expr;
  json["block_expr"] = launch.block_expr;
  json["shared_memory_expr"] = text_or_null(launch.shared_memory_expr);
  json["stream_expr"] = text_or_null(launch.stream_expr);
  json["grid"] = extent_json(launch.grid);
  json["block"] = extent_json(launch.block);
  json["block_size_hint"] = launch.block ? Json(launch.block->volume()) : Json(nullptr);
  json["dynamic_shared_bytes"] = or_null(launch.dynamic_shared_bytes);
  return json;
}

Json advice_json(const LaunchAdvice& advice) {
  Json candidates = Json::array();
  for (const auto& candidate : advice.candidates) {
    candidates.push_back({{"block_size", candidate.block_size}, {"occupancy_pct", number(candidate.occupancy_pct, 1)}});
  }
  Json json = object_for(4);
  json["kernel_name"] = advice.kernel;
  json["candidates"] = std::move(candidates);
  json["observed_block_sizes"] = advice.observed_block_sizes;
  json["notes"] = advice.notes;
  return json;
}

// The documented lists of the HTTP answer: what each kernel has, by kernel.
template <typename Member>
Json by_kernel(const CudaReport& report, std::string_view key, Member member) {
  Json list = Json::array();
  for (const Kernel& kernel : report.inspection.kernels) {
    if (!(kernel.*member).empty()) list.push_back({{"kernel_name", kernel.name}, {std::string(key), kernel.*member}});
  }
  return list;
}

bool is_about_shared_memory(const model::CodeFinding& finding) {
  return finding.code == "possible_shared_memory_bank_conflict" || finding.code == "large_static_shared_memory" ||
         finding.code == "shared_memory_without_barrier" || finding.code == "conditional_syncthreads" ||
         finding.code == "warp_level_sync_misuse" || finding.code == "unnecessary_syncthreads" || finding.code == "sync_inside_tight_loop";
}

}  // namespace

JsonInPieces cuda_json_in_pieces(const CudaReport& report) {
  JsonInPieces pieces;
  Json& json = pieces.object;
  json = {{"schema", "cuda_static_v1"}, {"schema_version", "cuda_static_v1"}, {"files", report.files}};
  json["gpu_model"] = text_or_null(report.gpu);
  json["kernel_count"] = report.inspection.kernels.size();
  json["launch_count"] = report.inspection.launches.size();
  const auto list = [&](const char* key, std::size_t size, std::function<Json(std::size_t)> element) {
    json[key] = Json::array();
    pieces.lists.push_back({key, size, std::move(element)});
  };
  const model::cuda::Inspection& all = report.inspection;
  const auto launch = [&report](std::size_t i) { return launch_json(report.inspection.launches[i]); };
  const auto advice = [&report](std::size_t i) { return advice_json(report.inspection.advice[i]); };
  list("kernels", all.kernels.size(), [&report](std::size_t i) { return kernel_json(report.inspection.kernels[i]); });
  list("launches", all.launches.size(), launch);
  list("findings", report.findings.size(), [&report](std::size_t i) { return finding_json(report.findings[i]); });
  list("launch_advisor", all.advice.size(), advice);
  list("launch_configs", all.launches.size(), launch);
  list("launch_advice", all.advice.size(), advice);
  json["indexing_patterns"] = by_kernel(report, "patterns", &Kernel::indexing_patterns);
  json["memory_tags"] = by_kernel(report, "tags", &Kernel::memory_access_styles);
  json["atomics"] = by_kernel(report, "atomics", &Kernel::atomics);
  const auto warnings = std::make_shared<std::vector<const model::CodeFinding*>>();
  for (const model::CodeFinding& finding : report.findings) {
    if (is_about_shared_memory(finding)) warnings->push_back(&finding);
  }
  list("shared_memory_warnings", warnings->size(), [warnings](std::size_t i) { return finding_json(*(*warnings)[i]); });
  json["suppressed_count"] = report.suppressed;
  json["notes"] = report.notes;
  return pieces;
}

Json cuda_json(const CudaReport& report) { return in_one_piece(cuda_json_in_pieces(report)); }

}  // namespace frx::render
