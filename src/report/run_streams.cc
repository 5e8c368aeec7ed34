#include "report/run_streams.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "ingest/run_events/read_events.h"
#include "model/bundle_paths.h"
#include "report/run_scopes.h"

namespace frx::report {
namespace {

namespace paths = model::bundle;

constexpr std::string_view rank_stream = "raw/trace.rank", stream_end = ".jsonl";

// 3 of "raw/trace.rank3.jsonl".
std::optional<std::int64_t> rank_of(std::string_view path) {
  if (path == paths::raw_trace) return 0;
  if (!path.starts_with(rank_stream) || !path.ends_with(stream_end) || path.size() <= rank_stream.size() + stream_end.size()) return {};
  const std::string_view digits = path.substr(rank_stream.size(), path.size() - rank_stream.size() - stream_end.size());
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return error == std::errc() && end == digits.data() + digits.size() && rank >= 0 ? std::optional(rank) : std::nullopt;
}

// A rank that only waits for the others has no bottleneck of its own: a label that names a cause takes precedence.
bool names_something(const std::string& label) { return !label.empty() && label != "insufficient_telemetry" && label != "inconclusive"; }

std::size_t typical(const std::vector<StreamOfRank>& streams) {
  std::map<std::string, std::vector<std::pair<double, std::size_t>>> by_label;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::optional<StepTimes>& times = streams[i].scope().times;
    if (times) by_label[streams[i].scope().diagnosis.user_facing].emplace_back(times->total_ns, i);
  }
  if (by_label.empty()) return 0;
  const auto weight = [](const auto& entry) { return std::pair(names_something(entry.first), entry.second.size()); };
  std::vector<std::pair<double, std::size_t>> most = std::ranges::max_element(by_label, {}, weight)->second;
  std::ranges::sort(most);
  return most[(most.size() - 1) / 2].second;
}

}  // namespace

Result<std::vector<StreamOfRank>> read_streams(const ingest::RunBundle& bundle, std::vector<std::string>& notes) {
  std::map<std::int64_t, StreamOfRank> streams;
  for (const ingest::BundleMember& member : bundle.members()) {
    if (!member.path.starts_with("raw/trace") || !member.path.ends_with(stream_end)) continue;
    const std::optional<std::int64_t> rank = rank_of(member.path);
    if (!rank || streams.contains(*rank)) {
      notes.push_back(fmt::format("{} of another process is not part of this answer", printable(member.path)));
      continue;
    }
    StreamOfRank& stream = streams[*rank];
    stream.rank = *rank;
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(std::string_view(member.path)));
    TRY(ingest::read_run_events(*source, stream.record));
  }
  if (streams.empty()) streams[0];
  std::vector<StreamOfRank> all;
  for (auto& [rank, stream] : streams) {
    if (bundle.has(paths::gpu_metrics)) {
      TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bundle.open(paths::gpu_metrics));
      TRY(ingest::read_gpu_samples(*source, stream.record));
    }
    all.push_back(std::move(stream));
  }
  return all;
}

std::size_t judge_streams(const RunJudge& judge, std::vector<StreamOfRank>& streams) {
  for (StreamOfRank& stream : streams) {
    static_cast<RunScopes&>(stream) = scopes_of(judge, {{&stream.record.steps, 1}, stream.record.samples});
  }
  return typical(streams);
}

}  // namespace frx::report
