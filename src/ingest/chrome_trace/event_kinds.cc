#include "ingest/chrome_trace/event_kinds.h"

#include "base/text.h"

namespace frx::ingest::trace {
namespace {

using model::EventKind;

struct Category {
  std::string_view name;
  EventKind kind;
};
constexpr Category categories[] = {
    {"cpu_op", EventKind::cpu_op},
    {"operator", EventKind::cpu_op},
    {"user_annotation", EventKind::annotation},
    {"cuda_runtime", EventKind::runtime},
    {"runtime", EventKind::runtime},
    {"hip_runtime", EventKind::runtime},
    {"cuda_driver", EventKind::driver},
    {"kernel", EventKind::kernel},
    {"gpu_memcpy", EventKind::memcpy},
    {"memcpy", EventKind::memcpy},
    {"gpu_memset", EventKind::memset},
    {"memset", EventKind::memset},
    {"gpu_user_annotation", EventKind::gpu_annotation},
    {"cuda_sync", EventKind::sync},
    {"python_function", EventKind::python},
    {"overhead", EventKind::overhead},
    {"trace", EventKind::window},
};

}  // namespace

EventKind kind_of_category(std::string_view category) {
  for (const Category& known : categories) {
    if (equals_ignoring_case(known.name, category)) return known.kind;
  }
  for (const std::string_view other : {"mtia_", "xpu_", "privateuse1_"}) {
    if (category.starts_with(other)) return EventKind::foreign;
  }
  return EventKind::other;
}

bool is_range_of_program(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name.starts_with("enumerate(DataLoader)") || name.starts_with("Optimizer.step#") ||
         name.starts_with("Optimizer.zero_grad#");
}

}  // namespace frx::ingest::trace
