#include "corpus/profiler_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "report/analyse.h"

namespace frx::corpus {
namespace {

namespace fs = std::filesystem;

// One kernel of which the profiler says one thing.
struct Said {
  std::map<std::uint64_t, double> estimates_pct;  // by launch, the largest of the launch

  // Of the mean launch.
  std::optional<double> estimate_pct() const {
    if (estimates_pct.empty()) return std::nullopt;
    double sum = 0;
    for (const auto& [launch, percent] : estimates_pct) sum += percent;
    return sum / static_cast<double>(estimates_pct.size());
  }
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Equal values share the mean of their places.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = (static_cast<double>(i) + static_cast<double>(end - 1)) / 2;
    i = end;
  }
  return ranks;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return 0;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  double both = 0, xs = 0, ys = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean_x) * (y[i] - mean_y);
    xs += (x[i] - mean_x) * (x[i] - mean_x);
    ys += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xs > 0 && ys > 0 ? both / std::sqrt(xs * ys) : 0;
}

std::optional<std::size_t> cause_of(const report::ProfilerRule& rule) {
  const std::vector<RuleCause>& causes = rule_causes();
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (!causes[i].rule.empty() && !rule.name.empty() && rule.name != causes[i].rule) continue;
    if (rule.text.find(causes[i].words) != rule.text.npos) return i;
  }
  return std::nullopt;
}

class Comparison {
 public:
  Comparison() { result_.by_cause.resize(rule_causes().size()); }

  void add(const report::NcuReport& report) {
    std::map<std::pair<std::string_view, std::size_t>, Said> said;  // kernel, cause
    for (const report::ProfilerRule& rule : report.profiler_rules) {
      if ((rule.type != "OPT" && rule.type != "WRN") || rule.text.find("returned an error") != rule.text.npos) continue;
      ++result_.rules;
      const std::optional<std::size_t> cause = cause_of(rule);
      if (!cause) {
        ++result_.unmatched;
        continue;
      }
      Said& one = said[{rule.kernel, *cause}];
      if (!rule.estimated_speedup_pct || rule.is_local_estimate) continue;
      double& largest = one.estimates_pct[rule.line];
      largest = std::max(largest, *rule.estimated_speedup_pct);
    }
    result_.files += said.empty() ? 0 : 1;
    for (const auto& [key, one] : said) {
      const auto kernel = std::ranges::find(report.kernels, key.first, &report::Kernel::name);
      if (kernel != report.kernels.end()) compare(*kernel, key.second, one);
    }
  }

  RuleAgreements result() {
    result_.ranked = theirs_.size();
    result_.rank_correlation = spearman(theirs_, ours_);
    return std::move(result_);
  }

 private:
  void compare(const report::Kernel& kernel, std::size_t cause, const Said& said) {
    const std::vector<std::string_view>& labels = rule_causes()[cause].labels;
    const auto is_one = [&](const model::Finding& finding) { return std::ranges::find(labels, finding.id()) != labels.end(); };
    RuleAgreement& agreement = result_.by_cause[cause];
    ++agreement.kernels;
    const auto holds = std::ranges::find_if(kernel.findings, is_one);
    if (std::ranges::find(labels, kernel.primary) != labels.end()) {
      ++agreement.leads;
    } else if (holds != kernel.findings.end()) {
      ++agreement.detected;
    } else if (std::ranges::any_of(kernel.others, [&](const model::Finding& one) { return is_one(one) && !one.is_clear(); }) ||
               labels.empty()) {
      ++agreement.unknown;
    } else {
      ++agreement.denied;
    }
    // A rule speaks of one launch, time at stake of all launches: they are compared where the launches are alike.
    const std::optional<double> estimate = said.estimate_pct();
    if (!estimate || holds == kernel.findings.end() || !kernel.duration_us || *kernel.duration_us <= 0 || kernel.shapes.size() > 1) return;
    std::optional<double> stake;
    for (const model::Finding& finding : kernel.findings) {
      if (is_one(finding) && finding.time_at_stake) stake = std::max(stake.value_or(0), *finding.time_at_stake);
    }
    if (!stake) return;
    const double ours = 100 * *stake / (*kernel.duration_us * 1000);
    ++agreement.estimates;
    agreement.bounds_above += ours + 0.5 >= *estimate;  // theirs is printed without decimals
    theirs_.push_back(*estimate);
    ours_.push_back(ours);
  }

