#include "derive/trace/program_traits.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "derive/trace/counts.h"
#include "derive/trace/judged_names.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::ProgramTraits;
using model::Timeline;

enum TraitBit : std::uint16_t {
  no_trait = 0,
  region = 1,          // a compiled region of the program, as newer versions mark it
  function = 2,        // its forward pass, in the versions before that
  graph = 4,           // a graph that Inductor generated
  compiler = 8,        // anything else that only torch.compile leaves behind
  backward_pass = 16,  // or an optimizer
  eager = 32,          // an operator that runs outside of what was compiled, unless it is within a region
  call_of_amd = 64,
  call_of_nvidia = 128,
  of_pytorch = 256,
  unjudged = 0x8000,
};

std::uint16_t traits_of_operator(std::string_view name) {
  if (name.starts_with("Torch-Compiled Region")) return region;
  if (name == "CompiledFunction") return function;
  if (name.starts_with("## Call CompiledFxGraph") || name.starts_with("Call CompiledFxGraph")) return graph;
  if (name.starts_with("TorchDynamo ") || name.starts_with("triton_") || name.starts_with("CompiledFxGraph")) return compiler;
  const bool trains = contains_ignoring_case(name, "backward") || name.starts_with("autograd::engine") ||
                      name.find("AccumulateGrad") != name.npos || name.starts_with("Optimizer.") ||
                      contains_ignoring_case(name, "_fused_adam") || contains_ignoring_case(name, "_fused_sgd");
  if (trains) return static_cast<std::uint16_t>(backward_pass | (name.find("CompiledFunction") != name.npos ? compiler : no_trait));
  const std::uint16_t framework = name.starts_with("aten::") || name.starts_with("c10d::") ? of_pytorch : no_trait;
  return static_cast<std::uint16_t>(framework | (name.find("::") != name.npos ? eager : no_trait));
}

std::uint16_t traits_of_kernel(std::string_view name) {
  // Inductor's kernels are named by what they do: point-wise, reductions, persistent reductions, templates, several of them.
  constexpr std::string_view inductor[] = {"triton_poi_", "triton_red_", "triton_per_", "triton_tem_",
                                           "triton_for_", "triton_mm_",  "triton_unk_", "triton_fused_"};
  const bool is_compiled = std::ranges::any_of(inductor, [&](std::string_view prefix) { return name.starts_with(prefix); });
  constexpr std::string_view training[] = {"backward", "_bwd", "wgrad", "dgrad", "adam"};
  const bool trains = std::ranges::any_of(training, [&](std::string_view part) { return contains_ignoring_case(name, part); });
  const bool is_of_framework = is_compiled || name.find("at::native::") != name.npos || name.find("at_cuda_detail") != name.npos;
  return static_cast<std::uint16_t>((is_compiled ? compiler : no_trait) | (trains ? backward_pass : no_trait) |
                                    (is_of_framework ? of_pytorch : no_trait));
}

std::uint16_t traits_of_call(std::string_view name) {
  if (name.starts_with("hip")) return call_of_amd;
  return name.starts_with("cu") ? call_of_nvidia : no_trait;
}

// The traits of an event, judged once for each name and kind.
class TraitsOfEvents {
 public:
  explicit TraitsOfEvents(const Timeline& timeline)
      : timeline_(timeline),
        of_operator_(timeline.names.size(), unjudged),
        of_kernel_(timeline.names.size(), unjudged),
        of_call_(timeline.names.size(), unjudged) {}

  std::uint16_t operator()(std::uint32_t row) {
    switch (timeline_.kind[row]) {
      case EventKind::cpu_op:
      case EventKind::annotation: return of(of_operator_, row, traits_of_operator);
      case EventKind::kernel: return of(of_kernel_, row, traits_of_kernel);
      case EventKind::runtime:
      case EventKind::driver: return of(of_call_, row, traits_of_call);
      default: return no_trait;
    }
  }

 private:
  template <typename Judge>
  std::uint16_t of(std::vector<std::uint16_t>& known, std::uint32_t row, Judge judge) {
    std::uint16_t& traits = known[timeline_.name[row]];
    if (traits == unjudged) traits = judge(timeline_.name_of(row));
    return traits;
  }

