#include "history/record_of.h"

#include <algorithm>
#include <cmath>

#include "base/sha256.h"
#include "base/text.h"
#include "derive/compare/two_samples.h"
#include "history/json_in.h"
#include "history/series_name.h"
#include "knowledge/library.h"

namespace frx::history {
namespace {

using answer::Json;

Value answers() { return knowledge::Library::builtin().file("data/history/answers.yaml")["answers"]; }

Value kept_as(std::string_view schema) {
  const Value all = answers();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.item(i)["schema"].text() == schema) return all.item(i);
  }
  return {};
}

const Json* member(const Json& at, std::string_view key) {
  if (at.is_object()) {
    const auto found = at.find(key);
    return found == at.end() ? nullptr : &*found;
  }
  if (!at.is_array() || key.empty() || key.find_first_not_of("0123456789") != key.npos || key.size() > 6) return nullptr;
  const std::size_t index = std::stoul(std::string(key));
  return index < at.size() ? &at[index] : nullptr;
}

// What stands at "a.b.0"; of "a.b|c.d" the first that is there and neither null nor empty. nullptr where there is none.
const Json* at_path(const Json& result, std::string_view paths) {
  for (const std::string_view path : split(paths, '|')) {
    const Json* at = &result;
    for (const std::string_view key : split(path, '.')) {
      if (at) at = member(*at, key);
    }
    if (at && !at->is_null() && !(at->is_array() && at->empty())) return at;
  }
  return nullptr;
}

std::string text_at(const Json& result, std::string_view path) {
  if (path.empty()) return {};
  const Json* const at = at_path(result, path);
  if (!at) return {};
  if (at->is_string()) return at->get<std::string>();
  return at->is_number() ? at->dump() : std::string();
}

std::optional<double> number_in(const Json* at) {
  if (!at || !at->is_number()) return std::nullopt;
  const double value = at->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> median_in(const Json& list, std::string_view of) {
  std::vector<double> values;
  for (const Json& one : list) {
    if (const std::optional<double> value = number_in(of.empty() ? &one : member(one, of))) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return derive::compare::median_of(std::move(values));
}

// A number, the median of a list, or how many there are of a list.
std::optional<double> metric_in(const Json& result, const Value& metric) {
  const std::string_view path = metric["value"].text();
  const Json* const at = at_path(result, path);
  const double scale = metric["scale"].number().value_or(1);
  std::optional<double> value;
  if (at && at->is_array()) {
    value = metric["of"].is_text() ? median_in(*at, metric["of"].text()) : std::optional(static_cast<double>(at->size()));
  } else {
    value = number_in(at);
    if (!value && !metric["of"].is_text() && path.find_first_of(".|") == path.npos && result.contains(path) && result[path].is_array())
      value = 0;  // a list that is there and empty
  }
  if (value) *value *= scale;
  return value;
}

void add_fact(Record& record, std::string name, double value) {
  if (record.facts.size() < most_kernels && !record.fact(name)) record.facts.push_back({std::move(name), value});
}

void take_facts(Record& record, const Json& result, const Value& kept) {
  const Value metrics = kept["metrics"];
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const Value metric = metrics.item(i);
    if (i == 0) record.metric = metric["name"].text();
    if (const std::optional<double> value = metric_in(result, metric)) add_fact(record, std::string(metric["name"].text()), *value);
  }
  for (const std::string_view path : kept["facts"].texts()) {
    const Json* const object = at_path(result, path);
    if (!object || !object->is_object()) continue;
    for (const auto& [name, value] : object->items()) {
      if (const std::optional<double> number = number_in(&value)) add_fact(record, name, *number);
    }
  }
}

void take_labels(Record& record, const Json& result, const Value& labels) {
  const Json* const list = labels ? at_path(result, labels["list"].text()) : nullptr;
  if (!list || !list->is_array()) return;
  for (const Json& one : *list) {
    const std::string name = text_at(one, labels["name"].text());
    const bool is_known = std::ranges::any_of(record.labels, [&](const RecordedLabel& known) { return known.name == name; });
    if (name.empty() || is_known || record.labels.size() == most_kernels) continue;
    record.labels.push_back({name, labels["score"] ? number_in(member(one, labels["score"].text())) : std::nullopt});
  }
}

std::vector<RecordedTime> times_in(const Json& result, const Value& kept) {
  std::vector<RecordedTime> times;
  const Json* const list = kept ? at_path(result, kept["list"].text()) : nullptr;
  if (!list || !list->is_array()) return times;
  for (const Json& one : *list) {
    RecordedTime time{text_at(one, kept["name"].text()), {}, number_in(member(one, kept["time"].text())), {}};
    if (time.name.empty()) continue;
    if (time.us) *time.us *= kept["scale"].number().value_or(1);
    if (const std::optional<double> count = number_in(member(one, kept["count"].text())); count && std::abs(*count) < 9e15)
      time.count = static_cast<std::int64_t>(*count);
    if (kept["label"]) time.label = text_at(one, kept["label"].text());
    times.push_back(std::move(time));
  }
  std::ranges::stable_sort(times, std::ranges::greater{}, [](const RecordedTime& one) { return one.us.value_or(0); });
  if (times.size() > most_kernels) times.resize(most_kernels);
  return times;
}

void take_predictions(Record& record, const Json& result, std::string_view path) {
  const Json* const list = path.empty() ? nullptr : at_path(result, path);
  if (!list || !list->is_array()) return;
  for (const Json& one : *list) {
    if (std::optional<RecordedPrediction> prediction = prediction_in(one)) record.predictions.push_back(std::move(*prediction));
  }
}

std::string software_in(const Json& result, const Value& software) {
  Json named = Json::object();
  for (std::size_t i = 0; i < software.size(); ++i) {
    if (const std::string version = text_at(result, software.value(i).text()); !version.empty())
      named[std::string(software.key(i))] = version;
  }
  return named.empty() ? "" : named.dump();
}

Failure not_kept(std::string_view schema) {
  std::vector<std::string> names;
  const Value all = answers();
  for (std::size_t i = 0; i < all.size(); ++i) names.emplace_back(all.item(i)["schema"].text());
  if (schema.empty()) return fail(ErrorKind::malformed, "expected an answer of frx, an object with \"schema\", found something else");
  return fail(ErrorKind::malformed, "a document of schema '{}' is no answer that a history keeps", shorten(printable(schema), 60))
      .hint("a history keeps: " + join(names, ", "));
}

}  // namespace

