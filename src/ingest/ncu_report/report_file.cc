#include "ingest/ncu_report/report_file.h"

#include <algorithm>

#include "ingest/ncu_report/fields.h"
#include "ingest/run_bundle/zip_fields.h"

namespace frx::ingest::nsight {
namespace {

constexpr std::string_view magic("NVR\0", 4);
constexpr std::uint64_t known_version = 7;  // of every report from 2018 to 2026
constexpr std::uint64_t max_header_bytes = std::uint64_t{64} << 20;
// Real results are below 10 MB and real sources below 100 MB; larger ones are skipped.
constexpr std::uint64_t max_entry_bytes = std::uint64_t{256} << 20;

struct BlockHeader {
  std::uint64_t sources = 0;
  std::uint64_t results = 0;
  std::uint64_t payload = 0;
};

BlockHeader read_block_header(std::string_view message) {
  BlockHeader header;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: header.sources = field.integer(); break;
      case 2:
      case 7: header.results += field.integer(); break;
      case 5: header.payload = field.integer(); break;
      default: field.skip();
    }
  }
  return header;
}

Failure cut_off(std::string_view what, std::uint64_t expected, std::uint64_t found) {
  return fail(ErrorKind::malformed, "the file ends inside a {}: expected {} bytes more, found {}", what, expected, found)
      .hint("the copy is incomplete or the profiled run was killed; copy the report again");
}

}  // namespace

Result<> ReportFile::header() {
  TRY_ASSIGN(const std::string_view start, bytes_.take(magic.size()));
  if (start != magic) return fail(ErrorKind::malformed, "expected the magic bytes of an Nsight Compute report");
  TRY_ASSIGN(const std::uint64_t size, length("file header", max_header_bytes));
  TRY_ASSIGN(const std::string_view bytes, exactly(size, "file header"));
  std::uint64_t version = 0;
  TRY(decoding("file header", magic.size(), [&]() -> Result<> {
    for (Fields field(bytes); field.next();) field.number() == 1 ? void(version = field.integer()) : field.skip();
    return {};
  }));
  if (version != known_version) {
    return fail(ErrorKind::malformed, "report file version {} where {} is known", version, known_version)
        .hint("export it with the tool that wrote it: ncu --import report.ncu-rep --csv --page raw");
  }
  return {};
}

bool ReportFile::next(EntryBatch& batch) {
  batch.entries.clear();
  batch.failure.reset();
  while (!failed_ && (batch.entries.empty() || holds_next())) {
    Entry entry;
    Result<bool> more = next_entry(entry);
    failed_ = !more;
    if (failed_) batch.failure = std::move(more).error();
    if (failed_ || !*more) break;
    batch.entries.push_back(entry);
  }
  batch.end = bytes_.offset();
  bytes_.exchange_memory(batch.memory);
  return !batch.entries.empty() || batch.failure;
}

// Whether the next entry can be read without touching the memory of those before it.
bool ReportFile::holds_next() const {
  const std::string_view ready = bytes_.buffered();
  return ready.size() >= sizeof(std::uint32_t) && ready.size() - sizeof(std::uint32_t) >= field32(ready, 0);
}

Result<bool> ReportFile::next_entry(Entry& entry) {
  if (is_cut_) return cut_off("block", payload_, size_ - bytes_.offset());
  if (in_block_ && left_ > 0 && bytes_.offset() < end_) {
    TRY(entry_of_block(entry));
    return true;
  }
  if (in_block_ && (left_ > 0 || bytes_.offset() != end_)) {
    return fail(ErrorKind::malformed, "the block at byte {} promises {} sources and {} results in {} bytes and holds others", at_, sources_,
                results_, payload_);
  }
  in_block_ = false;
  TRY_ASSIGN(const bool done, bytes_.at_end());
  if (done) return false;
  TRY(block(entry));
  return true;
}

Result<> ReportFile::block(Entry& entry) {
  at_ = bytes_.offset();
  TRY_ASSIGN(const std::uint64_t size, length("block header", max_header_bytes));
  TRY_ASSIGN(const std::string_view bytes, exactly(size, "block header"));
  BlockHeader header;
  TRY(decoding("block header", at_, [&]() -> Result<> {
    header = read_block_header(bytes);
    return {};
  }));
  entry = {Entry::Kind::block, {bytes, at_}};
  sources_ = header.sources;
  results_ = header.results;
  payload_ = header.payload;
  left_ = sources_ + results_;
  end_ = bytes_.offset() + payload_;
  is_cut_ = size_ > 0 && payload_ > size_ - std::min(size_, bytes_.offset());
  in_block_ = true;
  return {};
}

Result<> ReportFile::entry_of_block(Entry& entry) {
  const bool is_source = left_ > results_;
  const std::string_view what = is_source ? "source" : "result";
  TRY_ASSIGN(const std::uint64_t size, length(what, end_ - std::min(end_, bytes_.offset() + 4)));
  const std::uint64_t at = bytes_.offset();
  --left_;
  if (size > max_entry_bytes) {
    TRY_ASSIGN(const std::uint64_t skipped, bytes_.skip(size));
    if (skipped < size) return cut_off(what, size, skipped);
    entry = {Entry::Kind::passed_over, {{}, at}};
    return {};
  }
  TRY_ASSIGN(const std::string_view bytes, exactly(size, what));
  entry = {is_source ? Entry::Kind::source : Entry::Kind::result, {bytes, at}};
  return {};
}

Result<std::uint64_t> ReportFile::length(std::string_view what, std::uint64_t limit) {
  const std::uint64_t at = bytes_.offset();
  TRY_ASSIGN(const std::string_view bytes, exactly(4, what));
  const std::uint32_t size = field32(bytes, 0);
  if (size > limit) {
    return fail(ErrorKind::malformed, "a {} of {} bytes at byte {} where at most {} fit", what, size, at, limit)
        .hint("is the file complete? compare its size with the original");
  }
  return std::uint64_t{size};
}

Result<std::string_view> ReportFile::exactly(std::uint64_t size, std::string_view what) {
  TRY_ASSIGN(const std::string_view bytes, bytes_.take(size));
  if (bytes.size() < size) return cut_off(what, size, bytes.size());
  return bytes;
}

bool begins_report(std::string_view head) { return head.starts_with(magic); }

Result<> decoding(std::string_view what, std::uint64_t offset, const std::function<Result<>()>& read) {
  try {
    return read();
  } catch (const protozero::exception& error) {
    return fail(ErrorKind::malformed, "the {} at byte {} is damaged ({})", what, offset, error.what());
  }
}

}  // namespace frx::ingest::nsight