  const Timeline& timeline_;
  std::vector<std::uint16_t> of_operator_, of_kernel_, of_call_;  // by name
};

// What the events together have, and where the compiled regions are.
struct Seen {
  std::uint16_t traits = no_trait;
  bool operators = false;
  std::vector<std::uint32_t> regions, functions, graphs;  // rows
};

Seen look_at_events(const Timeline& timeline, TraitsOfEvents& traits_of, std::int64_t rank) {
  Seen seen;
  std::vector<std::uint8_t> is_meant;  // by track
  for (const model::Track& track : timeline.tracks) is_meant.push_back(rank < 0 || track.rank == rank);
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (!is_meant[timeline.track[row]]) continue;
    const std::uint16_t traits = traits_of(row);
    seen.traits |= traits;
    seen.operators = seen.operators || timeline.kind[row] == EventKind::cpu_op;
    if (traits & region) seen.regions.push_back(row);
    if (traits & function) seen.functions.push_back(row);
    if (traits & graph) seen.graphs.push_back(row);
  }
  return seen;
}

// A time between two compiled regions of one step and thread.
struct Between {
  std::int64_t begin = 0, end = 0;
  std::uint32_t track = 0;
  std::size_t step = 0;
  bool has_eager = false;     // an operator begins in it
  bool has_training = false;  // as does the backward pass or the optimizer: the model has ended
};

struct Regions {
  std::vector<std::uint32_t> per_step;
  std::vector<Between> between;
};

// Outermost regions in the steps, and what lies between those that follow each other.
Regions regions_of(const Timeline& timeline, const Steps& steps, std::vector<std::uint32_t> rows) {
  const auto order = [&](std::uint32_t row) { return std::tuple(timeline.start[row], -timeline.duration[row], row); };
  std::ranges::sort(rows, {}, order);
  Regions found{std::vector<std::uint32_t>(steps.steps.size()), {}};
  struct Last {
    std::int64_t end = INT64_MIN;
    std::size_t step = SIZE_MAX;
  };
  std::vector<Last> last(timeline.tracks.size());
  std::size_t step = 0;
  for (const std::uint32_t row : rows) {
    const std::int64_t begin = timeline.start[row];
    while (step < steps.steps.size() && steps.steps[step].span.end <= begin) ++step;
    if (step == steps.steps.size()) break;
    Last& before = last[timeline.track[row]];
    if (begin < steps.steps[step].span.begin || begin < before.end) continue;
    ++found.per_step[step];
    if (before.step == step) found.between.push_back({before.end, begin, timeline.track[row], step});
    before = {timeline.end(row), step};
  }
  return found;
}

// `between`: by track, then by begin.
void look_between(const Timeline& timeline, TraitsOfEvents& traits_of, std::vector<Between>& between) {
  const auto place = [](const Between& one) { return std::pair(one.track, one.begin); };
  std::ranges::sort(between, {}, place);
  std::vector<std::int64_t> training;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    const std::uint16_t traits = traits_of(row);
    if (!(traits & (eager | backward_pass)) || timeline.kind[row] == EventKind::kernel) continue;
    const std::int64_t begin = timeline.start[row];
    if (traits & backward_pass) training.push_back(begin);
    if (!(traits & eager)) continue;
    const auto after = std::ranges::upper_bound(between, std::pair(timeline.track[row], begin), {}, place);
    if (after == between.begin()) continue;
    Between& one = *std::prev(after);
    if (one.track == timeline.track[row] && begin < one.end) one.has_eager = true;
  }
  std::ranges::sort(training);
  for (Between& one : between) {
    const auto next = std::ranges::lower_bound(training, one.begin);
    one.has_training = next != training.end() && *next < one.end;
  }
}

