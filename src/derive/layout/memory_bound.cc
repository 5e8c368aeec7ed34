#include "derive/layout/memory_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

namespace frx::derive::layout {
namespace {

// Calls of one operator with equal inputs that ran the same kernel.
struct KernelSite {
  std::uint32_t node = none;  // the first
  std::vector<std::uint32_t> work;
  double time_ns = 0, bytes = 0, flops = 0;
  bool is_known = true, is_lower_bound = false;
};

struct SiteKey {
  std::uint32_t name, signature, kernel;
  friend bool operator==(const SiteKey&, const SiteKey&) = default;
};
struct SiteKeyHash {
  std::size_t operator()(const SiteKey& key) const {
    const std::uint64_t both = std::uint64_t{key.name} << 32U | key.signature;
    return (both * 0x9E3779B97F4A7C15U ^ key.kernel) * 0xBF58476D1CE4E5B9U >> 7U;
  }
};

std::vector<KernelSite> kernel_sites(const LayoutTrace& trace, const WorkTraffic& traffic) {
  std::vector<KernelSite> sites;
  std::unordered_map<SiteKey, std::size_t, SiteKeyHash> known;
  for (std::uint32_t work = 0; work < traffic.bytes.size(); ++work) {
    const std::uint32_t event = trace.attribution().work[work].event, node = trace.node_of_work(work);
    if (trace.step_of_work(work) == none || trace.timeline().kind[event] != model::EventKind::kernel) continue;
    if (node != none && trace.nodes()[node].role == OperatorRole::collective) continue;
    const SiteKey key{node == none ? none : trace.timeline().name[trace.nodes()[node].row], node == none ? none : trace.signature(node),
                      trace.timeline().name[event]};
    const auto [at, is_new] = known.try_emplace(key, sites.size());
    if (is_new) sites.push_back({node, {}});
    KernelSite& site = sites[at->second];
    site.node = std::min(site.node, node);
    site.work.push_back(work);
    site.time_ns += static_cast<double>(trace.duration(work));
    site.is_known = site.is_known && node != none && !std::isnan(traffic.bytes[work]);
    site.is_lower_bound = site.is_lower_bound || traffic.is_lower_bound[work];
    site.bytes += traffic.bytes[work];
    site.flops += traffic.flops[work];
  }
  return sites;
}

// The order of memory of the input that decides how kernels walk.
std::optional<std::vector<std::uint32_t>> first_order(const RecordedInputs& inputs) {
  const RecordedTensor* const first = tensor_at(inputs, 0);
  if (!first || !first->strides) return std::nullopt;
  return physical_order(first->shape, *first->strides);
}

// Are its rows, the runs without a gap, shorter than a line of the cache, or its neighbours apart?
bool has_short_rows(const RecordedTensor& tensor) {
  constexpr double line_bytes = 128;
  const std::vector<std::uint32_t> order = physical_order(tensor.shape, *tensor.strides);
  double run = 1;
  for (auto at = order.rbegin(); at != order.rend() && static_cast<double>((*tensor.strides)[*at]) == run; ++at)
    run *= static_cast<double>(tensor.shape[*at]);
  return run * element_bytes(tensor.type) < line_bytes;
}

// Rows that do not begin at multiples of 16 bytes are loaded element by element by kernels that take rows, or parts of them, at once.
bool has_unaligned_rows(const RecordedTensor& tensor) {
  constexpr double vector_bytes = 16;
  if (tensor.shape.size() < 2) return false;
  return std::fmod(static_cast<double>(tensor.shape.back()) * element_bytes(tensor.type), vector_bytes) != 0 && tensor.shape.back() > 1;
}

bool loads_rows(OperatorFamily family) {
  return family == OperatorFamily::gemm || family == OperatorFamily::softmax || family == OperatorFamily::normalisation;
}

std::string_view cause_of(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  if (!inputs) return {};
  const OperatorFamily family = family_of(trace.name(node));
  const bool walks_together = family == OperatorFamily::elementwise || family == OperatorFamily::copying;
  const auto order = first_order(*inputs);
  const RecordedTensor* const first = tensor_at(*inputs, 0);
  bool is_strided = false, is_gapped = false, is_unaligned = false;
  for (const RecordedInput& input : inputs->inputs) {
    for (const RecordedTensor& tensor : input.tensors) {
      is_unaligned = is_unaligned || (loads_rows(family) && has_unaligned_rows(tensor));
      if (!tensor.strides) continue;
      const bool is_like_first = first && tensor.shape == first->shape;
      if (walks_together && order && is_like_first && physical_order(tensor.shape, *tensor.strides) != *order) is_strided = true;
      if (layout_of(tensor.shape, *tensor.strides) == LayoutClass::gapped && has_short_rows(tensor)) is_gapped = true;
    }
  }
  if (is_strided) return family == OperatorFamily::copying ? "relayout" : "strided";
  if (is_gapped) return "gapped";
  return is_unaligned ? "unaligned" : std::string_view();
}

bool is_of_tensor_cores(const LayoutTrace& trace, std::uint32_t node) {
  const OperatorRole role = trace.nodes()[node].role;
  if (role != OperatorRole::gemm && role != OperatorRole::convolution && role != OperatorRole::attention) return false;
  const RecordedInputs* const inputs = trace.inputs(node);
  if (!inputs) return false;
  return std::ranges::any_of(inputs->inputs, [](const RecordedInput& input) {
    return input.kind == RecordedInput::Kind::tensor && element_bytes(input.tensors.front().type) == 2;
  });
}

class BandwidthJudge {
 public:
  BandwidthJudge(const LayoutTrace& trace, const GpuPeaks& peaks, const MemoryBoundLimits& limits)
      : trace_(trace), peaks_(peaks), limits_(limits) {}

