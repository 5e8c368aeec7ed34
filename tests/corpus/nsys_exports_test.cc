// Kernels of real exports by name against the same sums made by SQLite itself.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>

#include "derive/trace/name_times.h"
#include "ingest/nsys/read_export.h"
#include "ingest/source.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

namespace fs = std::filesystem;

struct Sum {
  std::int64_t calls = 0, total = 0, shortest = 0, longest = 0;
  bool operator==(const Sum&) const = default;
};

// A row for each name; none where the export has no such table.
std::map<std::string, Sum> sums_by_sqlite(const fs::path& file) {
  std::map<std::string, Sum> sums;
  sqlite3* database = nullptr;
  sqlite3_open_v2(("file:" + file.string() + "?immutable=1").c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  sqlite3_stmt* statement = nullptr;
  const char* const query =
      "SELECT s.value, count(*), sum(k.end - k.start), min(k.end - k.start), max(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
      "JOIN StringIds s ON s.id = k.demangledName GROUP BY s.value";
  if (sqlite3_prepare_v2(database, query, -1, &statement, nullptr) == SQLITE_OK) {
    while (sqlite3_step(statement) == SQLITE_ROW)
      sums[reinterpret_cast<const char*>(sqlite3_column_text(statement, 0))] = {
          sqlite3_column_int64(statement, 1), sqlite3_column_int64(statement, 2), sqlite3_column_int64(statement, 3),
          sqlite3_column_int64(statement, 4)};
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return sums;
}

std::map<std::string, Sum> sums_by_us(const fs::path& file) {
  std::map<std::string, Sum> sums;
  ingest::Source source = ingest::Source::at(file.string());
  const Result<model::Timeline> timeline =
      ingest::nsys::read_export(file.string(), source.random_access_to_content(std::uint64_t{4} << 30).value(), {}, {}, true);
  if (!timeline) {
    ADD_FAILURE() << to_string(timeline.error());
    return sums;
  }
  for (const model::NameTimes& row : derive::trace::times_by_name(*timeline, {model::EventKind::kernel}))
    sums[row.name] = {static_cast<std::int64_t>(row.calls), static_cast<std::int64_t>(*row.total_ns),
                      static_cast<std::int64_t>(*row.shortest_ns), static_cast<std::int64_t>(*row.longest_ns)};
  return sums;
}

// cgp R8
TEST(NsysExportCorpus, KernelsByNameAreThoseThatSqliteSums) {
  FRX_NEEDS_CORPUS();
  std::size_t files = 0, kernels = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(*testing::corpus() / "nsys")) {
    if (entry.path().extension() != ".sqlite") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const std::map<std::string, Sum> expected = sums_by_sqlite(entry.path());
    EXPECT_EQ(sums_by_us(entry.path()), expected);
    ++files;
    kernels += expected.size();
  }
  if (files == 0) GTEST_SKIP() << "the corpus has no exports of Nsight Systems";
  EXPECT_GE(kernels, files);
}

}  // namespace
}  // namespace frx::corpus
