#include "report/operators/operator_details.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "report/recorder_words.h"
#include "report/trace_gpu_use.h"

namespace frx::report {
namespace {

using derive::trace::OperatorKernel;
using derive::trace::OperatorMethod;
using model::Timeline;

void add(KernelShare& share, std::uint64_t kernels, std::int64_t ns) {
  share.kernels += kernels;
  share.gpu_ns += ns;
}

std::vector<CategoryShare> no_shares(const knowledge::OperatorCategories& categories) {
  std::vector<CategoryShare> shares;
  for (std::size_t i = 0; i < categories.size(); ++i)
    shares.push_back({std::string(categories.id(i)), std::string(categories.title(i)), {}});
  return shares;
}

void keep_categories(OperatorReport& report, std::vector<CategoryShare> shares) {
  std::erase_if(shares, [](const CategoryShare& one) { return one.share.kernels == 0; });
  std::ranges::stable_sort(shares, std::ranges::greater{}, [](const CategoryShare& one) { return one.share.gpu_ns; });
  report.categories = std::move(shares);
}

// Looks at every name once, however many kernels have it.
class Judge {
 public:
  Judge(const OperatorProfile& profile, const knowledge::OperatorCategories& categories)
      : profile_(profile),
        categories_(categories),
        of_operator_(profile.timeline.names.size(), not_judged),
        of_range_(of_operator_),
        of_kernel_(of_operator_) {}

  std::size_t of(const OperatorKernel& kernel) {
    const Timeline& timeline = profile_.timeline;
    const bool has_operator = kernel.method == OperatorMethod::range || kernel.method == OperatorMethod::capture;
    std::size_t known = categories_.size();
    if (has_operator) {
      if (categories_.is_named_like_kernel(timeline.name_of(kernel.range))) return by_kernel(timeline.name[kernel.range]);
      std::uint32_t& judged = of_operator_[timeline.name[kernel.range]];
      if (judged == not_judged) judged = static_cast<std::uint32_t>(categories_.of_operator(timeline.name_of(kernel.range)));
      known = judged;
    }
    for (std::uint32_t row = kernel.inner; row != derive::trace::none; row = profile_.calls.enclosing[row]) {
      std::uint32_t& judged = of_range_[timeline.name[row]];
      if (judged == not_judged) judged = static_cast<std::uint32_t>(categories_.of_range_around(timeline.name_of(row)));
      known = std::min<std::size_t>(known, judged);
    }
    return known < categories_.size() ? known : by_kernel(timeline.name[kernel.event]);
  }

 private:
  static constexpr std::uint32_t not_judged = UINT32_MAX;

  std::size_t by_kernel(std::uint32_t name) {
    std::uint32_t& judged = of_kernel_[name];
    if (judged == not_judged) judged = static_cast<std::uint32_t>(categories_.of_kernel(profile_.timeline.names[name]));
    return judged;
  }

  const OperatorProfile& profile_;
  const knowledge::OperatorCategories& categories_;
  std::vector<std::uint32_t> of_operator_, of_range_, of_kernel_;  // by name
};

// The type of the peak, while all have the same.
void add_precision(OperatorRates& rates, std::string_view precision, bool is_first) {
  if (is_first) rates.precision = precision;
  if (rates.precision != precision) rates.precision = {};
}

// Sums over the products of one operator.
struct RateSums {
  OperatorRates rates;
  bool has_all_bytes = true;
  std::uint64_t products = 0;
  std::int64_t with_peak_ns = 0, memory_limited_ns = 0, judged_ns = 0;
  double at_peak_ns = 0;  // that the operations would take

  void add(const derive::trace::Product& product, const ProductRate& rate) {
    add_precision(rates, rate.precision, products++ == 0);
    rates.flops += product.flops();
    rates.gpu_ns += product.gpu_ns;
    has_all_bytes = has_all_bytes && product.element_bytes > 0;
    rates.bytes = rates.bytes.value_or(0) +
                  product.of_call.elements * static_cast<double>(product.element_bytes) * static_cast<double>(product.calls);
    if (rate.peak_share) {
      with_peak_ns += product.gpu_ns;
      at_peak_ns += *rate.peak_share * static_cast<double>(product.gpu_ns);
    }
    if (!rate.memory_limited) return;
    judged_ns += product.gpu_ns;
    memory_limited_ns += *rate.memory_limited ? product.gpu_ns : 0;
  }