  RuleAgreements result_;
  std::vector<double> theirs_, ours_;  // percent of the kernel
};

}  // namespace

const std::vector<RuleCause>& rule_causes() {
  static const std::vector<std::string_view> waiting = {"latency_bound",        "fixed_latency_dependency",
                                                        "instruction_fetch",    "constant_cache_misses",
                                                        "warp_stall_memory",    "warp_stall_sync",
                                                        "low_issue_efficiency", "grid_too_small",
                                                        "kernel_too_short",     "tail_effect",
                                                        "uncoalesced_access",   "occupancy_limited",
                                                        "register_spills",      "low_warp_scheduler_utilization"};
  static const std::vector<std::string_view> memory = {
      "memory_bandwidth_bound", "l1_throughput_bound", "uncoalesced_access", "warp_stall_memory",  "shared_memory_bank_conflicts",
      "register_spills",        "at_hardware_limit",   "atomics_contention", "l2_cache_thrashing", "l1_cache_thrashing"};
  // The first that matches counts.
  static const std::vector<RuleCause> causes = {
      {"the grid is too small", "", "grid is too small", {"grid_too_small", "kernel_too_short"}},
      {"the last wave is partly empty", "LaunchConfiguration", "wave of thread blocks", {"tail_effect", "grid_too_small"}},
      {"fewer blocks than SMs", "", "thread blocks to be launched", {"grid_too_small", "kernel_too_short"}},
      {"fewer blocks than SMs", "LaunchConfiguration", "fewer", {"grid_too_small", "kernel_too_short"}},
      {"blocks of partial warps", "LaunchConfiguration", "multiple", {"partial_warps"}},
      {"SMs are unevenly busy", "WorkloadImbalance", "", {"uneven_sms", "tail_effect", "grid_too_small", "kernel_too_short"}},
      {"uncoalesced global access", "", "uncoalesced global accesses", {"uncoalesced_access"}},
      {"uncoalesced global access", "", "memory access pattern for global", {"uncoalesced_access"}},
      {"access to local memory", "", "memory access pattern for local", {"register_spills"}},
      {"bank conflicts", "", "bank conflict", {"shared_memory_bank_conflicts"}},
      {"bank conflicts", "", "uncoalesced shared accesses", {"shared_memory_bank_conflicts"}},
      {"occupancy: registers", "", "limited by the number of required registers", {"occupancy_limited_by_registers", "occupancy_limited"}},
      {"occupancy: shared memory", "", "required amount of shared memory", {"occupancy_limited_by_shared_memory", "occupancy_limited"}},
      {"occupancy: size of blocks", "", "number of warps within each block", {"occupancy_limited_by_block_size", "occupancy_limited"}},
      {"occupancy: size of blocks", "", "number of blocks that can fit", {"occupancy_limited_by_block_size", "occupancy_limited"}},
      {"achieved occupancy below the possible one",
       "",
       "measured achieved occupancy",
       {"occupancy_limited", "uneven_sms", "tail_effect", "grid_too_small", "kernel_too_short"}},
      {"waiting for memory",
       "",
       "scoreboard dependency on a L1TEX",
       {"warp_stall_memory", "latency_bound", "memory_bandwidth_bound", "uncoalesced_access", "l1_throughput_bound", "register_spills"}},
      {"waiting at a barrier", "", "CTA barrier", {"warp_stall_sync"}},
      {"waiting for the MIO or LSU queue",
       "",
       "instruction queue",
       {"warp_stall_memory", "shared_memory_bank_conflicts", "l1_throughput_bound"}},
      {"waiting for a fixed latency", "", "fixed latency execution dependency", {"fixed_latency_dependency", "low_issue_efficiency"}},
      {"few instructions issued", "", "scheduler only issues an instruction every", waiting},
      {"diverging warps", "ThreadDivergence", "", {"warp_divergence", "partial_warps"}},
      {"instructions that are not fused", "FPInstructions", "", {"unfused_multiply_add"}},
      {"a pipe is over-utilised", "", "over-utilized", {"compute_bound", "at_hardware_limit"}},
      {"a unit is above 80 %",
       "",
       "utilizing greater than 80.0% of the available compute or memory",
       {"at_hardware_limit", "compute_bound", "memory_bandwidth_bound", "l1_throughput_bound", "uncoalesced_access",
        "shared_memory_bank_conflicts"}},
      {"memory before compute", "", "Memory is more heavily utilized than Compute", memory},
      {"compute before memory",
       "",
       "Compute is more heavily utilized than Memory",
       {"compute_bound", "at_hardware_limit", "warp_stall_sync", "low_issue_efficiency", "tensor_core_underutilized", "warp_divergence",
        "latency_bound", "fixed_latency_dependency"}},
      {"neither compute nor memory: latency", "", "low compute throughput and memory bandwidth utilization", waiting},
  };
  return causes;
}

