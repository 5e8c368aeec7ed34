#include "knowledge/metric_tables.h"

#include <algorithm>
#include <span>

namespace frx::knowledge {
namespace {

using Tables = MetricTables;

constexpr std::string_view tables_file = "data/metrics/tables.yaml";

// One of the words, by its index.
template <typename Enum>
Result<Enum> word_of(const Value& entry, std::string_view key, std::span<const std::string_view> words) {
  const auto at = std::ranges::find(words, entry[key].text());
  if (at != words.end()) return static_cast<Enum>(at - words.begin());
  std::string known;
  for (const std::string_view word : words) known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
  return fail(ErrorKind::malformed, "expected one of {} for '{}', found '{}'", known, key, entry[key].text()).at(entry.where());
}

constexpr std::string_view contexts[] = {"none", "by_label", "by_roof"};
constexpr std::string_view when_shown[] = {"always", "where_measured", "where_above_dram"};
constexpr std::string_view betters[] = {"lower", "higher", "neither"};
constexpr std::string_view bads[] = {"low", "high"};

Result<double> number_of(const Value& entry, std::string_view key) {
  const std::optional<double> number = entry[key].number();
  if (!number) return fail(ErrorKind::malformed, "expected a number for '{}', found '{}'", key, entry[key].text()).at(entry.where());
  return *number;
}

// "" where the key is missing; an undefined metric is an error.
Result<std::string_view> metric_of(const Value& entry, std::string_view key, const MetricCatalogue& metrics) {
  const std::string_view id = entry[key].text();
  if (!id.empty() && !metrics.with_id(id)) {
    return fail(ErrorKind::malformed, "no metric is called '{}'", id)
        .at(entry.where())
        .hint(fmt::format("did you mean '{}'?", metrics.nearest_id(id)));
  }
  return id;
}

Result<> read_one(const Value& entry, const MetricCatalogue& metrics, Tables::Measured& row) {
  TRY_ASSIGN(row.id, metric_of(entry, "metric", metrics));
  TRY_ASSIGN(row.otherwise, metric_of(entry, "otherwise", metrics));
  row.name = entry["name"].text();
  row.unit = entry["unit"].text();
  TRY_ASSIGN(row.high_is_bad, word_of<bool>(entry, "bad", bads));
  TRY_ASSIGN(row.warning, number_of(entry, "warning"));
  TRY_ASSIGN(row.critical, number_of(entry, "critical"));
  TRY_ASSIGN(row.context, word_of<Tables::Context>(entry, "context", contexts));
  row.labels = entry["labels"].texts();
  row.excuse = entry["excuse"].text();
  if (entry["shown"]) {
    TRY_ASSIGN(row.shown, word_of<Tables::Shown>(entry, "shown", when_shown));
  }
  return {};
}

Result<> read_one(const Value& entry, const MetricCatalogue& metrics, Tables::Explained& row) {
  row.key = entry["key"].text();
  TRY_ASSIGN(row.id, metric_of(entry, "metric", metrics));
  TRY_ASSIGN(row.otherwise, metric_of(entry, "otherwise", metrics));
  row.label = entry["label"].text();
  row.unit = entry["unit"].text();
  TRY_ASSIGN(row.better, word_of<Tables::Better>(entry, "better", betters));
  TRY_ASSIGN(row.good, number_of(entry, "good"));
  TRY_ASSIGN(row.bad, number_of(entry, "bad"));
  const std::vector<std::string_view> words = entry["words"].texts();
  if (words.size() != row.words.size()) return fail(ErrorKind::malformed, "expected three words").at(entry.where());
  std::ranges::copy(words, row.words.begin());
  row.caveat = entry["caveat"].text();
  return {};
}

Result<> read_one(const Value& entry, const MetricCatalogue& metrics, Tables::Compared& row) {
  row.key = entry["key"].text();
  TRY_ASSIGN(row.id, metric_of(entry, "metric", metrics));
  row.label = entry["label"].text();
  row.unit = entry["unit"].text();
  TRY_ASSIGN(row.better, word_of<Tables::Better>(entry, "better", betters));
  return {};
}

Result<> read_one(const Value& entry, const MetricCatalogue& metrics, Tables::Named& row) {
  row.key = entry["key"].text();
  TRY_ASSIGN(row.id, metric_of(entry, "metric", metrics));
  return {};
}

template <typename Row>
Result<> read_all(const Value& root, std::string_view key, const MetricCatalogue& metrics, std::vector<Row>& rows) {
  TRY_ASSIGN(const Value list, root.list(key));
  rows.resize(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) TRY(read_one(list.item(i), metrics, rows[i]));
  return {};
}

}  // namespace

Result<MetricTables> MetricTables::load(const Library& library, const MetricCatalogue& metrics) {
  MetricTables tables;
  const Value root = library.file(tables_file);
  TRY(read_all(root, "measured", metrics, tables.measured));
  TRY(read_one(root["largest_stall"], metrics, tables.largest_stall));
  TRY(read_all(root, "explained", metrics, tables.explained));
  TRY(read_all(root, "compared", metrics, tables.compared));
  TRY(read_all(root, "averages", metrics, tables.averages));
  TRY(read_all(root, "other_names", metrics, tables.other_names));
  return tables;
}

std::string_view MetricTables::metric_called(std::string_view name) const {
  for (const std::vector<Named>* names : {&averages, &other_names}) {
    const auto at = std::ranges::find(*names, name, &Named::key);
    if (at != names->end()) return at->id;
  }
  return {};
}

const MetricTables::Compared* MetricTables::compared_as(std::string_view key) const {
  const auto at = std::ranges::find(compared, key, &Compared::key);
  return at == compared.end() ? nullptr : &*at;
}

}  // namespace frx::knowledge