std::optional<RecordedPrediction> prediction_in(const Json& entry) {
  const auto text = [&entry](std::string_view key) {
    const Json* const at = member(entry, key);
    return at && at->is_string() ? at->get<std::string>() : std::string();
  };
  if (!entry.is_object() || text("schema") != "prediction_v1") return std::nullopt;
  RecordedPrediction one{text("id"), text("card"), text("kernel"), text("reading"), text("outcome"), {}};
  for (const std::string* needed : {&one.id, &one.card, &one.kernel, &one.reading, &one.outcome}) {
    if (needed->empty()) return std::nullopt;
  }
  one.entry = json_line(entry);
  return one;
}

std::string id_of(const Record& record) { return sha256(record.series + '\n' + record.commit + '\n' + record.document); }

Result<Record> record_of(const Json& document, const Recording& recording, const std::string& name) {
  const Json* result = &document;
  if (document.is_object() && document.contains("mode") && document.contains("result")) result = &document["result"];
  // What frx compare says of code has its comparison one level deeper.
  if (result->is_object() && !result->contains("schema") && result->contains("comparison")) result = &(*result)["comparison"];
  const std::string schema = result->is_object() ? text_at(*result, "schema") : "";
  const Value kept = kept_as(schema);
  if (!kept) return not_kept(schema).at(name);
  Record record;
  record.schema = schema;
  record.mode = kept["kind"].text();
  record.source = text_at(*result, kept["subject"].text());
  record.gpu = text_at(*result, kept["gpu"].text());
  record.verdict = text_at(*result, kept["verdict"].text());
  take_labels(record, *result, kept["labels"]);
  if (record.verdict.empty() && !record.labels.empty()) record.verdict = record.labels.front().name;
  take_facts(record, *result, kept);
  record.kernels = times_in(*result, kept["kernels"]);
  record.operators = times_in(*result, kept["operators"]);
  take_predictions(record, *result, kept["predictions"].text());
  record.software = software_in(*result, kept["software"]);
  record.document = json_line(*result);
  if (record.document.size() > largest_document)
    return fail(ErrorKind::malformed, "the answer is larger than {} MiB", largest_document >> 20).at(name);
  record.series = recording.series.empty() ? series_name(record.mode, record.source, record.gpu) : recording.series;
  record.at_ms = recording.at_ms;
  record.commit = recording.commit;
  record.program = recording.program;
  record.machine = recording.machine;
  record.id = id_of(record);
  return record;
}

}  // namespace frx::history
