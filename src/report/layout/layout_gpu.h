// The GPU of a recording: as the trace names it, or as the user does.
#pragma once

#include <optional>
#include <string>

#include "derive/layout/layout_trace.h"
#include "knowledge/knowledge.h"

namespace frx::report {

struct KnownGpu {
  const knowledge::GpuProduct* product = nullptr;  // null: unknown
  std::optional<model::ComputeCapability> cc;
  std::string name;
};

// `gpu_model`: --gpu-model, or ""; `is_fallback`: the trace goes before it. Errors: no GPU of that name is known.
Result<KnownGpu> gpu_of(const derive::layout::LayoutTrace& trace, const std::string& gpu_model, bool is_fallback,
                        const knowledge::Knowledge& known);

}  // namespace frx::report