  BoundClass class_of(const KernelSite& site) const {
    const double each = site.time_ns / static_cast<double>(site.work.size());
    if (each < limits_.latency_ns || leaves_sms_idle(site)) return BoundClass::latency;
    if (!site.is_known || site.bytes <= 0 || !peaks_.bandwidth_bytes_per_s) return BoundClass::unassessed;
    if (peaks_.l2_bytes && !site.is_lower_bound && site.bytes / static_cast<double>(site.work.size()) < *peaks_.l2_bytes)
      return BoundClass::cached;
    // From here on a lower bound of the bytes is enough for `saturated` alone.
    if (share(site, 0) >= limits_.saturated_share) return BoundClass::saturated;
    const std::optional<double> least = ridge(site);
    if (site.is_lower_bound || !least || std::isnan(site.flops) || !peaks_.l2_bytes) return BoundClass::unassessed;
    if (site.flops >= *least * site.bytes) return BoundClass::compute;
    const bool is_inefficient = share(site, clock_error()) < limits_.inefficient_share && each >= limits_.shortest_ns;
    return is_inefficient ? BoundClass::inefficient : BoundClass::moderate;
  }

  Candidate candidate(const KernelSite& site) const {
    Candidate found;
    found.detector = "memory_bound";
    found.node = site.node;
    for (const std::uint32_t work : site.work) found.nodes.push_back(trace_.node_of_work(work));
    std::ranges::sort(found.nodes);
    const auto twins = std::ranges::unique(found.nodes);
    found.nodes.erase(twins.begin(), twins.end());
    found.removed_work = site.work;
    found.count = trace_.per_step(static_cast<double>(site.work.size()));
    found.bytes = trace_.per_step(site.bytes);
    found.time_ns = trace_.per_step(site.time_ns);
    const double reachable_ns = *found.bytes / (limits_.reachable_share * *peaks_.bandwidth_bytes_per_s) * 1e9;
    found.saving = SavedPerStep{0, std::max(0.0, found.time_ns - reachable_ns), 0, 0, false};
    found.pattern = pattern(site, reachable_ns / found.count);
    found.facts = {{"achieved_share_pct", 100 * share(site, 0)}, {"intensity", site.flops / site.bytes}, {"ridge", *ridge(site)}};
    found.words = {{"kernel", std::string(trace_.kernel_name(site.work.front()))}};
    describe_inputs(found);
    judge_confidence(site, found);
    return found;
  }