double median_of(std::vector<std::uint32_t> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

void count_regions(const Timeline& timeline, const Steps& steps, TraitsOfEvents& traits_of, const Seen& seen, ProgramTraits& traits) {
  if (steps.source == model::StepSource::recording || steps.steps.empty()) return;
  const std::vector<std::uint32_t>& rows = !seen.regions.empty() ? seen.regions : !seen.functions.empty() ? seen.functions : seen.graphs;
  if (rows.empty()) return;
  Regions regions = regions_of(timeline, steps, rows);
  look_between(timeline, traits_of, regions.between);
  std::vector<std::uint32_t> breaks(steps.steps.size());
  for (const Between& one : regions.between) breaks[one.step] += one.has_eager && !one.has_training;
  traits.compiled_regions = median_of(std::move(regions.per_step));
  traits.graph_breaks = median_of(std::move(breaks));
}

// Of the kernels whose launch is in the file, are most launched by a graph? Unknown when that is less than half of them.
std::optional<bool> replays_graphs(const Timeline& timeline, const Attribution& attribution, std::int64_t rank) {
  std::uint64_t kernels = 0, launched = 0, by_graph = 0;
  JudgedNames is_graph(timeline, [](std::string_view name) { return name.find("GraphLaunch") != name.npos; });
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::kernel || !is_of_rank(timeline, one.event, rank)) continue;
    ++kernels;
    if (one.launch == none) continue;
    ++launched;
    by_graph += is_graph.holds_for(one.launch);
  }
  if (kernels == 0 || launched * 2 < kernels) return std::nullopt;
  return by_graph * 2 >= launched;
}

std::optional<bool> is_of_amd(const Timeline& timeline, std::uint16_t traits) {
  if (traits & (call_of_amd | call_of_nvidia)) return (traits & call_of_amd) != 0;
  if (timeline.facts.is_rocm) return true;
  for (const model::TracedGpu& gpu : timeline.facts.gpus) {
    if (contains_ignoring_case(gpu.name, "amd") || contains_ignoring_case(gpu.name, "radeon") ||
        contains_ignoring_case(gpu.name, "instinct"))
      return true;
    if (contains_ignoring_case(gpu.name, "nvidia") || contains_ignoring_case(gpu.name, "tesla") ||
        contains_ignoring_case(gpu.name, "geforce"))
      return false;
  }
  return std::nullopt;
}

// The profiler of PyTorch records PyTorch; Nsight Systems records anything.
std::optional<bool> is_pytorch(const Timeline& timeline, const Attribution& attribution, std::uint16_t traits) {
  if (timeline.facts.recorder == model::Recorder::pytorch_profiler || (traits & (of_pytorch | compiler))) return true;
  return attribution.work.empty() ? std::nullopt : std::optional(false);
}

// "Memcpy HtoD (Pageable -> Device)" names the memory that is copied from.
std::optional<double> pinned_copy_share(const Timeline& timeline, const Attribution& attribution, std::int64_t rank) {
  double pinned = 0, pageable = 0;
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::memcpy || !is_of_rank(timeline, one.event, rank)) continue;
    const std::string_view name = timeline.name_of(one.event);
    if (!contains_ignoring_case(name, "htod")) continue;
    const auto time = static_cast<double>(timeline.duration[one.event]);
    if (contains_ignoring_case(name, "(pinned ->")) pinned += time;
    if (contains_ignoring_case(name, "(pageable ->")) pageable += time;
  }
  return pinned + pageable > 0 ? std::optional(pinned / (pinned + pageable)) : std::nullopt;
}

}  // namespace

ProgramTraits program_traits(const Timeline& timeline, const Attribution& attribution, const Steps& steps, std::int64_t rank) {
  TraitsOfEvents traits_of(timeline);
  const Seen seen = look_at_events(timeline, traits_of, rank);
  ProgramTraits traits;
  traits.recorded_by_nsys = timeline.facts.recorder == model::Recorder::nsight_systems;
  traits.is_pytorch = is_pytorch(timeline, attribution, seen.traits);
  traits.replays_graphs = replays_graphs(timeline, attribution, rank);
  traits.is_amd = is_of_amd(timeline, seen.traits);
  traits.pinned_copy_share = pinned_copy_share(timeline, attribution, rank);
  if (!traits.is_pytorch.value_or(true)) return traits;
  if (seen.traits & (region | function | graph | compiler))
    traits.is_compiled = true;
  else if (seen.operators)
    traits.is_compiled = false;
  if (seen.traits & backward_pass)
    traits.is_inference = false;
  else if (seen.operators)
    traits.is_inference = true;
  if (traits.is_compiled.value_or(false)) count_regions(timeline, steps, traits_of, seen, traits);
  return traits;
}

}  // namespace frx::derive::trace
