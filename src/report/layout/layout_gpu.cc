#include "report/layout/layout_gpu.h"

#include <set>

#include "knowledge/gpu_match.h"
#include "report/trace_gpu_use.h"

namespace frx::report {
namespace {

using derive::layout::LayoutTrace;

// The GPUs with work, as the trace names them.
std::vector<model::TracedGpu> used_gpus(const LayoutTrace& trace) {
  std::set<std::int32_t> devices;
  for (const derive::trace::GpuWork& work : trace.attribution().work) {
    devices.insert(trace.timeline().tracks[trace.timeline().track[work.event]].device);
  }
  std::vector<model::TracedGpu> used;
  for (const model::TracedGpu& gpu : trace.timeline().facts.gpus) {
    if (devices.contains(gpu.id)) used.push_back(gpu);
  }
  return used;
}

}  // namespace

Result<KnownGpu> gpu_of(const LayoutTrace& trace, const std::string& gpu_model, bool is_fallback, const knowledge::Knowledge& known) {
  KnownGpu gpu;
  const std::vector<model::TracedGpu> used = used_gpus(trace);
  const bool is_told = !used.empty() && (!used.front().name.empty() || used.front().cc);
  if (!gpu_model.empty() && !(is_fallback && is_told)) {
    TRY_ASSIGN(const knowledge::GpuMatch match, knowledge::match_option(known.gpus, gpu_model));
    gpu.product = knowledge::certain_product(match);
    if (match.limits) gpu.cc = match.limits->cc;
    gpu.name = gpu.product ? std::string(gpu.product->name) : gpu_model;
    return gpu;
  }
  if (used.empty()) return gpu;
  gpu.product = gpu_of_all(known, used);
  gpu.cc = used.front().cc;
  gpu.name = used.front().name;
  return gpu;
}

}  // namespace frx::report
