#include "advise/kernel_circumstances.h"

#include <algorithm>

namespace frx::advise {
namespace {

using derive::Roofline;
using diagnose::GroupDiagnosis;
using diagnose::KernelDiagnosis;

using Maybe = std::optional<double>;

// The context of a kernel besides its metrics.
struct Place {
  const Roofline& roofline;
  std::size_t gpus = 0;

  Maybe in(std::string_view region) const { return roofline.region.empty() ? Maybe() : roofline.region == region ? 1.0 : 0.0; }
};

template <auto member>
Maybe of_point(const Place& place) {
  const derive::RooflinePoint* const point = place.roofline.main();
  return point ? Maybe(point->*member) : Maybe();
}

struct Fact {
  std::string_view name;
  Maybe (*value)(const Place&);
};

constexpr Fact facts[] = {
    {"roofline_region.memory_bound", [](const Place& p) { return p.in("memory_bound"); }},
    {"roofline_region.compute_bound", [](const Place& p) { return p.in("compute_bound"); }},
    {"roofline_region.near_ridge", [](const Place& p) { return p.in("near_ridge"); }},
    {"roofline_region.latency_bound", [](const Place& p) { return p.in("latency_bound"); }},
    {"roofline_estimated",
     [](const Place& p) {
       return p.roofline.basis == Roofline::Basis::none ? Maybe() : p.roofline.basis == Roofline::Basis::estimated ? 1.0 : 0.0;
     }},
    {"mfu_pct", [](const Place& p) { return p.roofline.mfu_pct; }},
    {"memory_utilization_pct", [](const Place& p) { return p.roofline.memory_utilization_pct; }},
    {"arithmetic_intensity", of_point<&derive::RooflinePoint::intensity>},
    {"achieved_tflops", of_point<&derive::RooflinePoint::achieved_tflops>},
    {"peak_tflops", of_point<&derive::RooflinePoint::peak_tflops>},
    {"peak_bw_gbps", of_point<&derive::RooflinePoint::peak_gbps>},
    {"roofline_ceiling_tflops", of_point<&derive::RooflinePoint::ceiling_tflops>},
    {"num_gpus", [](const Place& p) { return p.gpus > 1 ? Maybe(static_cast<double>(p.gpus)) : Maybe(); }},
    {"mixed_precision_enabled", [](const Place&) { return Maybe(); }},  // there is no counter for it
};

const GroupDiagnosis* group_with(const KernelDiagnosis& kernel, std::string_view label) {
  for (const GroupDiagnosis& group : kernel.groups) {
    const auto holds = [&](const model::Finding& f) { return f.id() == label; };
    if (group.primary == label || std::ranges::any_of(group.findings, holds)) return &group;
  }
  return nullptr;
}

const model::Readings& readings_with(const KernelDiagnosis& kernel, std::string_view label) {
  const GroupDiagnosis* const group = group_with(kernel, label);
  return group ? group->readings : kernel.readings;
}

const std::vector<model::Finding>& findings_with(const KernelDiagnosis& kernel, std::string_view label) {
  const GroupDiagnosis* const group = group_with(kernel, label);
  return group ? group->findings : kernel.findings;
}

}  // namespace

KernelCircumstances::KernelCircumstances(const diagnose::RunDiagnosis& run, const KernelDiagnosis& kernel, std::string_view label,
                                         const Names& names)
    : kernel_(kernel),
      names_(names),
      thresholds_(run.thresholds),
      readings_(readings_with(kernel, label)),
      findings_(findings_with(kernel, label)) {
  for (const KernelDiagnosis& one : run.kernels) program_classes_ |= one.kernel_class;
  gpus_ = run.session.devices.size();
}

// Names of kernels are evidence for properties of the program, their absence is not.
Maybe KernelCircumstances::value(std::uint32_t slot) const {
  if (slot < slots::kernel_class) return readings_.value(model::Metric{static_cast<std::uint16_t>(slot)});
  if (slot < slots::program_class) return (kernel_.kernel_class >> (slot - slots::kernel_class) & 1) != 0 ? 1.0 : 0.0;
  if (slot < slots::fact) return (program_classes_ >> (slot - slots::program_class) & 1) != 0 ? Maybe(1.0) : Maybe();
  if (slot < slots::threshold) return facts[slot - slots::fact].value({kernel_.roofline, gpus_});
  if (slot < slots::label) return thresholds_.of_slot(slot - slots::threshold);
  if (slot < slots::other_domain)
    return label_state(findings_, kernel_.others, names_.labels(Domain::kernel)[(slot - slots::label) / 2], (slot - slots::label) % 2 != 0);
  return std::nullopt;
}

namespace {

constexpr auto kernel_fact_names = [] {
  std::array<std::string_view, std::size(facts)> all;
  std::ranges::transform(facts, all.begin(), &Fact::name);
  return all;
}();

}  // namespace

std::span<const std::string_view> KernelCircumstances::fact_names() { return kernel_fact_names; }

}  // namespace frx::advise
