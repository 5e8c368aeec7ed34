#include "history/transfer.h"

#include "base/moment.h"
#include "base/text.h"
#include "history/json_in.h"
#include "history/record_of.h"
#include "history/transfer_line.h"
#include "ingest/csv.h"
#include "ingest/line_reader.h"

namespace frx::history {
namespace {

using answer::Json;

constexpr std::size_t lines_at_once = 500;
constexpr std::size_t bytes_at_once = std::size_t{16} << 20;
constexpr std::uint64_t longest_line = 3 * largest_document;

Result<RecordedPrediction> prediction_of(const TransferLine& line) {
  const std::optional<Json> entry = json_in(line["document"]);
  std::optional<RecordedPrediction> one = entry ? prediction_in(*entry) : std::nullopt;
  if (one) return std::move(*one);
  return fail(ErrorKind::malformed,
              "expected a prediction, an object with \"schema\": \"prediction_v1\" and texts as id, card, kernel, reading and outcome");
}

Result<Record> record_in(const TransferLine& line, const std::string& name) {
  const std::optional<std::int64_t> at = moment_in(line["at"]);
  if (!at)
    return fail(ErrorKind::malformed, "expected a time such as 2026-11-26T12:44:55Z as at, found '{}'", shorten(printable(line["at"]), 40));
  if (line["series"].empty()) return fail(ErrorKind::malformed, "expected a text as series");
  if (line["document"].size() > largest_document) return fail(ErrorKind::malformed, "the document is larger than 64 MiB");
  std::string machine;
  if (!line["machine"].empty()) {
    const std::optional<Json> facts = json_in(line["machine"]);
    if (!facts || !facts->is_object()) return fail(ErrorKind::malformed, "expected an object of JSON as machine");
    machine = json_line(*facts);
  }
  const std::optional<Json> document = json_in(line["document"]);
  if (!document) return fail(ErrorKind::malformed, "expected JSON as document");
  TRY_ASSIGN(Record record, record_of(*document, {line["series"], *at, line["commit"], line["program"], std::move(machine)}, name));
  if (!line["id"].empty() && line["id"] != record.id)
    return fail(ErrorKind::malformed, "the record is not the one that was exported: its id is {} and should be {}",
                shorten(printable(line["id"]), 64), record.id);
  return record;
}

class Importer {
 public:
  Importer(Store& store, std::string name, std::int64_t now_ms) : store_(store), name_(std::move(name)), now_ms_(now_ms) {
    moved_.store = store.name();
    moved_.file = name_;
  }

  Result<> take(const TransferLine& line, std::uint64_t number);
  Result<> flush();
  Result<Moved> finish();

