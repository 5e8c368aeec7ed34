#include "analyse/summaries.h"

#include "base/parallel.h"
#include "base/text.h"
#include "report/rank_identity.h"
#include "report/rank_recording.h"

namespace frx::analyse {
namespace {

using ingest::rank_summary::SummaryFile;

constexpr std::uint64_t largest_in_memory = std::uint64_t{1} << 30;

// A regular file that is open only while it is read, so that ten thousand of them do not hold ten thousand descriptors.
class Reopened final : public ingest::RandomAccess {
 public:
  Reopened(std::string path, std::uint64_t size) : path_(std::move(path)), size_(size) {}

  std::uint64_t size() const override { return size_; }
  Result<> read_at(std::uint64_t offset, std::span<char> buffer) const override {
    TRY_ASSIGN(const std::shared_ptr<const RandomAccess> file, ingest::open_random_access(path_));
    return file->read_at(offset, buffer);
  }

 private:
  std::string path_;
  std::uint64_t size_;
};

Result<std::vector<report::RankRecording>> recording_at(const SummaryFile& file, std::size_t rank, const report::TraceAnalyst& analyst,
                                                        Interner& words) {
  TRY_ASSIGN(const model::RankSummary summary, file.whole(rank));
  Result<report::RankRecording> recording = analyst.analyse_rank(summary, words);
  if (!recording) return Failure{std::move(recording).error()}.at(file.name());
  std::vector<report::RankRecording> one;
  one.push_back(std::move(*recording));
  return one;
}

report::TraceFile failing(std::string name, Error error) {
  return {std::move(name), {}, [error = std::move(error)](const auto&, Interner&) -> Result<std::vector<report::RankRecording>> {
            return Failure{error};
          }};
}

}  // namespace

RankInputs::RankInputs(std::vector<Input>& inputs, Context& context)
    : inputs_(inputs), context_(context), opened_(inputs.size(), Summaries()), names_(inputs.size()) {
  for_each_in_parallel(inputs.size(), [&](std::size_t i) {
    names_[i] = {inputs[i].source.name()};
    if (inputs[i].kind() != ingest::Kind::rank_summary) return;
    Result<SummaryFile> file = open_summaries(inputs[i]);
    if (!file) {
      opened_[i] = Failure{std::move(file).error()};
      return;
    }
    const auto kept = std::make_shared<const SummaryFile>(std::move(*file));
    opened_[i] = kept;
    names_[i].clear();
    for (std::size_t rank = 0; rank < kept->ranks(); ++rank) {
      const Result<model::RankHead> head = kept->head(rank);
      names_[i].push_back(head ? head->trace : kept->name());
    }
  });
}

std::size_t RankInputs::count() const {
  std::vector<std::string> all, ignored;
  for (const std::vector<std::string>& names : names_) all.insert(all.end(), names.begin(), names.end());
  return report::last_recordings(all, ignored).size();
}

std::vector<report::TraceFile> RankInputs::files() {
  std::vector<report::TraceFile> files;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Input& input = inputs_[i];
    if (!opened_[i]) {
      files.push_back(failing(names_[i][0], opened_[i].error()));
    } else if (const Summaries file = *opened_[i]) {
      for (std::size_t rank = 0; rank < names_[i].size(); ++rank) {
        files.push_back({names_[i][rank], {}, [file, rank](const report::TraceAnalyst& analyst, Interner& words) {
                           return recording_at(*file, rank, analyst, words);
                         }});
      }
    } else {
      files.push_back(
          {names_[i][0], [this, &input](const report::OpenEach& open_each) { return read_timeline(input, context_, open_each); }, {}});
    }
  }
  return files;
}

Result<std::vector<report::FleetEntry>> RankInputs::fleet(std::vector<std::string>& notes) {
  std::vector<std::string> names;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // input, rank
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    for (std::size_t rank = 0; rank < names_[i].size(); ++rank) {
      names.push_back(names_[i][rank]);
      places.emplace_back(i, rank);
    }
  }
  std::vector<report::FleetEntry> entries;
  std::optional<Error> first;
  for (const std::size_t at : report::last_recordings(names, notes)) {
    const auto [i, rank] = places[at];
    if (opened_[i] && *opened_[i]) {
      entries.push_back({*opened_[i], rank});
      continue;
    }
    Result<SummaryFile> made = opened_[i] ? summaries_of(std::move(inputs_[i]), context_, "") : Failure{opened_[i].error()};
    if (!made) {
      if (!first) first = made.error();
      notes.push_back(fmt::format("{} is left out: {}", printable(names[at]), made.error().message));
      continue;
    }
    const auto file = std::make_shared<const SummaryFile>(std::move(*made));
    for (std::size_t one = 0; one < file->ranks(); ++one) entries.push_back({file, one});
  }
  if (entries.empty() && first) return Failure{*first};
  return entries;
}

Result<std::vector<model::RankSummary>> summarise(Input input, Context& context, const std::string& node) {
  TRY_ASSIGN(const report::TraceAnalyst* analyst, context.traces());
  const std::string trace = input.source.name();
  TRY_ASSIGN(model::Timeline timeline, read_timeline(input, context, context.options().progress));
  Interner words;
  std::vector<model::RankSummary> summaries;
  for (const report::RankRecording& one : analyst->analyse_ranks(std::move(timeline), words))
    summaries.push_back(report::summary_of(one, words, node.empty() ? report::node_in_name(trace) : node));
  return summaries;
}

Result<SummaryFile> summaries_of(Input input, Context& context, const std::string& node) {
  std::string name = input.source.name();
  TRY_ASSIGN(const std::vector<model::RankSummary> ranks, summarise(std::move(input), context, node));
  return SummaryFile::open(std::move(name), ingest::random_access_holding(ingest::rank_summary::packed(ranks)));
}

Result<SummaryFile> open_summaries(Input& input) {
  const std::string& path = input.source.path();
  if (!path.empty() && input.format && input.match == ingest::Match::certain) {
    const Result<std::shared_ptr<const ingest::RandomAccess>> file = ingest::open_random_access(path);
    // Packed files are held in memory, below.
    if (file) {
      Result<SummaryFile> opened = SummaryFile::open(input.source.name(), std::make_shared<Reopened>(path, (*file)->size()));
      if (opened) return opened;
    }
  }
  TRY_ASSIGN(std::shared_ptr<const ingest::RandomAccess> bytes, input.source.random_access_to_content(largest_in_memory));
  return SummaryFile::open(input.source.name(), std::move(bytes));
}

}  // namespace frx::analyse
