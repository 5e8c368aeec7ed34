// The records of a history: what was added, a list of them, one of them.

#include "base/moment.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/answer_with.h"
#include "compose/history.h"
#include "compose/parts.h"
#include "history/json_in.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using answer::unless_empty;
using history::Listing;
using history::Record;
using history::RecordedTime;
using history::Shown;
using history::Summary;

constexpr std::size_t history_name_width = 12;
constexpr std::size_t times_shown = 10, facts_shown = 40;

std::string value_text(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : "-"; }
std::string or_dash(std::string_view text, std::size_t width = 60) { return text.empty() ? "-" : shorten(printable(text), width); }

Document page_of(const history::Recorded& recorded) {
  Document page;
  page.headline =
      fmt::format("{} recorded, {} known before", count_text(recorded.added(), "answer"), recorded.records.size() - recorded.added());
  page.title("FRX history", recorded.store);
  page.paragraph(page.headline + (recorded.predictions > 0 ? fmt::format("; {}", count_text(recorded.predictions, "new prediction")) : ""));
  page.blank();
  Table table{.columns = {{"ID", 12}, {"", 9}, {"VERDICT", 24, false, 2, true, Fit::cut}, names_column("SERIES", Fit::whole)}};
  for (const auto& one : recorded.records)
    table.add({short_id(one.id), one.is_new ? "new" : "known", or_dash(one.verdict, 24), one.series});
  page.add(std::move(table));
  return page;
}

void put_recorded(JsonObject& out, const history::Recorded& recorded) {
  out.add("schema", "history_recorded_v1", "store", recorded.store, "added", recorded.added(), "known",
          recorded.records.size() - recorded.added(), "predictions_added", recorded.predictions);
  out.list("records", recorded.records, [](JsonObject& one, const history::Recorded::One& record) {
    one.add("id", record.id, "series", record.series, "verdict", unless_empty(record.verdict), "from", record.from, "is_new",
            record.is_new);
  });
}

void put_summary(JsonObject& out, const Summary& one) {
  out.add("id", one.id, "at", moment_text(one.at_ms), "series", one.series, "commit", unless_empty(one.commit), "answer_schema", one.schema,
          "kind", one.mode, "source", unless_empty(one.source), "gpu", unless_empty(one.gpu), "verdict", unless_empty(one.verdict),
          "metric", unless_empty(one.metric), "value", exact(one.value));
}

Document page_of(const Listing& listing) {
  Document page;
  page.title("FRX history", listing.store);
  if (listing.by_series) {
    page.headline = fmt::format("{} series", listing.series.size());
    page.section("Series", fmt::format("({})", page.headline));
    Table table{.columns = {{"RECORDS", 8, true}, {"FIRST", 16}, {"LAST", 16}, names_column("SERIES", Fit::whole)}};
    for (const auto& one : listing.series)
      table.add({fmt::to_string(one.records), minute_text(one.first_ms), minute_text(one.last_ms), one.name});
    page.add(std::move(table));
    return page;
  }
  page.headline = listing.records.empty() ? "no record fits" : count_text(listing.records.size(), "record") + ", newest first";
  page.section("Records", listing.records.empty() ? "(0)" : fmt::format("({})", page.headline));
  if (listing.records.empty()) {
    page.paragraph("No record fits.");
    return page;
  }
  answer::Column series = names_column("SERIES", Fit::whole);
  series.below = 16;
  Table table{.columns = {{"ID", 12},
                          {"WHEN (UTC)", 16},
                          {"VALUE", 10, true},
                          {"OF", 15, false, 2, true, Fit::cut},
                          {"VERDICT", 23, false, 2, true, Fit::cut},
                          series}};
  for (const Summary& one : listing.records)
    table.add(
        {short_id(one.id), minute_text(one.at_ms), value_text(one.value), or_dash(one.metric, 15), or_dash(one.verdict, 23), one.series});
  page.add(std::move(table));
  return page;
}

void put_listing(JsonObject& out, const Listing& listing) {
  out.add("schema", "history_list_v1", "store", listing.store);
  out.list("records", listing.records, put_summary);
  out.list("series", listing.series, [](JsonObject& one, const history::SeriesSummary& series) {
    one.add("name", series.name, "records", series.records, "first", moment_text(series.first_ms), "last", moment_text(series.last_ms));
  });
}