 private:
  Store& store_;
  std::string name_;
  std::int64_t now_ms_;
  Moved moved_;
  std::vector<Record> records_;
  std::size_t bytes_ = 0;
  std::vector<RecordedPrediction> predictions_;
  std::vector<TransferLine> baselines_;
};

Result<> Importer::take(const TransferLine& line, std::uint64_t number) {
  const std::string place = fmt::format("{}:{}", name_, number);
  const auto placed = [&](Error error) {
    error.where = place;
    return Failure{std::move(error)};
  };
  if (line["kind"] == "record") {
    Result<Record> record = record_in(line, place);
    if (!record) return placed(std::move(record).error());
    bytes_ += record->document.size();
    records_.push_back(std::move(*record));
  } else if (line["kind"] == "prediction") {
    Result<RecordedPrediction> prediction = prediction_of(line);
    if (!prediction) return placed(std::move(prediction).error());
    bytes_ += prediction->entry.size();
    predictions_.push_back(std::move(*prediction));
  } else if (line["kind"] == "baseline") {
    if (line["name"].empty() || line["id"].empty())
      return fail(ErrorKind::malformed, "expected texts as name and id of a baseline").at(place);
    baselines_.push_back(line);
  } else {
    return fail(ErrorKind::malformed, "expected record, baseline or prediction as kind, found '{}'", shorten(printable(line["kind"]), 40))
        .at(place);
  }
  if (records_.size() + predictions_.size() >= lines_at_once || bytes_ >= bytes_at_once) return flush();
  return {};
}

Result<> Importer::flush() {
  TRY_ASSIGN(const Stored stored, store_.add(records_));
  for (const bool is_new : stored.is_new) ++(is_new ? moved_.records : moved_.known);
  TRY_ASSIGN(const std::size_t predictions, store_.add(predictions_, now_ms_));
  moved_.predictions += stored.predictions + predictions;
  records_.clear();
  predictions_.clear();
  bytes_ = 0;
  return {};
}

Result<Moved> Importer::finish() {
  TRY(flush());
  for (const TransferLine& line : baselines_) {
    const Result<> set = store_.set_baseline(line["name"], line["id"], moment_in(line["at"]).value_or(now_ms_));
    if (!set && set.error().kind == ErrorKind::usage)
      return fail(ErrorKind::malformed, "baseline '{}' names a record that is not there", shorten(printable(line["name"]), 60)).at(name_);
    TRY(set);
    ++moved_.baselines;
  }
  return std::move(moved_);
}

// A record of CSV, whose fields may hold line breaks.
Result<> read_fields(ingest::LineReader& lines, std::string_view& line, std::vector<std::string_view>& fields, const std::string& name) {
  const std::uint64_t begin = lines.line_number();
  while (ingest::split_csv(line, fields) == ingest::Split::open_quote) {
    TRY_ASSIGN(const bool goes_on, lines.extend(line));
    if (!goes_on || line.size() > longest_line)
      return fail(ErrorKind::malformed, "a quote is not closed").at(fmt::format("{}:{}", name, begin));
  }
  return {};
}

Result<> import_csv(ingest::LineReader& lines, std::string_view line, Importer& importer, const std::string& name) {
  std::vector<std::string_view> fields;
  std::vector<std::string> heading;
  TRY(read_fields(lines, line, fields, name));
  for (const std::string_view field : fields) heading.push_back(ingest::unquoted(field));
  for (;;) {
    TRY_ASSIGN(const bool more, lines.next(line));
    if (!more) return {};
    if (trim(line).empty()) continue;
    const std::uint64_t number = lines.line_number();
    TRY(read_fields(lines, line, fields, name));
    Result<TransferLine> one = line_in_csv(fields, heading);
    if (!one) return Failure{std::move(one).error()}.at(fmt::format("{}:{}", name, number));
    TRY(importer.take(*one, number));
  }
}

Result<> import_ndjson(ingest::LineReader& lines, std::string_view line, Importer& importer, const std::string& name) {
  for (bool more = true; more;) {
    if (!trim(line).empty()) {
      Result<TransferLine> one = line_in_ndjson(line);
      if (!one) return Failure{std::move(one).error()}.at(fmt::format("{}:{}", name, lines.line_number()));
      TRY(importer.take(*one, lines.line_number()));
    }
    TRY_ASSIGN(more, lines.next(line));
  }
  return {};
}

}  // namespace

Result<Moved> export_history(Store& store, TransferFormat format, const Put& put) {
  Moved moved;
  moved.store = store.name();
  const auto text_of = [&](const TransferLine& line) { return format == TransferFormat::csv ? csv_of(line) : ndjson_of(line); };
  if (format == TransferFormat::csv) TRY(put(csv_heading()));
  // First, so that the records they name are among those that are read then, whatever is recorded in the meantime.
  TRY_ASSIGN(const std::vector<Baseline> baselines, store.baselines());
  TRY(store.each_record([&](const Record& record) -> Result<> {
    ++moved.records;
    return put(text_of(line_of(record)));
  }));
  for (const Baseline& one : baselines) TRY(put(text_of(line_of(one))));
  TRY_ASSIGN(const std::vector<RecordedPrediction> predictions, store.predictions());
  for (const RecordedPrediction& one : predictions) TRY(put(text_of(line_of(one))));
  moved.baselines = baselines.size();
  moved.predictions = predictions.size();
  return moved;
}

Result<Moved> import_history(Store& store, ByteSource& source, const std::string& name, std::int64_t now_ms) {
  ingest::LineReader lines(source);
  Importer importer(store, name, now_ms);
  std::string_view line;
  TRY_ASSIGN(const bool has_line, lines.next(line));
  if (!has_line) return importer.finish();
  TRY(line.starts_with("kind,") ? import_csv(lines, line, importer, name) : import_ndjson(lines, line, importer, name));
  return importer.finish();
}

}  // namespace frx::history
