#include "ingest/rank_summary/summary_file.h"

#include <algorithm>

#include "base/text.h"
#include "ingest/rank_summary/layout.h"
#include "ingest/run_bundle/zip_fields.h"
#include "ingest/zlib_bytes.h"

namespace frx::ingest::rank_summary {
namespace {

using model::RankCall;

// zlib packs no more than this into a byte; a size that says otherwise is a lie.
constexpr std::uint64_t most_per_byte = 1100, largest_section = std::uint64_t{1} << 30;

// The differences of a column become its values again.
template <typename Set>
void read_column(Unpacker& in, std::size_t count, Set set) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value += static_cast<std::uint64_t>(unfolded(in.number()));
    set(i, value);
  }
}

bool is_sound(const RankCall& call, std::size_t words) {
  std::int64_t end = 0;
  return call.what < words && (call.group < words || call.group == RankCall::no_group) &&
         !__builtin_add_overflow(call.start, call.duration, &end);
}

}  // namespace

Failure SummaryFile::damaged(std::string_view what) const {
  return fail(ErrorKind::malformed, "the rank summary is damaged: {}", what)
      .at(name_)
      .hint("copy the file again, or write it again: frx summarise TRACE -o FILE");
}

Result<std::string> SummaryFile::bytes_at(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_->size() || size > bytes_->size() - offset) return damaged("it ends early");
  std::string bytes(size, '\0');
  if (const Result<> done = bytes_->read_at(offset, bytes); !done) {
    if (done.error().kind == ErrorKind::malformed) return damaged("it ends early");
    return Failure{done.error()}.at(name_);
  }
  return bytes;
}

Result<SummaryFile> SummaryFile::open(std::string name, std::shared_ptr<const RandomAccess> bytes) {
  SummaryFile file;
  file.name_ = std::move(name);
  file.bytes_ = std::move(bytes);
  TRY(file.read_directory());
  return file;
}

Result<> SummaryFile::read_directory() {
  TRY_ASSIGN(std::string head, bytes_at(0, std::min<std::uint64_t>(fixed_head, bytes_->size())));
  if (!head.starts_with(magic)) return fail(ErrorKind::malformed, "expected a rank summary of frx").at(name_);
  if (head.size() < fixed_head) return damaged("it ends early");
  const std::uint64_t found = little_endian(head, magic.size(), 4), ranks = little_endian(head, magic.size() + 4, 4);
  if (found != version) {
    return fail(ErrorKind::malformed, "the rank summary has version {}, and this frx reads version {}", found, version)
        .at(name_)
        .hint(found > version ? "read it with a newer frx" : "write it again: frx summarise TRACE -o FILE");
  }
  if (ranks == 0 || ranks > most_ranks) return damaged(fmt::format("it says that it holds {} ranks", ranks));
  TRY_ASSIGN(const std::string directory, bytes_at(0, fixed_head + ranks * directory_row + 4));
  const std::size_t end = directory.size() - 4;
  if (crc_of(std::string_view(directory).substr(0, end)) != little_endian(directory, end, 4))
    return damaged("the checksum of its head is wrong");
  data_ = directory.size();
  const std::uint64_t left = bytes_->size() - data_;
  for (std::size_t at = fixed_head; at < end; at += directory_row) {
    const Place place{little_endian(directory, at, 8), little_endian(directory, at + 8, 8)};
    if (place.offset > left || place.size > left - place.offset) return damaged("it ends early");
    ranks_.push_back(place);
  }
  return {};
}

Result<std::vector<SummaryFile::Section>> SummaryFile::sections(std::size_t rank) const {
  const Place place = ranks_[rank];
  const std::uint64_t begin = data_ + place.offset;
  if (place.size < 8) return damaged("a rank is too small");
  TRY_ASSIGN(const std::string number, bytes_at(begin, 4));
  const std::uint64_t count = little_endian(number, 0, 4);
  if (count > most_sections || 4 + count * table_row + 4 > place.size) return damaged("a table is larger than its rank");
  TRY_ASSIGN(const std::string table, bytes_at(begin, 4 + count * table_row + 4));
  const std::size_t end = table.size() - 4;
  if (crc_of(std::string_view(table).substr(0, end)) != little_endian(table, end, 4)) return damaged("the checksum of a table is wrong");
  std::vector<Section> sections;
  for (std::size_t at = 4; at < end; at += table_row) {
    Section section{static_cast<std::uint32_t>(little_endian(table, at, 4)),
                    static_cast<std::int64_t>(little_endian(table, at + 4, 8)),
                    static_cast<std::int64_t>(little_endian(table, at + 12, 8)),
                    static_cast<std::uint32_t>(little_endian(table, at + 20, 4)),
                    little_endian(table, at + 24, 8),
                    little_endian(table, at + 32, 8),
                    little_endian(table, at + 40, 8),
                    static_cast<std::uint32_t>(little_endian(table, at + 48, 4))};
    if (section.offset > place.size || section.packed > place.size - section.offset) return damaged("a section lies beyond its rank");
    if (section.size > largest_section || section.size > (section.packed + 1) * most_per_byte)
      return damaged("the size of a section is a lie");
    section.offset += begin;
    sections.push_back(section);
  }
  return sections;
}

