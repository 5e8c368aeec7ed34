// A history on ClickHouse read from its beginning to its end, checked and made smaller.

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "base/text.h"
#include "base/units.h"
#include "history/clickhouse/clickhouse_store.h"
#include "history/clickhouse/literal.h"
#include "history/clickhouse/record_rows.h"
#include "history/record_of.h"

namespace frx::history::clickhouse {
namespace {

constexpr std::size_t page_records = 20'000, documents_at_once = 500, most_faults = 100, series_at_once = 100;
constexpr std::chrono::minutes longest_removal{60};

// "(at_ms, id) <= KEY"; the first condition is one that an index answers.
std::string up_to(std::int64_t at_ms, const std::string& id) {
  return fmt::format("at_ms <= {} AND (at_ms < {} OR id <= {})", at_ms, at_ms, id_literal(id));
}

std::string behind(std::int64_t at_ms, const std::string& id) {
  return fmt::format("at_ms >= {} AND (at_ms > {} OR id > {})", at_ms, at_ms, id_literal(id));
}

}  // namespace

// Documents are many and large, so the keys of the page are found first; the table lies in their order.
Result<std::vector<ClickHouseStore::Entry>> ClickHouseStore::next_page(const std::optional<Key>& from) {
  const std::string where = from ? behind(from->at_ms, from->id) : "1";
  const std::string order = "ORDER BY at_ms, id LIMIT 1 BY at_ms, id";
  TRY_ASSIGN(
      const std::vector<Key> last,
      client_.all(fmt::format("SELECT at_ms, id FROM (SELECT at_ms, id FROM {} WHERE {} {} LIMIT {}) ORDER BY at_ms DESC, id DESC LIMIT 1",
                              in("document"), where, order, page_records),
                  [](RowReader& row) {
                    Key key;
                    key.at_ms = row.integer();
                    key.id = row.id();
                    return key;
                  }));
  if (last.empty()) return std::vector<Entry>();
  return client_.all(fmt::format("SELECT {}, bytes FROM {} PREWHERE {} AND {} {}", record_columns, in("document"), where,
                                 up_to(last.front().at_ms, last.front().id), order),
                     [](RowReader& row) {
                       Entry entry;
                       entry.record = record_in(row);
                       entry.bytes = row.natural();
                       return entry;
                     });
}

// The newest row in `record` counts. Others of `document` are of an interrupted insert, or of a second process that recorded the same
// answer.
Result<> ClickHouseStore::drop_unfinished(std::vector<Entry>& page) {
  std::vector<std::string> ids;
  std::set<std::string> series;
  for (const Entry& one : page) {
    ids.push_back(one.record.id);
    series.insert(one.record.series);
  }
  const std::string of_series = "series IN " + literals(std::vector<std::string>(series.begin(), series.end()));
  std::map<std::string, std::int64_t> newest;
  for (std::size_t i = 0; i < ids.size(); i += ids_at_once) {
    const std::string some = id_literals(std::span(ids).subspan(i, std::min(ids_at_once, ids.size() - i)));
    TRY(client_.each(fmt::format("SELECT id, max(at_ms) FROM {} WHERE {} AND id IN {} GROUP BY id", in("record"), of_series, some),
                     [&](RowReader& row) {
                       std::string id = row.id();
                       newest[std::move(id)] = row.integer();
                     }));
  }
  std::erase_if(page, [&](const Entry& one) {
    const auto found = newest.find(one.record.id);
    return found == newest.end() || found->second != one.record.at_ms;
  });
  return {};
}

Result<> ClickHouseStore::read_documents(std::span<Entry> entries) {
  std::vector<std::string> ids;
  for (const Entry& one : entries) ids.push_back(one.record.id);
  const Record &first = entries.front().record, &last = entries.back().record;
  std::string where = fmt::format("at_ms >= {} AND at_ms <= {} AND id IN {}", first.at_ms, last.at_ms, id_literals(ids));
  // Thousands may be of one moment.
  if (first.at_ms == last.at_ms) where += fmt::format(" AND id >= {} AND id <= {}", id_literal(first.id), id_literal(last.id));
  std::map<std::string, std::string> documents;
  TRY(client_.each(fmt::format("SELECT id, document FROM {} PREWHERE {} LIMIT 1 BY id", in("document"), where), [&](RowReader& row) {
    std::string id = row.id();
    documents[std::move(id)] = row.text();
  }));
  for (Entry& one : entries) one.record.document = std::move(documents[one.record.id]);
  return {};
}

Result<> ClickHouseStore::each_record(const std::function<Result<>(const Record&)>& take) {
  std::optional<Key> from;
  for (;;) {
    TRY_ASSIGN(std::vector<Entry> page, next_page(from));
    if (page.empty()) return {};
    from = Key{page.back().record.at_ms, page.back().record.id};
    TRY(drop_unfinished(page));
    for (std::size_t begin = 0, end = 0; begin < page.size(); begin = end) {
      for (std::uint64_t bytes = 0; end < page.size() && end - begin < documents_at_once && (end == begin || bytes < bytes_at_once); ++end)
        bytes += page[end].bytes;
      const std::span<Entry> some(page.data() + begin, end - begin);
      TRY(read_documents(some));
      for (Entry& one : some) {
        TRY(take(one.record));
        one.record.document = {};
      }
    }
  }
}

// The row in `record` goes first: without it, the rest counts for nothing.
Result<std::uint64_t> ClickHouseStore::remove(const std::string& condition) {
  TRY_ASSIGN(const std::vector<Baseline> named, baselines());
  std::vector<std::string> ids;
  for (const Baseline& one : named) ids.push_back(one.id);
  const std::string where = ids.empty() ? condition : fmt::format("({}) AND id NOT IN {}", condition, id_literals(ids));
  TRY_ASSIGN(const std::uint64_t count, client_.number(fmt::format("SELECT uniqExact(id) FROM {} WHERE {}", in("record"), where)));
  for (auto one = tables.rbegin(); one != tables.rend(); ++one) {
    if (one->part != Table::Part::record) continue;
    TRY(remove_rows(*one, where));
  }
  return count;
}

Result<> ClickHouseStore::remove_rows(const Table& of, const std::string& where) {
  return run_on_shards(client_, [&](std::string_view on_cluster) {
    return fmt::format("ALTER TABLE {}{} DELETE WHERE {}", table_of_rows(client_, of.name), on_cluster, where);
  });
}

// Servers remove beside what else they do.
Result<> ClickHouseStore::wait_for_removal() {
  const std::string waiting = fmt::format("SELECT count() FROM {} WHERE database = {} AND NOT is_done", of_all_shards("mutations"),
                                          literal(client_.place().database));
  const auto end = std::chrono::steady_clock::now() + longest_removal;
  for (std::chrono::milliseconds pause{20};; pause = std::min(2 * pause, std::chrono::milliseconds(2000))) {
    TRY_ASSIGN(const std::uint64_t left, client_.number(waiting));
    if (left == 0) return {};
    if (std::chrono::steady_clock::now() >= end) {
      return fail(ErrorKind::unreadable, "the server is still removing after {} minutes", longest_removal.count())
          .at(printable(name()))
          .hint("it goes on by itself; system.mutations shows how far it is");
    }
    std::this_thread::sleep_for(pause);
  }
}

// Of each series the newest that goes is found once.
Result<std::uint64_t> ClickHouseStore::keep_newest(std::uint64_t keep) {
  TRY_ASSIGN(const std::vector<std::string> longer,
             client_.all(fmt::format("SELECT series FROM {} GROUP BY series HAVING uniqExact(id) > {} ORDER BY series", in("record"), keep),
                         [](RowReader& row) { return row.text(); }));
  std::uint64_t removed = 0;
  std::string condition;
  for (std::size_t i = 0; i < longer.size(); ++i) {
    const std::string of_series = "series = " + literal(longer[i]);
    TRY_ASSIGN(const std::vector<std::string> newest,
               client_.all(fmt::format("SELECT at_ms, id FROM {} WHERE {} ORDER BY at_ms DESC, id DESC LIMIT 1 BY id LIMIT {}, 1",
                                       in("record"), of_series, keep),
                           [](RowReader& row) {
                             const std::int64_t at_ms = row.integer();
                             return up_to(at_ms, row.id());
                           }));
    if (!newest.empty()) condition += fmt::format("{}({} AND {})", condition.empty() ? "" : " OR ", of_series, newest.front());
    if (condition.empty() || ((i + 1) % series_at_once != 0 && i + 1 < longer.size())) continue;
    TRY_ASSIGN(const std::uint64_t some, remove(condition));
    removed += some;
    condition.clear();
  }
  if (removed > 0) TRY(wait_for_removal());
  return removed;
}

// Also where no record is that old: an interrupted removal has left rows without one.
Result<std::uint64_t> ClickHouseStore::remove_before(std::int64_t at_ms) {
  const std::string older = fmt::format("at_ms < {}", at_ms);
  TRY_ASSIGN(const std::uint64_t removed, remove(older));
  for (auto one = tables.rbegin(); one != tables.rend(); ++one) {
    if (one->part == Table::Part::rank) TRY(remove_rows(*one, older));
  }
  TRY(wait_for_removal());
  return removed;
}

std::string ClickHouseStore::of_all_shards(std::string_view system_table) const {
  const std::string& cluster = client_.place().cluster;
  return cluster.empty() ? fmt::format("system.{}", system_table) : fmt::format("cluster({}, system.{})", literal(cluster), system_table);
}

Result<Store::Checked> ClickHouseStore::check() {
  Checked checked;
  const auto add_fault = [&](std::string fault) {
    if (checked.faults.size() < most_faults) checked.faults.push_back(std::move(fault));
  };
  TRY_ASSIGN(const std::uint64_t records, client_.number(fmt::format("SELECT uniqExact(id) FROM {}", in("record"))));
  TRY(each_record([&](const Record& record) -> Result<> {
    ++checked.records;
    if (id_of(record) != record.id)
      add_fault(fmt::format("the document of record {} is not the one that was recorded", record.id.substr(0, 12)));
    return {};
  }));
  // What is recorded meanwhile is read, too.
  if (checked.records < records) add_fault(fmt::format("{} have no document", count_text(records - checked.records, "record")));
  TRY_ASSIGN(checked.bytes, client_.number(fmt::format("SELECT toUInt64(sum(bytes_on_disk)) FROM {} WHERE active AND database = {}",
                                                       of_all_shards("parts"), literal(client_.place().database))));
  return checked;
}

}  // namespace frx::history::clickhouse
