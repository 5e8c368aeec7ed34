// The traces of the corpus that are ranks of one run, and who is late among them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/ranks_analyst.h"

namespace frx::corpus {

struct RankSet {
  std::string name;
  std::vector<std::string> files;                 // in torch/
  std::string known;                              // what MANIFEST-torch.tsv says of its ranks
  std::optional<std::vector<std::int64_t>> late;  // what follows from that: ascending; none: it does not tell
};

std::vector<RankSet> rank_sets();

struct RankSetCheck {
  RankSet set;
  std::unique_ptr<report::RanksReport> report;  // null: refused
  std::string refused;

  std::vector<std::int64_t> late() const;  // ascending
  bool agrees() const { return !set.late || (report && late() == *set.late); }
};

// Every set whose files are there.
std::vector<RankSetCheck> check_rank_sets(const std::filesystem::path& corpus);

}  // namespace frx::corpus
