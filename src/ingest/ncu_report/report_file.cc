#include "ingest/ncu_report/report_file.h"

#include <cstring>

#include "ingest/ncu_report/chunk_reader.h"
#include "ingest/ncu_report/fields.h"

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

class Walk {
 public:
  Walk(ByteSource& source, BlockVisitor& visitor, const std::function<void(std::uint64_t)>& progress)
      : bytes_(source), size_(source.size_hint()), visitor_(visitor), progress_(progress) {}

  Result<> file() {
    TRY(file_header());
    while (true) {
      TRY_ASSIGN(const bool done, bytes_.at_end());
      if (done) return {};
      TRY(block());
      if (progress_) progress_(bytes_.offset());
    }
  }

 private:
  Result<> file_header() {
    TRY_ASSIGN(const std::string_view start, bytes_.take(magic.size()));
    if (start != magic) return fail(ErrorKind::malformed, "expected the magic bytes of an Nsight Compute report");
    TRY_ASSIGN(const std::uint64_t size, length("file header", max_header_bytes));
    TRY_ASSIGN(const std::string_view header, exactly(size, "file header"));
    std::uint64_t version = 0;
    TRY(decoding("file header", magic.size(), [&]() -> Result<> {
      for (Fields field(header); field.next();) field.number() == 1 ? void(version = field.integer()) : field.skip();
      return {};
    }));
    if (version != known_version) {
      return fail(ErrorKind::malformed, "report file version {} where {} is known", version, known_version)
          .hint("export it with the tool that wrote it: ncu --import report.ncu-rep --csv --page raw");
    }
    return {};
  }

  Result<> block() {
    const std::uint64_t at = bytes_.offset();
    TRY_ASSIGN(const std::uint64_t size, length("block header", max_header_bytes));
    TRY_ASSIGN(const std::string_view bytes, exactly(size, "block header"));
    BlockHeader header;
    TRY(decoding("block header", at, [&]() -> Result<> {
      header = read_block_header(bytes);
      return visitor_.block({bytes, at});
    }));
    const std::uint64_t begin = bytes_.offset();
    if (size_ > 0 && header.payload > size_ - std::min(size_, begin)) return cut_off("block", header.payload, size_ - begin);
    const std::uint64_t end = begin + header.payload;
    std::uint64_t left = header.sources + header.results;
    for (; left > 0 && bytes_.offset() < end; --left) TRY(entry(left > header.results, end));
    if (left == 0 && bytes_.offset() == end) return {};
    return fail(ErrorKind::malformed, "the block at byte {} promises {} sources and {} results in {} bytes and holds others", at,
                header.sources, header.results, header.payload);
  }

  Result<> entry(bool is_source, std::uint64_t end) {
    const std::string_view what = is_source ? "source" : "result";
    TRY_ASSIGN(const std::uint64_t size, length(what, end - std::min(end, bytes_.offset() + 4)));
    const std::uint64_t at = bytes_.offset();
    if (size > max_entry_bytes) {
      TRY_ASSIGN(const std::uint64_t skipped, bytes_.skip(size));
      if (skipped < size) return cut_off(what, size, skipped);
      visitor_.passed_over(size);
      return {};
    }
    TRY_ASSIGN(const std::string_view bytes, exactly(size, what));
    return decoding(what, at, [&] { return is_source ? visitor_.source({bytes, at}) : visitor_.result({bytes, at}); });
  }

  Result<std::uint64_t> length(std::string_view what, std::uint64_t limit) {
    const std::uint64_t at = bytes_.offset();
    TRY_ASSIGN(const std::string_view bytes, exactly(4, what));
    std::uint32_t size = 0;
    for (int i = 3; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    if (size > limit) {
      return fail(ErrorKind::malformed, "a {} of {} bytes at byte {} where at most {} fit", what, size, at, limit)
          .hint("is the file complete? compare its size with the original");
    }
    return std::uint64_t{size};
  }

  Result<std::string_view> exactly(std::uint64_t size, std::string_view what) {
    TRY_ASSIGN(const std::string_view bytes, bytes_.take(size));
    if (bytes.size() < size) return cut_off(what, size, bytes.size());
    return bytes;
  }

  Failure cut_off(std::string_view what, std::uint64_t expected, std::uint64_t found) const {
    return fail(ErrorKind::malformed, "the file ends inside a {}: expected {} bytes more, found {}", what, expected, found)
        .hint("the copy is incomplete or the profiled run was killed; copy the report again");
  }

  ChunkReader bytes_;
  std::uint64_t size_;
  BlockVisitor& visitor_;
  const std::function<void(std::uint64_t)>& progress_;
};

}  // namespace

bool begins_report(std::string_view head) { return head.starts_with(magic); }

Result<> read_report_file(ByteSource& source, BlockVisitor& visitor, const std::function<void(std::uint64_t)>& progress) {
  return Walk(source, visitor, progress).file();
}

Result<> decoding(std::string_view what, std::uint64_t offset, const std::function<Result<>()>& read) {
  try {
    return read();
  } catch (const protozero::exception& error) {
    return fail(ErrorKind::malformed, "the {} at byte {} is damaged ({})", what, offset, error.what());
  }
}

}  // namespace frx::ingest::nsight