 private:
  // Are there fewer blocks than SMs? Launches of a site are equal. False where the recording does not say.
  bool leaves_sms_idle(const KernelSite& site) const {
    const std::uint32_t event = trace_.attribution().work[site.work.front()].event;
    const std::vector<model::KernelShape>& shapes = trace_.timeline().kernel_shapes;
    const auto shape = std::ranges::lower_bound(shapes, event, {}, &model::KernelShape::event);
    if (!peaks_.sms || shape == shapes.end() || shape->event != event) return false;
    return static_cast<double>(shape->grid[0]) * shape->grid[1] * shape->grid[2] < *peaks_.sms;
  }

  // How far a time may be off: whole microseconds cut both ends of a kernel.
  double clock_error() const { return trace_.timeline().whole_microseconds ? 1000 : 0; }

  double share(const KernelSite& site, double shorter_by) const {
    const double time = site.time_ns - shorter_by * static_cast<double>(site.work.size());
    return time > 0 ? site.bytes / (time * 1e-9) / *peaks_.bandwidth_bytes_per_s : std::numeric_limits<double>::infinity();
  }

  // Operations per byte from which on they are the limit.
  std::optional<double> ridge(const KernelSite& site) const {
    const std::optional<double> flops = is_of_tensor_cores(trace_, site.node) ? peaks_.tensor16_flops : peaks_.fp32_flops;
    return flops ? std::optional(*flops / *peaks_.bandwidth_bytes_per_s) : std::nullopt;
  }

  std::string_view pattern(const KernelSite& site, double reachable_each_ns) const {
    const std::string_view cause = cause_of(trace_, site.node);
    if (!cause.empty()) return cause;
    return reachable_each_ns < limits_.shortest_ns ? "small" : "unexplained";
  }

  void describe_inputs(Candidate& found) const {
    const RecordedInputs* const inputs = trace_.inputs(found.node);
    const RecordedTensor* const first = inputs ? tensor_at(*inputs, 0) : nullptr;
    if (first) found.words["sizes"] = text_of(first->shape);
  }

  void judge_confidence(const KernelSite& site, Candidate& found) const {
    const bool is_explained = found.pattern != "unexplained" && found.pattern != "small";
    found.confidence = !is_explained                  ? limits_.unexplained_confidence
                       : found.pattern == "unaligned" ? limits_.unaligned_confidence
                                                      : limits_.confidence;
    if (found.pattern == "unexplained" && !trace_.has_strides())
      found.caveats.emplace_back("strides were not recorded, so the cause is not known");
    const double each = site.time_ns / static_cast<double>(site.work.size());
    if (clock_error() == 0) return;
    found.confidence *= 1 - clock_error() / each;
    found.caveats.push_back(fmt::format("times are whole microseconds: the bandwidth may be off by {:.0f} %", 100 * clock_error() / each));
  }

  const LayoutTrace& trace_;
  const GpuPeaks& peaks_;
  const MemoryBoundLimits& limits_;
};

}  // namespace

std::string_view name_of(BoundClass bound) {
  constexpr std::array<std::string_view, bound_classes> names = {"saturated", "inefficient", "moderate",  "latency",
                                                                 "compute",   "cached",      "unassessed"};
  return names[static_cast<std::size_t>(bound)];
}

MemoryBoundKernels memory_bound(const LayoutTrace& trace, const WorkTraffic& traffic, const GpuPeaks& peaks,
                                const MemoryBoundLimits& limits) {
  MemoryBoundKernels kernels;
  const BandwidthJudge judge(trace, peaks, limits);
  for (const KernelSite& site : kernel_sites(trace, traffic)) {
    const BoundClass bound = judge.class_of(site);
    BoundCount& count = kernels.classes[static_cast<std::size_t>(bound)];
    count.kernels += trace.per_step(static_cast<double>(site.work.size()));
    count.time_ns += trace.per_step(site.time_ns);
    if (bound == BoundClass::inefficient) kernels.found.push_back(judge.candidate(site));
  }
  std::ranges::stable_sort(kernels.found, std::ranges::greater{}, &Candidate::time_ns);
  return kernels;
}

}  // namespace frx::derive::layout