void add_times(Document& page, std::string_view heading, const std::vector<RecordedTime>& times) {
  if (times.empty()) return;
  page.section(heading, std::min(times.size(), times_shown), times.size());
  Table table{.columns = {{"TIME", 12, true}, {"COUNT", 9, true}, {"LABEL", 24, false, 2, true, Fit::cut}, names_column("NAME")}};
  for (std::size_t i = 0; i < std::min(times.size(), times_shown); ++i) {
    const RecordedTime& one = times[i];
    table.add({one.us ? format_quantity(*one.us * 1e3, "ns") : "-", one.count ? fmt::to_string(*one.count) : "-", or_dash(one.label, 24),
               one.name});
  }
  page.add(std::move(table));
}

// {"host":"node7","cpu":"EPYC"} is "host node7, cpu EPYC".
std::string members_text(const std::string& object) {
  const std::optional<answer::Json> members = history::json_in(object);
  if (!members || !members->is_object()) return object;
  std::vector<std::string> parts;
  for (const auto& [name, value] : members->items())
    parts.push_back(fmt::format("{} {}", name, value.is_string() ? value.get<std::string>() : value.dump()));
  return join(parts, ", ");
}

Document page_of(const Shown& shown) {
  const Record& record = shown.record;
  Document page;
  page.headline = record.verdict.empty() ? "a record without a verdict" : record.verdict;
  page.title("FRX history record", short_id(record.id));
  page.section("Verdict", answer::Part::verdict);
  const auto fact = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) page.fact(name, as_name(value), history_name_width);
  };
  fact("Verdict", record.verdict);
  if (const std::optional<double> value = record.fact(record.metric)) fact("Number", fmt::format("{} = {:.6g}", record.metric, *value));
  fact("Series", record.series);
  fact("Recorded", moment_text(record.at_ms));
  fact("Source", record.source);
  fact("GPU", record.gpu);
  fact("Commit", record.commit);
  fact("Baseline", join(shown.baselines, ", "));
  fact("Answer", fmt::format("{} of frx {}", record.schema, record.program));
  fact("Recorded on", members_text(record.machine));
  fact("Software", members_text(record.software));
  fact("ID", record.id);
  if (!record.labels.empty()) {
    page.section("Labels");
    Table table{.columns = {{"SCORE", 7, true}, names_column("LABEL")}};
    for (const auto& one : record.labels) table.add({one.score ? fmt::format("{:.2f}", *one.score) : "-", one.name});
    page.add(std::move(table));
  }
  if (!record.facts.empty()) {
    page.section("Numbers", std::min(record.facts.size(), facts_shown), record.facts.size());
    Table table{.columns = {{"VALUE", 14, true}, names_column("NAME")}};
    for (std::size_t i = 0; i < std::min(record.facts.size(), facts_shown); ++i)
      table.add({fmt::format("{:.6g}", record.facts[i].value), record.facts[i].name});
    page.add(std::move(table));
  }
  add_times(page, "Kernels", record.kernels);
  add_times(page, "Operators", record.operators);
  return page;
}

void put_times(JsonObject& out, std::string_view key, const std::vector<RecordedTime>& times) {
  out.list(key, times, [](JsonObject& one, const RecordedTime& time) {
    one.add("name", time.name, "count", time.count, "us", exact(time.us), "label", unless_empty(time.label));
  });
}

void put_shown(JsonObject& out, const Shown& shown) {
  const Record& record = shown.record;
  out.add("schema", "history_record_v1", "store", shown.store, "id", record.id, "at", moment_text(record.at_ms), "series", record.series,
          "commit", unless_empty(record.commit), "answer_schema", record.schema, "kind", record.mode, "source", unless_empty(record.source),
          "gpu", unless_empty(record.gpu), "verdict", unless_empty(record.verdict), "metric", unless_empty(record.metric), "program",
          record.program, "machine", unless_empty(record.machine), "software", unless_empty(record.software), "baselines", shown.baselines);
  out.list("labels", record.labels,
           [](JsonObject& one, const history::RecordedLabel& label) { one.add("name", label.name, "score", exact(label.score)); });
  out.list("numbers", record.facts,
           [](JsonObject& one, const history::RecordedFact& fact) { one.add("name", fact.name, "value", exact(fact.value)); });
  put_times(out, "kernels", record.kernels);
  put_times(out, "operators", record.operators);
}

}  // namespace

std::string short_id(std::string_view id) { return std::string(id.substr(0, 12)); }

answer::Answer answer_of(std::shared_ptr<const history::Recorded> recorded) {
  return answer_with("what was recorded", "history_recorded", std::move(recorded), page_of, put_recorded);
}
answer::Answer answer_of(std::shared_ptr<const Listing> listing) {
  return answer_with("a list of records", "history_list", std::move(listing), page_of, put_listing);
}
answer::Answer answer_of(std::shared_ptr<const Shown> shown) {
  return answer_with("a record", "history_record", std::move(shown), page_of, put_shown);
}

}  // namespace frx::compose