Result<std::string> SummaryFile::content(const Section& section) const {
  TRY_ASSIGN(const std::string bytes, bytes_at(section.offset, section.packed));
  if (crc_of(bytes) != section.crc) return damaged("the checksum of a section is wrong");
  std::optional<std::string> unpacked = zlib_unpacked(bytes, section.size);
  if (!unpacked) return damaged("a section cannot be unpacked");
  return std::move(*unpacked);
}

Result<std::string> SummaryFile::content(std::span<const Section> sections, std::uint32_t kind) const {
  const auto found = std::ranges::find(sections, kind, &Section::kind);
  if (found == sections.end()) return damaged("a section is missing");
  return content(*found);
}

Result<model::RankHead> SummaryFile::head(std::span<const Section> sections) const {
  TRY_ASSIGN(const std::string bytes, content(sections, head_section));
  Unpacker in(bytes);
  model::RankHead head;
  in(head);
  if (!in.ok()) return damaged("what it says of a rank cannot be read");
  if (!std::ranges::is_sorted(head.steps)) return damaged("the steps of a rank are in disorder");
  if (head.rank && *head.rank < 0) return damaged("a rank has a negative number");
  return head;
}

Result<model::RankHead> SummaryFile::head(std::size_t rank) const {
  TRY_ASSIGN(const std::vector<Section> all, sections(rank));
  return head(all);
}

Result<> SummaryFile::add_words(std::span<const Section> sections, model::RankSummary& rank) const {
  TRY_ASSIGN(const std::string bytes, content(sections, words_section));
  Unpacker in(bytes);
  in(rank.words, rank.shapes);
  const bool sound = std::ranges::all_of(rank.shapes, [&](const model::CollectiveShape& one) { return one.what < rank.words.size(); });
  if (!in.ok() || !sound) return damaged("the names of a rank cannot be read");
  return {};
}

Result<SummaryFile::WithoutCalls> SummaryFile::without_calls(std::size_t rank) const {
  TRY_ASSIGN(std::vector<Section> all, sections(rank));
  WithoutCalls read;
  TRY_ASSIGN(read.summary.head, head(all));
  TRY(add_words(all, read.summary));
  TRY_ASSIGN(read.blocks, blocks_in(std::move(all)));
  return read;
}

Result<std::vector<SummaryFile::Section>> SummaryFile::blocks(std::size_t rank) const {
  TRY_ASSIGN(std::vector<Section> all, sections(rank));
  return blocks_in(std::move(all));
}

Result<std::vector<SummaryFile::Section>> SummaryFile::blocks_in(std::vector<Section> all) const {
  std::erase_if(all, [](const Section& section) { return section.kind != calls_section; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool in_order = all[i].first_step <= all[i].last_step && (i == 0 || all[i - 1].last_step < all[i].first_step);
    if (!in_order) return damaged("the steps of a rank are in disorder");
  }
  return all;
}

Result<std::vector<RankCall>> SummaryFile::calls(const Section& block, std::size_t words) const {
  TRY_ASSIGN(const std::string bytes, content(block));
  if (block.calls == 0 || block.calls > bytes.size()) return damaged("a block says a wrong number of calls");
  std::vector<RankCall> calls(block.calls);
  Unpacker in(bytes);
  bool fits = true;
  const auto narrow = [&](std::uint64_t value) {
    fits = fits && value <= UINT32_MAX;
    return static_cast<std::uint32_t>(value);
  };
  read_column(in, calls.size(), [&](std::size_t i, std::uint64_t value) { calls[i].what = narrow(value); });
  read_column(in, calls.size(), [&](std::size_t i, std::uint64_t value) { calls[i].group = narrow(value); });
  read_column(in, calls.size(), [&](std::size_t i, std::uint64_t value) { calls[i].step = static_cast<std::int64_t>(value); });
  read_column(in, calls.size(), [&](std::size_t i, std::uint64_t value) { calls[i].start = static_cast<std::int64_t>(value); });
  read_column(in, calls.size(), [&](std::size_t i, std::uint64_t value) { calls[i].duration = static_cast<std::int64_t>(value); });
  read_column(in, calls.size(), [&](std::size_t i, std::uint64_t value) { calls[i].stream = static_cast<std::int64_t>(value); });
  if (!in.ok() || in.bytes_left() > 0 || !fits) return damaged("a block says a wrong number of calls");
  const bool sound = std::ranges::all_of(calls, [&](const RankCall& call) { return is_sound(call, words); });
  const bool in_order =
      std::ranges::is_sorted(calls, {}, &RankCall::step) && calls.front().step == block.first_step && calls.back().step == block.last_step;
  if (!sound || !in_order) return damaged("a block holds calls that cannot be");
  return calls;
}

Result<model::RankSummary> SummaryFile::whole(std::size_t rank) const {
  TRY_ASSIGN(const std::vector<Section> all, sections(rank));
  model::RankSummary summary;
  TRY_ASSIGN(summary.head, head(all));
  TRY(add_words(all, summary));
  TRY_ASSIGN(summary.recording, content(all, recording_section));
  TRY_ASSIGN(const std::vector<Section> parts, blocks_in(all));
  for (const Section& block : parts) {
    TRY_ASSIGN(const std::vector<RankCall> some, calls(block, summary.words.size()));
    summary.calls.insert(summary.calls.end(), some.begin(), some.end());
  }
  return summary;
}

}  // namespace frx::ingest::rank_summary