RuleAgreements profiler_rule_agreements(const fs::path& corpus) {
  Comparison comparison;
  std::vector<fs::path> files;
  for (const char* folder : {"ncu", "ncurep"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(corpus / folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  const auto analyst = report::Analyst::create({});
  if (!analyst) return {};
  for (const fs::path& file : files) {
    const auto report = (*analyst)->analyse_file(file.string());
    if (report && !(*report)->profiler_rules.empty()) comparison.add(**report);
  }
  return comparison.result();
}

std::string profiler_rules_page(const RuleAgreements& agreements) {
  std::string page = fmt::format(
      "# Agreement with the profiler's own rules\n\n"
      "Written by `./dev corpus --write`. {} files of the corpus hold {} rules of type OPT or WRN of Nsight Compute itself; {} of them "
      "speak of a "
      "cause that\n"
      "the table of `tests/corpus/profiler_rules.cc` does not list. A row counts kernels that a rule speaks of: `leads`, one of our labels "
      "for "
      "the cause\n"
      "leads; `detected`, it holds and another leads; `cannot tell`, counters are missing (or we have no label); `clear`, it was measured "
      "and "
      "does not hold.\n"
      "The rules fire at low thresholds and several for each kernel, so that `clear` is no error by itself: a rule about occupancy fires "
      "for a "
      "kernel that\n"
      "saturates memory.\n\n"
      "| the profiler speaks of | kernels | leads | detected | cannot tell | clear |\n|---|--:|--:|--:|--:|--:|\n",
      agreements.files, agreements.rules, agreements.unmatched);
  std::vector<std::string_view> done;
  std::uint64_t estimates = 0, above = 0;
  for (std::size_t i = 0; i < rule_causes().size(); ++i) {
    const std::string_view name = rule_causes()[i].name;
    if (std::ranges::find(done, name) != done.end()) continue;
    done.push_back(name);
    RuleAgreement sum;
    for (std::size_t k = i; k < rule_causes().size(); ++k) {
      if (rule_causes()[k].name != name) continue;
      const RuleAgreement& one = agreements.by_cause[k];
      sum.kernels += one.kernels;
      sum.leads += one.leads;
      sum.detected += one.detected;
      sum.unknown += one.unknown;
      sum.denied += one.denied;
      estimates += one.estimates;
      above += one.bounds_above;
    }
    if (sum.kernels == 0) continue;
    fmt::format_to(std::back_inserter(page), "| {} | {} | {} | {} | {} | {} |\n", name, sum.kernels, sum.leads, sum.detected, sum.unknown,
                   sum.denied);
  }
  page += fmt::format(
      "\n## Bounds\n\n"
      "Where a rule estimates the gain of the whole kernel, its launches have one shape and a label of ours for its cause holds, our time "
      "at\n"
      "stake is at least its estimate (the mean of the launches) in **{} of {}** kernels. The rank correlation (Spearman) of the two over "
      "these {} is **{:.2f}**.\n",
      above, estimates, agreements.ranked, agreements.rank_correlation);
  return page;
}

}  // namespace frx::corpus
