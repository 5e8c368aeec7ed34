// Kernels to be judged, made from counters inside tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "ingest/profile.h"
#include "report/analyse.h"
#include "report/judge/check.h"

namespace frx::report::testing {

// Reads profiles of any format, and keeps what the subjects point into.
class Bench {
 public:
  explicit Bench(const std::string& gpu = {}) {
    AnalysisOptions options;
    options.gpu_model = gpu;
    analyst_ = Analyst::create(std::move(options)).value();
    judge_ = knowledge::JudgeKnowledge::load(knowledge().library, knowledge().metrics).value();
  }

  const knowledge::Knowledge& knowledge() const { return analyst_->knowledge(); }
  const knowledge::JudgeKnowledge& judge() const { return judge_; }

  Result<JudgeSubject> subject(std::string_view profile, const KernelChoice& choice = {}) {
    const std::unique_ptr<ByteSource> bytes = open_bytes(profile);
    TRY_ASSIGN(model::Session session, ingest::read_profile("profile", *bytes, knowledge().metrics, {}, ingest::Keep::every_counter));
    std::vector<std::string> in_order;
    for (const model::Kernel& kernel : session.kernels) in_order.push_back(kernel.name);
    const auto others = session.others;
    TRY_ASSIGN(const NcuReport* report, analyst_->analyse(std::move(session)));
    return judge_subject(*report, in_order, others.get(), choice, knowledge(), judge_);
  }

  Judgement rules(const JudgeSubject& subject, const JudgeDemands& demands = {}) const {
    return judge_by_rules(subject, knowledge(), judge_, demands);
  }

  // Of a text that may hold prose besides.
  JudgeVerdict check(const JudgeSubject& subject, std::string_view reply, const CheckRequest& request = {}) const {
    const auto extracted = extract_reply(reply, request.demands.contract);
    if (!extracted) return verdict_without_answer(extracted.error().message, request.demands.contract);
    return check_reply(extracted->value, subject, knowledge(), judge_, request);
  }

 private:
  std::unique_ptr<Analyst> analyst_;
  knowledge::JudgeKnowledge judge_;
};

// One for profiles of an H100.
inline Bench& bench() {
  static Bench shared("H100");
  return shared;
}

// Codes of the errors, each once, in their order.
inline std::vector<std::string> codes(const std::vector<JudgeProblem>& problems) {
  std::vector<std::string> codes;
  for (const JudgeProblem& problem : problems) {
    if (std::ranges::find(codes, problem.code) == codes.end()) codes.emplace_back(problem.code);
  }
  return codes;
}

// A kernel whose loads waste most of what they fetch, as KernelAgent would write its counters.
inline constexpr std::string_view wasteful_kernel = R"({"metrics": {"gather_kernel": {
  "sm__cycles_active.avg": 1552288.26,
  "sm__warps_active.avg.pct_of_peak_sustained_active": 48.5,
  "launch__occupancy_limit_blocks": 32, "launch__occupancy_limit_registers": 4, "launch__occupancy_limit_shared_mem": 8,
  "launch__registers_per_thread": 64, "launch__shared_mem_per_block_allocated": 16384,
  "sm__inst_executed.sum": 329264448,
  "dram__bytes_read.sum": 4297126400, "dram__bytes_write.sum": 3118080,
  "dram__throughput.avg.pct_of_peak_sustained_elapsed": 71.25, "dram__bytes.sum.per_second": 1452185137204.1,
  "l1tex__t_sector_hit_rate.pct": 12.5, "l1tex__throughput.avg.pct_of_peak_sustained_active": 37.99,
  "lts__t_sector_hit_rate.pct": 30.6, "lts__throughput.avg.pct_of_peak_sustained_active": 55.13,
  "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": 24.4,
  "smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct": 0.86,
  "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": 61.44,
  "smsp__warp_issue_stalled_barrier_per_warp_active.pct": 0.57,
  "smsp__warp_issue_stalled_branch_resolving_per_warp_active.pct": 0.13,
  "smsp__sass_average_branch_targets_threads_uniform.pct": 100,
  "sm__throughput.avg.pct_of_peak_sustained_elapsed": 14.86,
  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 71.25,
  "made_up__by_a_plugin.sum": 17.5}}})";

}  // namespace frx::report::testing
