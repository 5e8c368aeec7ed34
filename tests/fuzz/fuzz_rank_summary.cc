// Files of rank summaries. Whatever the bytes, they are refused in one line or give ranks that can be packed again, judged and compared.
#include "base/pack.h"
#include "fuzz/input.h"
#include "ingest/rank_summary/layout.h"
#include "ingest/rank_summary/summary_file.h"
#include "ingest/run_bundle/zip_fields.h"
#include "report/rank_recording.h"

namespace {

using frx::fuzz::require;
namespace rank_summary = frx::ingest::rank_summary;

const frx::report::TraceAnalyst& trace_analyst() {
  static const std::unique_ptr<frx::report::TraceAnalyst> made = frx::report::TraceAnalyst::create("").value();
  return *made;
}

// A changed byte would be refused for its checksum alone: what the checksums are of is mended, so that what stands behind them is reached.
std::string mended(std::string bytes) {
  const auto set = [&](std::size_t at, std::string_view of) {
    std::string crc;
    frx::put_fixed(crc, rank_summary::crc_of(of), 4);
    bytes.replace(at, 4, crc);
  };
  if (bytes.size() < rank_summary::fixed_head) return bytes;
  const std::uint64_t ranks = frx::ingest::little_endian(bytes, 12, 4);
  const std::uint64_t directory = rank_summary::fixed_head + ranks * rank_summary::directory_row;
  if (ranks > 100 || directory + 4 > bytes.size()) return bytes;
  set(directory, std::string_view(bytes).substr(0, directory));
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const std::size_t row = rank_summary::fixed_head + rank * rank_summary::directory_row;
    const std::uint64_t offset = frx::ingest::little_endian(bytes, row, 8), begin = directory + 4 + offset;
    if (offset > bytes.size() || begin + 4 > bytes.size()) continue;
    const std::uint64_t count = frx::ingest::little_endian(bytes, begin, 4), table = 4 + count * rank_summary::table_row;
    if (count > 1000 || begin + table + 4 > bytes.size()) continue;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t at = begin + 4 + i * rank_summary::table_row;
      const std::uint64_t from = frx::ingest::little_endian(bytes, at + 24, 8), size = frx::ingest::little_endian(bytes, at + 32, 8);
      if (from > bytes.size() || size > bytes.size() || begin + from + size > bytes.size()) continue;
      set(at + 48, std::string_view(bytes).substr(begin + from, size));
    }
    set(begin + table, std::string_view(bytes).substr(begin, table));
  }
  return bytes;
}

void check(std::string_view bytes) {
  const auto file = rank_summary::SummaryFile::open("fuzz", frx::ingest::random_access_to(bytes));
  if (!file) return require(!file.error().message.empty() && file.error().message.find('\n') == std::string::npos);
  std::vector<frx::model::RankSummary> ranks;
  frx::Interner words;
  for (std::size_t i = 0; i < file->ranks(); ++i) {
    auto rank = file->whole(i);
    if (!rank) return require(rank.error().where == "fuzz");
    if (const auto recording = trace_analyst().analyse_rank(*rank, words)) require(recording->report != nullptr);
    ranks.push_back(std::move(*rank));
  }
  const std::string again = rank_summary::packed(ranks);
  const auto read = rank_summary::SummaryFile::open("again", frx::ingest::random_access_to(again));
  require(read.has_value() && read->ranks() <= ranks.size());
  for (std::size_t i = 0; i < read->ranks(); ++i) {
    const auto rank = read->whole(i);
    require(rank.has_value() && std::ranges::find(ranks, *rank) != ranks.end());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  check(input.text());
  check(mended(std::string(input.text())));
  return 0;
}
