#include "cli/synthetic_trace.h"

#include <fmt/format.h>

#include <iterator>

namespace frx::cli {
namespace {

struct Span {
  const char* name;
  int begin;     // us after the step began
  int duration;  // us
};

constexpr int steps = 5, step_begins_every = 505'000;
constexpr Span spans[] = {{"train_step", 0, 500'000},
                          {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 500, 400'000},
                          {"host_to_device_copy", 401'000, 500},
                          {"forward_backward_optimizer", 401'500, 80'000},
                          {"Optimizer.step#SGD.step", 479'500, 2'000}};

}  // namespace

std::string synthetic_trace() {
  std::string text = "{\"traceEvents\": [\n";
  for (int step = 0; step < steps; ++step) {
    for (const Span& span : spans) {
      const bool last = step == steps - 1 && &span == std::prev(std::end(spans));
      text += fmt::format(R"({{"ph": "X", "cat": "user_annotation", "name": "{}", "pid": 1, "tid": 1, "ts": {}, "dur": {}}}{})", span.name,
                          step * step_begins_every + span.begin, span.duration, last ? "\n" : ",\n");
    }
  }
  return text + "]}\n";
}

}  // namespace frx::cli
