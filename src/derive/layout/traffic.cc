// What the operators of a trace move, divided over the work that they launched.

#include "derive/layout/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "derive/layout/traffic_sum.h"
#include "derive/trace/products.h"

namespace frx::derive::layout {
namespace {

using model::EventKind;

constexpr double no_estimate = std::numeric_limits<double>::quiet_NaN();

bool has_untyped_list(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  if (!inputs || trace.own_work(node).empty()) return false;
  return std::ranges::any_of(inputs->inputs, [](const RecordedInput& input) {
    return input.kind == RecordedInput::Kind::tensors && input.tensors.front().type.empty();
  });
}

std::uint32_t first_event(const LayoutTrace& trace, std::uint32_t node) {
  return trace.attribution().work[trace.own_work(node).front()].event;
}

// Calls of equal traffic.
struct TrafficKey {
  std::uint32_t name, signature, list_kernel;  // the kernel by its name
  friend bool operator==(const TrafficKey&, const TrafficKey&) = default;
};
struct TrafficKeyHash {
  std::size_t operator()(const TrafficKey& key) const {
    const std::uint64_t both = std::uint64_t{key.name} << 32U | key.signature;
    return (both ^ (std::uint64_t{key.list_kernel} * 0x9E3779B97F4A7C15U)) * 0xBF58476D1CE4E5B9U >> 7U;
  }
};

class WorkEstimator {
 public:
  WorkEstimator(const LayoutTrace& trace, std::span<const std::uint32_t> elsewhere) : trace_(trace) {
    const std::size_t count = trace.attribution().work.size();
    is_elsewhere_.assign(count, false);
    for (const std::uint32_t work : elsewhere) is_elsewhere_[work] = true;
    traffic_.bytes.assign(count, no_estimate);
    traffic_.flops.assign(count, no_estimate);
    traffic_.is_lower_bound.assign(count, false);
  }

  WorkTraffic estimate() {
    add_copies();
    for (std::uint32_t node = 0; node < trace_.nodes().size(); ++node) {
      if (!trace_.own_work(node).empty()) add_operator(node);
    }
    return std::move(traffic_);
  }

 private:
  EventKind kind(std::uint32_t work) const { return trace_.timeline().kind[trace_.attribution().work[work].event]; }
  bool takes_share(std::uint32_t work) const { return kind(work) == EventKind::kernel && !is_elsewhere_[work]; }

  // Copies within the device read and write; others, and fills, touch its memory once.
  void add_copies() {
    const model::Timeline& timeline = trace_.timeline();
    for (std::uint32_t work = 0; work < traffic_.bytes.size(); ++work) {
      if (is_elsewhere_[work] || (kind(work) != EventKind::memcpy && kind(work) != EventKind::memset)) continue;
      const std::uint32_t row = trace_.attribution().work[work].event;
      const auto at = std::ranges::lower_bound(timeline.copy_events, row);
      if (at == timeline.copy_events.end() || *at != row) continue;
      const auto bytes = static_cast<double>(timeline.copy_bytes[static_cast<std::size_t>(at - timeline.copy_events.begin())]);
      const std::string_view name = trace_.kernel_name(work);
      const bool is_within = name.find("DtoD") != name.npos || name.find("Device -> Device") != name.npos;
      traffic_.bytes[work] = is_within ? 2 * bytes : bytes;
      traffic_.flops[work] = 0;
    }
  }

  void add_operator(std::uint32_t node) {
    const Traffic* const traffic = traffic_of_kind(node);
    if (!traffic || !*traffic) return;
    double time = 0, pieces = 0;
    for (const std::uint32_t work : trace_.own_work(node)) {
      if (!takes_share(work)) continue;
      time += static_cast<double>(trace_.duration(work));
      pieces += 1;
    }
    for (const std::uint32_t work : trace_.own_work(node)) {
      if (!takes_share(work)) continue;
      const double share = time > 0 ? static_cast<double>(trace_.duration(work)) / time : 1 / pieces;
      traffic_.bytes[work] = share * (*traffic)->bytes_low;
      traffic_.flops[work] = (*traffic)->flops ? share * *(*traffic)->flops : no_estimate;
      traffic_.is_lower_bound[work] = (*traffic)->is_lower_bound;
    }
  }

