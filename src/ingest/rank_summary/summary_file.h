// A file of rank summaries (.frxsum): written in one piece, read as a whole or block by block.
//
//   89 46 52 58 53 55 4D 0A                    "\x89FRXSUM\n"
//   version, ranks                             4 bytes each; all numbers of fixed width begin with the lowest byte
//   for each rank: offset, size               8 bytes each
//   CRC-32 of everything before                4 bytes
//   the ranks, one after the other
//
// A rank is a table of its sections and the sections. A row of the table says what a section is, its first and last step and how many calls
// it has (blocks of calls), its offset, its sizes packed and unpacked, and the CRC-32 of the packed bytes; at the end of the table stands
// the CRC-32 of the table. A section is packed by zlib. Calls lie in blocks of whole steps, by columns, as differences to the call before:
// a reader of ten thousand ranks holds one block of each. Offsets of ranks count from the end of the directory, those of sections from the
// begin of the rank, so that ranks of several files can be put into one without being unpacked.
// docs/adr/0027-ranks-are-summarised-where-they-lie.md says why.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/run_bundle/random_access.h"
#include "model/rank_summary.h"

namespace frx::ingest::rank_summary {

inline constexpr std::string_view magic =
    "\x89"
    "FRXSUM\n";
inline constexpr std::uint32_t version = 1;
inline constexpr std::string_view ending = ".frxsum";
// Calls of a block: whole steps, at least one, and not many more calls than this.
inline constexpr std::size_t calls_in_block = 512;

// The bytes of a file. `ranks`: any order; those of equal contents are equal bytes. Calls of one step lie together.
std::string packed(std::span<const model::RankSummary> ranks);

// One that is open. Everything that is read is checked; errors name the file and what was expected.
class SummaryFile {
 public:
  static Result<SummaryFile> open(std::string name, std::shared_ptr<const RandomAccess> bytes);

  const std::string& name() const { return name_; }
  std::size_t ranks() const { return ranks_.size(); }

  Result<model::RankHead> head(std::size_t rank) const;
  Result<model::RankSummary> whole(std::size_t rank) const;

  // A part of a rank that is packed and checked by itself.
  struct Section {
    std::uint32_t kind = 0;
    std::int64_t first_step = 0, last_step = 0;  // of calls
    std::uint32_t calls = 0;
    std::uint64_t offset = 0;  // in the file
    std::uint64_t packed = 0, size = 0;
    std::uint32_t crc = 0;
  };
  // Everything but calls and recording, and where the calls are: as blocks() says.
  struct WithoutCalls {
    model::RankSummary summary;
    std::vector<Section> blocks;
  };
  Result<WithoutCalls> without_calls(std::size_t rank) const;
  // Those that hold calls, by step: the steps of one end before those of the next begin.
  Result<std::vector<Section>> blocks(std::size_t rank) const;
  // `words`: how many the rank has.
  Result<std::vector<model::RankCall>> calls(const Section& block, std::size_t words) const;

 private:
  struct Place {
    std::uint64_t offset = 0, size = 0;
  };
  Result<> read_directory();
  Result<std::vector<Section>> sections(std::size_t rank) const;
  Result<std::vector<Section>> blocks_in(std::vector<Section> all) const;
  Result<std::string> content(const Section& section) const;
  Result<std::string> content(std::span<const Section> sections, std::uint32_t kind) const;
  Result<model::RankHead> head(std::span<const Section> sections) const;
  Result<> add_words(std::span<const Section> sections, model::RankSummary& rank) const;
  Result<std::string> bytes_at(std::uint64_t offset, std::uint64_t size) const;
  Failure damaged(std::string_view what) const;
  friend Result<std::string> merged(std::span<const SummaryFile> files);

  std::string name_;
  std::shared_ptr<const RandomAccess> bytes_;
  std::uint64_t data_ = 0;  // where the first rank begins
  std::vector<Place> ranks_;
};

// All ranks of the files as one file: by rank, then by the name of the trace. The order of the files does not matter, nor does it matter
// which of them were merged before. Errors: a file is damaged.
Result<std::string> merged(std::span<const SummaryFile> files);

}  // namespace frx::ingest::rank_summary
