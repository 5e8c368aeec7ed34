#include "report/layout/layout_candidates.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "base/parallel.h"
#include "derive/layout/stride_stability.h"

namespace frx::report {
namespace {

using LayoutCandidate = derive::layout::Candidate;
using knowledge::LayoutDetector;

using Candidates = std::vector<LayoutCandidate>;

derive::layout::GpuPeaks peaks_of(const knowledge::GpuProduct& product) {
  const auto scaled = [](std::optional<double> value, double scale) { return value ? std::optional(*value * scale) : std::nullopt; };
  return {scaled(product.memory_bandwidth_gbps, 1e9),       scaled(product.l2_mb, 1 << 20),
          scaled(product.peak_tflops("fp32"), 1e12),        scaled(product.peak_tflops("fp16_tensor"), 1e12),
          scaled(product.peak_tflops("tf32_tensor"), 1e12), product.sm_count};
}

derive::layout::MemoryBoundLimits limits_of(const LayoutDetector& detector) {
  derive::layout::MemoryBoundLimits limits;
  const auto set = [&](std::string_view name, double& value, double scale) {
    const auto at = detector.limits.find(name);
    if (at != detector.limits.end()) value = at->second * scale;
  };
  set("saturated_pct", limits.saturated_share, 0.01);
  set("saturated_pct", limits.reachable_share, 0.01);
  set("inefficient_pct", limits.inefficient_share, 0.01);
  set("least_us", limits.shortest_ns, 1000);
  set("latency_us", limits.latency_ns, 1000);
  return limits;
}

void take(Candidates found, Candidates& all) { std::ranges::move(found, std::back_inserter(all)); }

void add_nodes(const Candidates& candidates, std::vector<std::uint32_t>& nodes) {
  for (const LayoutCandidate& one : candidates) {
    if (one.node != derive::layout::none) nodes.push_back(one.node);
    nodes.insert(nodes.end(), one.nodes.begin(), one.nodes.end());
  }
}

class CandidateFinder {
 public:
  CandidateFinder(const LayoutSubject& subject, const knowledge::LayoutKnowledge& detectors)
      : subject_(subject), detectors_(detectors), trace_(subject.trace) {}

  // The detectors that group by site come last, so that sites are searched once, for the nodes of all detectors.
  LayoutCandidates find() {
    std::vector<derive::layout::ViewChain> chains;
    Candidates convolutions, bound, unstable;
    do_in_parallel({[&] { chains = derive::layout::view_chains(trace_); }, [&] { convolutions = find_convolutions(); },
                    [&] { bound = find_memory_bound(); }, [&] { unstable = find_instability(); }});
    std::vector<std::uint32_t> nodes;
    for (const Candidates* const of : {&convolutions, &bound, &unstable}) add_nodes(*of, nodes);
    for (const derive::layout::Copy& copy : subject_.copies) {
      if (copy.node != derive::layout::none) nodes.push_back(copy.node);
    }
    for (const derive::layout::ViewChain& chain : chains) nodes.insert(nodes.end(), chain.views.begin(), chain.views.end());
    auto sites = std::make_unique<derive::layout::Sites>(trace_, std::move(nodes));
    const derive::layout::DetectorInput input =
        derive::layout::detector_input(trace_, subject_.copies, chains, *sites, subject_.identities);
    Candidates hidden, churn, storms;
    do_in_parallel({[&] { churn = derive::layout::contiguous_churn(input); }, [&] { storms = derive::layout::permute_storms(input); },
                    [&] { hidden = derive::layout::hidden_copies(input); }, [&] { found_.latent = derive::layout::latent_inputs(input); }});
    for (Candidates* const of : {&hidden, &churn, &storms, &convolutions}) take(std::move(*of), found_.all);
    leave_out_told(bound);
    take(std::move(bound), found_.all);
    take(std::move(unstable), found_.all);
    std::vector<std::uint32_t> shown;
    add_nodes(found_.all, shown);
    sites->describe_by(std::move(shown));
    found_.sites = std::move(sites);
    return std::move(found_);
  }

 private:
  Candidates find_convolutions() {
    const knowledge::GpuProduct* const product = subject_.gpu.product;
    derive::layout::ChannelsLast convolutions = derive::layout::channels_last(
        trace_, subject_.copies, {subject_.gpu.cc, product ? peaks_of(*product) : derive::layout::GpuPeaks()});
    found_.convolutions = convolutions.counts;
    refuse("channels_last", convolutions.not_assessed);
    return std::move(convolutions.found);
  }

  Candidates find_memory_bound() {
    const LayoutDetector* const detector = detectors_.detector("memory_bound");
    if (!detector || !trace_.has_shapes()) return {};
    if (!trace_.has_gpu_work()) {
      refuse("memory_bound", "no GPU work was recorded");
      return {};
    }
    const knowledge::GpuProduct* const product = subject_.gpu.product;
    if (!product || !product->memory_bandwidth_gbps) {
      refuse("memory_bound", "the bandwidth of the GPU is not known: name it with --gpu-model");
      return {};
    }
    derive::layout::MemoryBoundKernels kernels =
        derive::layout::memory_bound(trace_, subject_.traffic, peaks_of(*product), limits_of(*detector));
    found_.kernel_classes = kernels.classes;
    found_.classes_assessed = true;
    return std::move(kernels.found);
  }

  Candidates find_instability() {
    derive::layout::StrideStability stability = derive::layout::stride_instability(trace_, subject_.log);
    found_.unstable_unasked = std::move(stability.not_assessed);
    return std::move(stability.candidates);
  }

  // Called by detectors that run at the same time.
  void refuse(std::string_view detector, const std::string& why) {
    if (why.empty()) return;
    const std::lock_guard lock(refusing_);
    found_.refused[detector] = why;
  }

  // Copies that other detectors tell how to spare are no second finding.
  void leave_out_told(Candidates& bound) const {
    std::vector<bool> is_told(trace_.attribution().work.size());
    for (const LayoutCandidate& candidate : found_.all) {
      for (const std::uint32_t work : candidate.removed_work) is_told[work] = true;
    }
    std::erase_if(bound, [&](const LayoutCandidate& one) {
      return std::ranges::all_of(one.removed_work, [&](std::uint32_t work) { return is_told[work]; });
    });
  }

  const LayoutSubject& subject_;
  const knowledge::LayoutKnowledge& detectors_;
  const derive::layout::LayoutTrace& trace_;
  LayoutCandidates found_;
  std::mutex refusing_;
};

}  // namespace

LayoutCandidates layout_candidates(const LayoutSubject& subject, const knowledge::LayoutKnowledge& detectors) {
  return CandidateFinder(subject, detectors).find();
}

}  // namespace frx::report
