// The container of an Nsight Compute report (.ncu-rep, earlier .nsight-cuprof-report): blocks of a
// header, sources (the code that ran) and results (one per profiled launch), read front to back.
//
//   "NVR\0"  u32 size, FileHeader
//   then, until the end of the file:
//     u32 size, BlockHeader {1 sources, 2 results, 3 session, 4 strings, 5 payload bytes, 6 process, 7 ranges}
//     payload: u32 size, SourceData   (sources times)
//              u32 size, ProfileResult (results + ranges times)
//
// All integers are little endian. There is no checksum and no index.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "ingest/ncu_report/chunk_reader.h"

namespace frx::ingest::nsight {

// The bytes of a message, and their position in the file.
struct Message {
  std::string_view bytes;
  std::uint64_t offset = 0;
};

struct Entry {
  enum class Kind : std::uint8_t {
    block,
    source,
    result,
    passed_over
  };  // passed_over: a source or a result that is too large; without bytes
  Kind kind = Kind::block;
  Message message;
};

// Entries that follow one another in the file, in memory that stays as it is while others are read.
struct EntryBatch {
  std::vector<Entry> entries;
  std::uint64_t end = 0;         // where they end in the file
  std::optional<Error> failure;  // why there are no more
  ChunkReader::Memory memory;
};

bool begins_report(std::string_view head);

// The entries of a file in its order. Errors name the byte at which the file becomes invalid.
class ReportFile {
 public:
  explicit ReportFile(ByteSource& source) : bytes_(source), size_(source.size_hint()) {}

  // The beginning of the file; called first.
  Result<> header();
  // As many whole entries as are in memory, at least one. False at the end of the file, and after a failure.
  bool next(EntryBatch& batch);

 private:
  Result<bool> next_entry(Entry& entry);
  bool holds_next() const;
  Result<> block(Entry& entry);
  Result<> entry_of_block(Entry& entry);
  Result<std::uint64_t> length(std::string_view what, std::uint64_t limit);
  Result<std::string_view> exactly(std::uint64_t size, std::string_view what);

  ChunkReader bytes_;
  std::uint64_t size_;
  bool failed_ = false;
  // Of the block that is read: where it begins and ends, what its header says, and how many entries are left.
  std::uint64_t at_ = 0, end_ = 0, sources_ = 0, results_ = 0, payload_ = 0, left_ = 0;
  bool in_block_ = false;
  bool is_cut_ = false;  // the file ends before the block does
};

// Runs `read`, which decodes messages; an exception of protozero becomes an error at `offset`.
Result<> decoding(std::string_view what, std::uint64_t offset, const std::function<Result<>()>& read);

}  // namespace frx::ingest::nsight