  OperatorRates finished() const {
    OperatorRates finished = rates;
    if (!has_all_bytes) finished.bytes.reset();
    if (with_peak_ns > 0 && with_peak_ns == rates.gpu_ns) finished.peak_share = at_peak_ns / static_cast<double>(with_peak_ns);
    if (judged_ns > 0) finished.memory_limited = memory_limited_ns * 2 > judged_ns;
    return finished;
  }
};

}  // namespace

void add_unattributed_flag(OperatorReport& report, std::string_view why) {
  constexpr double warned_pct = 10, severe_pct = 30;
  if (report.kernel_ns <= 0 || report.operators.empty()) return;
  const double pct = 100.0 * static_cast<double>(report.unattributed.gpu_ns) / static_cast<double>(report.kernel_ns);
  if (pct <= warned_pct) return;
  report.flags.push_back(
      {"high_unattributed", pct > severe_pct, pct, warned_pct, fmt::format("{:.1f} % of kernel time belongs to no operator{}", pct, why)});
}

void PartSums::add(std::string_view operation, std::string_view kernel, std::int64_t ns) {
  report::add(sums_[{std::string(operation), std::string(kernel)}], 1, ns);
}

std::vector<OperatorPart> PartSums::parts() const {
  std::vector<OperatorPart> parts;
  for (const auto& [names, share] : sums_) parts.push_back({names.first, names.second, share});
  return parts;
}

void divide_by_category(OperatorReport& report, const OperatorProfile& profile, const knowledge::OperatorCategories& categories) {
  std::vector<CategoryShare> shares = no_shares(categories);
  Judge judge(profile, categories);
  for (const OperatorKernel& kernel : profile.calls.kernels) {
    if (kernel.method != OperatorMethod::before) add(shares[judge.of(kernel)].share, 1, profile.timeline.duration[kernel.event]);
  }
  keep_categories(report, std::move(shares));
}

void add_lines(OperatorReport& report, const OperatorProfile& profile) {
  std::vector<std::uint32_t> ranges;
  for (const derive::trace::OperatorCall& call : profile.calls.calls) ranges.push_back(call.range);
  const std::vector<derive::trace::ProgramPlace> places = derive::trace::program_places(profile.timeline, ranges);
  std::map<std::string_view, std::map<derive::trace::ProgramPlace, std::int64_t>> by_operator;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].is_known()) by_operator[profile.timeline.name_of(ranges[i])][places[i]] += profile.calls.calls[i].gpu_ns;
  }
  for (OperatorSum& sum : report.operators) {
    const auto found = by_operator.find(sum.name);
    if (found == by_operator.end()) continue;
    const auto longest = std::ranges::max_element(found->second, {}, [](const auto& place) { return place.second; });
    sum.line = derive::trace::program_line(profile.timeline, longest->first).text();
  }
}

void add_rates(OperatorReport& report, const OperatorProfile& profile, const knowledge::Knowledge& known) {
  const Timeline& timeline = profile.timeline;
  if (timeline.shaped_events.empty()) return;
  const auto attribution = derive::trace::attribute(timeline);
  const derive::trace::Products products = derive::trace::products_of(timeline, attribution, known.classes, -1);
  const knowledge::GpuProduct* const gpu = timeline.facts.is_rocm ? nullptr : gpu_of_all(known, timeline.facts.gpus);
  std::unordered_map<std::string_view, RateSums> sums;
  for (const derive::trace::Product& product : products.products) sums[product.name].add(product, rate_of(product, gpu));
  for (OperatorSum& sum : report.operators) {
    if (const auto found = sums.find(sum.name); found != sums.end()) sum.rates = found->second.finished();
  }
  if (!sums.empty() && !gpu) {
    report.notes.push_back(report.gpu.empty() ? "unknown GPU: the recording names none, or several, so rates are not compared with peaks"
                                              : fmt::format("unknown GPU: frx has no peaks of '{}', so rates are not compared with them",
                                                            printable(report.gpu)));
  }
}

void add_details(OperatorReport& report, const OperatorProfile& profile, OperatorGrouping grouping, const knowledge::Knowledge& known,
                 const knowledge::OperatorCategories& categories) {
  divide_by_category(report, profile, categories);
  if (grouping == OperatorGrouping::by_module) add_modules(report, profile);
  if (grouping == OperatorGrouping::by_operator) {
    add_lines(report, profile);
    add_rates(report, profile, known);
  }
  add_unattributed_flag(report, ": its launch is outside of the recording or of all ranges");
  add_flags(report, profile);
}

void add_details(OperatorReport& report, const knowledge::OperatorCategories& categories) {
  std::vector<CategoryShare> shares = no_shares(categories);
  for (const OperatorPart& part : report.parts)
    add(shares[categories.of({part.kernel, part.operation})].share, part.share.kernels, part.share.gpu_ns);
  keep_categories(report, std::move(shares));
  add_unattributed_flag(report, "");
}

}  // namespace frx::report