  // Null where nothing was recorded of the inputs.
  const Traffic* traffic_of_kind(std::uint32_t node) {
    const std::uint32_t signature = trace_.signature(node);
    if (signature == none) return nullptr;
    // What a list holds may only be told by the kernel.
    const auto list_kernel = has_untyped_list(trace_, node) ? trace_.timeline().name[first_event(trace_, node)] : none;
    const auto [at, is_new] = known_.try_emplace({trace_.timeline().name[trace_.nodes()[node].row], signature, list_kernel});
    if (is_new) at->second = traffic_of(trace_, node);
    return &at->second;
  }

  const LayoutTrace& trace_;
  std::vector<bool> is_elsewhere_;
  std::unordered_map<TrafficKey, Traffic, TrafficKeyHash> known_;
  WorkTraffic traffic_;
};

}  // namespace

std::string_view list_type_of_kernel(std::string_view kernel) {
  constexpr std::pair<std::string_view, std::string_view> opaque[] = {
      {"OpaqueType<1u>", "int8"}, {"OpaqueType<2u>", "float16"}, {"OpaqueType<4u>", "float32"}, {"OpaqueType<8u>", "float64"}};
  for (const auto& [mark, type] : opaque) {
    if (kernel.find(mark) != kernel.npos) return type;
  }
  for (const std::string_view mark : {"Functor<", "CatArrayBatchedCopy<"}) {
    const std::size_t at = kernel.find(mark);
    if (at == kernel.npos) continue;
    const std::string_view rest = kernel.substr(at + mark.size());
    return trace::torch_type(rest.substr(0, rest.find(',')));
  }
  return {};
}

std::optional<OperatorTraffic> traffic_of(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  if (!inputs || trace.nodes()[node].role == OperatorRole::autograd) return std::nullopt;
  const model::Timeline& timeline = trace.timeline();
  const auto at = std::ranges::lower_bound(timeline.arguments, trace.nodes()[node].row, {}, &model::OperatorArguments::event);
  if (at == timeline.arguments.end() || at->event != trace.nodes()[node].row) return std::nullopt;
  const auto text = [&](std::uint32_t id) { return id == model::Timeline::no_id ? std::string_view() : timeline.names[id]; };
  const std::string_view list_type =
      has_untyped_list(trace, node) ? list_type_of_kernel(trace.timeline().name_of(first_event(trace, node))) : std::string_view();
  return traffic_of_call({trace.name(node), inputs, text(at->shapes), text(at->concrete), list_type});
}

WorkTraffic traffic_of_work(const LayoutTrace& trace, std::span<const std::uint32_t> counted_elsewhere) {
  return WorkEstimator(trace, counted_elsewhere).estimate();
}

void set_bytes(WorkTraffic& traffic, std::uint32_t work, double bytes) {
  traffic.bytes[work] = bytes;
  traffic.flops[work] = 0;
  traffic.is_lower_bound[work] = false;
}

void replace_by_measured(WorkTraffic& traffic, const MeasuredTraffic& measured) {
  for (std::size_t work = 0; work < traffic.bytes.size(); ++work) {
    if (work < measured.bytes.size() && !std::isnan(measured.bytes[work])) {
      traffic.bytes[work] = measured.bytes[work];
      traffic.is_lower_bound[work] = false;
    }
    if (work < measured.flops.size() && !std::isnan(measured.flops[work])) traffic.flops[work] = measured.flops[work];
  }
}

TrafficTotals totals_of(const LayoutTrace& trace, const WorkTraffic& traffic) {
  TrafficTotals totals;
  for (std::uint32_t work = 0; work < traffic.bytes.size(); ++work) {
    if (trace.step_of_work(work) == none) continue;
    const auto time = static_cast<double>(trace.duration(work));
    totals.gpu_ns += time;
    if (std::isnan(traffic.bytes[work])) continue;
    totals.estimated_ns += time;
    totals.bytes_per_step += traffic.bytes[work];
  }
  return {trace.per_step(totals.bytes_per_step), trace.per_step(totals.estimated_ns), trace.per_step(totals.gpu_ns)};
}

}  // namespace frx::derive::layout
