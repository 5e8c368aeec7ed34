// How a file of rank summaries is recognised: by its first bytes.

#include "ingest/observation.h"
#include "ingest/rank_summary/summary_file.h"

namespace frx::ingest {
namespace {

constexpr std::string_view summary_endings[] = {rank_summary::ending};
// Ten thousand ranks at 100 kB each, of a file that is compressed or can be read only once; another one is not held in memory.
constexpr std::uint64_t largest_in_memory = std::uint64_t{1} << 30;

Match recognises_summary(const Look& look) { return look.head.starts_with(rank_summary::magic) ? Match::certain : Match::no; }

Result<Observation> read_summaries(Source& source, const ReadOptions&) {
  TRY_ASSIGN(std::shared_ptr<const RandomAccess> bytes, source.random_access_to_content(largest_in_memory));
  TRY_ASSIGN(const rank_summary::SummaryFile file, rank_summary::SummaryFile::open(source.name(), std::move(bytes)));
  model::RankSummaries found{source.name(), {}};
  for (std::size_t i = 0; i < file.ranks(); ++i) {
    TRY_ASSIGN(model::RankSummary rank, file.whole(i));
    found.ranks.push_back(std::move(rank));
  }
  return Observation{std::move(found)};
}

}  // namespace

constinit const Format rank_summary_format = {
    .id = "rank-summary",
    .title = "a rank summary of frx",
    .kind = Kind::rank_summary,
    .endings = summary_endings,
    .recognises = recognises_summary,
    .read = read_summaries,
};

}  // namespace frx::ingest
