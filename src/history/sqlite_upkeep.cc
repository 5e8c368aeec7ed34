// What keeps a database of a history small and whole.

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "history/record_of.h"
#include "history/sqlite_store.h"
#include "history/zipped.h"

namespace frx::history {
namespace {

constexpr std::int64_t records_at_once = 1000;
constexpr std::size_t most_faults = 100;

}  // namespace

// Few at a time, so that writers wait for a short while only. `which`: a condition on record r with up to three parameters.
Result<std::uint64_t> SqliteStore::remove_in_batches(std::string_view which, std::span<const std::int64_t> parameters) {
  std::uint64_t removed = 0;
  for (;;) {
    TRY_ASSIGN(Transaction transaction, Transaction::begin(connection_));
    std::int64_t changed = 0;
    {
      TRY_ASSIGN(Statement statement, connection_.prepare(fmt::format(
                                          "DELETE FROM record WHERE id IN (SELECT r.id FROM record r WHERE {} AND NOT EXISTS (SELECT 1 "
                                          "FROM baseline b WHERE b.record = r.id) LIMIT {})",
                                          which, records_at_once)));
      for (std::size_t i = 0; i < parameters.size(); ++i) statement.bind(static_cast<int>(i) + 1, parameters[i]);
      TRY(statement.run());
      changed = connection_.changes();
    }
    TRY(transaction.commit());
    removed += static_cast<std::uint64_t>(changed);
    if (changed < records_at_once) return removed;
  }
}

// Of each series the newest that goes is found once.
Result<std::uint64_t> SqliteStore::keep_newest(std::uint64_t keep) {
  std::vector<std::array<std::int64_t, 3>> newest_to_go;
  {
    TRY_ASSIGN(
        Statement statement,
        connection_.prepare("SELECT s.id, r.at_ms, r.id FROM series s JOIN record r ON r.id = (SELECT k.id FROM record k WHERE k.series = "
                            "s.id ORDER BY k.at_ms DESC, k.id DESC LIMIT 1 OFFSET ?1)"));
    // A negative OFFSET would be none.
    statement.bind(1, static_cast<std::int64_t>(std::min<std::uint64_t>(keep, std::numeric_limits<std::int64_t>::max())));
    TRY_ASSIGN(newest_to_go, statement.all([](const Statement& row) {
      return std::array<std::int64_t, 3>{row.integer(0), row.integer(1), row.integer(2)};
    }));
  }
  std::uint64_t removed = 0;
  for (const std::array<std::int64_t, 3>& one : newest_to_go) {
    TRY_ASSIGN(const std::uint64_t of_series, remove_in_batches("r.series = ?1 AND (r.at_ms, r.id) <= (?2, ?3)", one));
    removed += of_series;
  }
  return removed;
}

Result<std::uint64_t> SqliteStore::remove_before(std::int64_t at_ms) {
  {
    TRY_ASSIGN(Statement statement, connection_.prepare("DELETE FROM run_rank WHERE at_ms < ?1"));
    TRY(statement.bind(1, at_ms).run());
  }
  return remove_in_batches("r.at_ms < ?1", std::array<std::int64_t, 1>{at_ms});
}

Result<Store::Checked> SqliteStore::check() {
  Checked checked;
  const auto add = [&](std::string fault) {
    if (checked.faults.size() < most_faults) checked.faults.push_back(std::move(fault));
  };
  for (const std::string_view pragma : {"PRAGMA integrity_check(100)", "PRAGMA foreign_key_check"}) {
    TRY_ASSIGN(Statement statement, connection_.prepare(pragma));
    const Result<> read = statement.each([&](const Statement& row) -> Result<> {
      if (row.text(0) != "ok") add(fmt::format("{}: {}", pragma.substr(7), printable(row.text(0))));
      return {};
    });
    if (!read) add(read.error().message);
  }
  if (Result<> read = check_documents(checked); !read) add(read.error().message);
  TRY_ASSIGN(const std::int64_t pages, connection_.number("PRAGMA page_count"));
  TRY_ASSIGN(const std::int64_t page, connection_.number("PRAGMA page_size"));
  checked.bytes = static_cast<std::uint64_t>(pages * page);
  return checked;
}

Result<> SqliteStore::check_documents(Checked& checked) {
  TRY_ASSIGN(Statement statement,
             connection_.prepare("SELECT r.hash, s.name, r.commit_id, d.bytes, d.zipped FROM record r LEFT JOIN series s ON "
                                 "s.id = r.series LEFT JOIN document d ON d.record = r.id"));
  return statement.each([&](const Statement& row) -> Result<> {
    ++checked.records;
    Record record;
    record.series = row.text(1);
    record.commit = row.text(2);
    std::optional<std::string> document;
    if (!row.is_null(4)) document = unzipped(row.blob(4), static_cast<std::uint64_t>(row.integer(3)));
    if (document) record.document = std::move(*document);
    if ((!document || id_of(record) != row.text(0)) && checked.faults.size() < most_faults)
      checked.faults.push_back(fmt::format("the document of record {} is not the one that was recorded", row.text(0).substr(0, 12)));
    return {};
  });
}

}  // namespace frx::history
