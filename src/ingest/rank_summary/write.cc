// Rank summaries into the bytes of a file.

#include <algorithm>
#include <functional>
#include <tuple>

#include "ingest/rank_summary/layout.h"
#include "ingest/rank_summary/summary_file.h"
#include "ingest/zlib_bytes.h"

namespace frx::ingest::rank_summary {
namespace {

using model::RankCall;
using model::RankSummary;

// A rank of a file: its table and sections.
class RankBytes {
 public:
  void add(std::uint32_t kind, std::string_view bytes, std::span<const RankCall> calls = {}) {
    const std::string packed_bytes = zlib_packed(bytes);
    rows_.push_back({kind, calls.empty() ? 0 : calls.front().step, calls.empty() ? 0 : calls.back().step,
                     static_cast<std::uint32_t>(calls.size()), sections_.size(), packed_bytes.size(), bytes.size(), crc_of(packed_bytes)});
    sections_ += packed_bytes;
  }

  std::string take() && {
    std::string bytes;
    put_fixed(bytes, rows_.size(), 4);
    const std::uint64_t begin = 4 + rows_.size() * table_row + 4;
    for (const SummaryFile::Section& row : rows_) {
      put_fixed(bytes, row.kind, 4);
      put_fixed(bytes, static_cast<std::uint64_t>(row.first_step), 8);
      put_fixed(bytes, static_cast<std::uint64_t>(row.last_step), 8);
      put_fixed(bytes, row.calls, 4);
      put_fixed(bytes, begin + row.offset, 8);
      put_fixed(bytes, row.packed, 8);
      put_fixed(bytes, row.size, 8);
      put_fixed(bytes, row.crc, 4);
    }
    put_fixed(bytes, crc_of(bytes), 4);
    return bytes + sections_;
  }

 private:
  std::vector<SummaryFile::Section> rows_;  // offsets from the end of the table
  std::string sections_;
};

// One column after the other, each as differences to the call before: most of them are small, and those of a loop repeat.
std::string columns_of(std::span<const RankCall> calls) {
  Packer out;
  const auto column = [&](auto value_of) {
    std::uint64_t before = 0;
    for (const RankCall& call : calls) {
      const auto value = static_cast<std::uint64_t>(value_of(call));
      out.number(folded(static_cast<std::int64_t>(value - before)));
      before = value;
    }
  };
  column(std::mem_fn(&RankCall::what));
  column(std::mem_fn(&RankCall::group));
  column(std::mem_fn(&RankCall::step));
  column(std::mem_fn(&RankCall::start));
  column(std::mem_fn(&RankCall::duration));
  column(std::mem_fn(&RankCall::stream));
  return std::move(out.bytes);
}

// Whole steps, as many as fit.
void add_blocks(std::span<const RankCall> calls, RankBytes& rank) {
  const auto end_of_step = [&](std::size_t at) {
    const auto next = std::ranges::upper_bound(calls.subspan(at), calls[at].step, {}, &RankCall::step);
    return static_cast<std::size_t>(next - calls.begin());
  };
  for (std::size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
    end = end_of_step(begin);
    while (end < calls.size() && end_of_step(end) - begin <= calls_in_block) end = end_of_step(end);
    const std::span<const RankCall> block = calls.subspan(begin, end - begin);
    rank.add(calls_section, columns_of(block), block);
  }
}

std::string bytes_of(const RankSummary& rank) {
  RankBytes bytes;
  Packer head, words;
  RankSummary copy{rank.head, rank.words, rank.shapes, {}, {}};  // what is packed is not const
  head(copy.head);
  words(copy.words, copy.shapes);
  bytes.add(head_section, head.bytes);
  bytes.add(words_section, words.bytes);
  bytes.add(recording_section, rank.recording);
  std::vector<RankCall> calls = rank.calls;
  std::ranges::stable_sort(calls, {}, &RankCall::step);
  add_blocks(calls, bytes);
  return std::move(bytes).take();
}

// What decides the place of a rank in a file.
struct Keyed {
  std::optional<std::int64_t> rank;
  std::string trace, bytes;

  auto key() const { return std::tie(rank, trace, bytes); }
};

std::string file_of(std::vector<Keyed> ranks) {
  std::ranges::sort(ranks, {}, &Keyed::key);
  const auto again = std::ranges::unique(ranks, {}, &Keyed::key);  // what was merged twice
  ranks.erase(again.begin(), again.end());
  std::string file(magic);
  put_fixed(file, version, 4);
  put_fixed(file, ranks.size(), 4);
  std::uint64_t offset = 0;
  for (const Keyed& one : ranks) {
    put_fixed(file, offset, 8);
    put_fixed(file, one.bytes.size(), 8);
    offset += one.bytes.size();
  }
  put_fixed(file, crc_of(file), 4);
  for (const Keyed& one : ranks) file += one.bytes;
  return file;
}

}  // namespace

std::string packed(std::span<const RankSummary> ranks) {
  std::vector<Keyed> all;
  for (const RankSummary& rank : ranks) all.push_back({rank.head.rank, rank.head.trace, bytes_of(rank)});
  return file_of(std::move(all));
}

Result<std::string> merged(std::span<const SummaryFile> files) {
  std::vector<Keyed> all;
  for (const SummaryFile& file : files) {
    for (std::size_t i = 0; i < file.ranks(); ++i) {
      TRY_ASSIGN(const model::RankSummary checked, file.whole(i));
      TRY_ASSIGN(std::string bytes, file.bytes_at(file.data_ + file.ranks_[i].offset, file.ranks_[i].size));
      all.push_back({checked.head.rank, checked.head.trace, std::move(bytes)});
    }
  }
  return file_of(std::move(all));
}

}  // namespace frx::ingest::rank_summary
