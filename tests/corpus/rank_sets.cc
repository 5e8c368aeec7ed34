#include "corpus/rank_sets.h"

#include <fmt/format.h>

#include <algorithm>

namespace frx::corpus {
namespace {

std::vector<std::string> numbered(const char* pattern, int ranks) {
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back(fmt::format(fmt::runtime(pattern), rank));
  return names;
}

}  // namespace

std::vector<RankSet> rank_sets() {
  using Late = std::vector<std::int64_t>;
  return {
      {"megatron_tp8_A100", numbered("megatron_tp8_A100.rank{}.json", 8), "ranks 0 and 6: 40 % exposed communication, others 66-78 %",
       Late{0, 6}},
      {"amd_fused_4rank_MI300 (one merged file)",
       {"amd_fused_4rank_MI300_merged.140MB.json.gz"},
       "device 5, of rank 3: 2.6 % communication, others 33-46 %",
       Late{3}},
      {"gaoteng_bert_fp16_ddp", numbered("gaoteng_bert_fp16_ddp.rank{}.pt.trace.json.gz", 2), "both ranks equally long in communication",
       Late{}},
      {"gaoteng_resnet50_noPred_ddp", numbered("gaoteng_resnet50_noPred_ddp.rank{}.pt.trace.json.gz", 2),
       "82 % of the step in the data loader, on both", Late{}},
      {"hta_sampled", numbered("hta_sampled_rank{}.json.gz", 2), "2 of 128 ranks, events dropped by a sampler: nothing can be known",
       Late{}},
      {"tugot_toy_tp2_4090", numbered("tugot_toy_tp2_4090.rank{}.json", 2), "rank 1 waits 11 ms, in the only collective", {}},
      {"tugot_llama_tp2_dim1024_4090", {"tugot_llama_tp2_dim1024_4090.rank0.json"}, "one rank of two", Late{}},
  };
}

std::vector<std::int64_t> RankSetCheck::late() const {
  std::vector<std::int64_t> ranks;
  if (!report) return ranks;
  for (const std::size_t index : report->lateness.late) ranks.push_back(report->ranks[index].rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<RankSetCheck> check_rank_sets(const std::filesystem::path& corpus) {
  const auto analyst = report::TraceAnalyst::create("").value();
  std::vector<RankSetCheck> checks;
  for (RankSet& set : rank_sets()) {
    std::vector<report::TraceFile> files;
    for (const std::string& name : set.files) {
      const std::filesystem::path path = corpus / "torch" / name;
      if (std::filesystem::exists(path)) files.push_back(report::trace_file(name, [path] { return open_file(path.string()); }));
    }
    if (files.size() < set.files.size()) continue;
    RankSetCheck check{std::move(set), nullptr, {}};
    auto report = report::analyse_ranks(*analyst, check.set.name, files);
    if (report) {
      check.report = std::move(*report);
    } else {
      check.refused = report.error().message;
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace frx::corpus
