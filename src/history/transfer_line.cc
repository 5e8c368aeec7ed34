#include "history/transfer_line.h"

#include <algorithm>

#include "base/moment.h"
#include "base/text.h"
#include "base/units.h"
#include "history/json_in.h"
#include "ingest/csv.h"

namespace frx::history {
namespace {

using answer::Json;

std::size_t place_of(std::string_view column) {
  return static_cast<std::size_t>(std::ranges::find(transfer_columns, column) - transfer_columns.begin());
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of("\",\r\n") == text.npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

// Texts that are JSON of their own.
bool is_json(std::string_view column) { return column == "machine" || column == "document"; }

}  // namespace

std::string& TransferLine::operator[](std::string_view column) { return cells[place_of(column)]; }
const std::string& TransferLine::operator[](std::string_view column) const { return cells[place_of(column)]; }

TransferLine line_of(const Record& record) {
  TransferLine line;
  line["kind"] = "record";
  line["id"] = record.id;
  line["series"] = record.series;
  line["at"] = moment_text(record.at_ms);
  line["commit"] = record.commit;
  line["program"] = record.program;
  line["machine"] = record.machine;
  line["verdict"] = record.verdict;
  line["metric"] = record.metric;
  if (const std::optional<double> value = record.fact(record.metric)) line["value"] = Json(*value).dump();
  line["document"] = record.document;
  return line;
}

TransferLine line_of(const Baseline& baseline) {
  TransferLine line;
  line["kind"] = "baseline";
  line["id"] = baseline.id;
  line["at"] = moment_text(baseline.set_ms);
  line["name"] = baseline.name;
  return line;
}

TransferLine line_of(const RecordedPrediction& prediction) {
  TransferLine line;
  line["kind"] = "prediction";
  line["id"] = prediction.id;
  line["document"] = prediction.entry;
  return line;
}

std::string ndjson_of(const TransferLine& line) {
  std::string text = "{\"schema\":\"history_line_v1\"";
  for (std::size_t i = 0; i < transfer_columns.size(); ++i) {
    const std::string& cell = line.cells[i];
    if (cell.empty()) continue;
    text += fmt::format(",\"{}\":", transfer_columns[i]);
    const bool is_bare = is_json(transfer_columns[i]) || transfer_columns[i] == "value";
    text += is_bare ? cell : Json(cell).dump(-1, ' ', true, Json::error_handler_t::replace);
  }
  return text + "}\n";
}

std::string csv_heading() {
  std::string text;
  for (const std::string_view column : transfer_columns) text += (text.empty() ? "" : ",") + std::string(column);
  return text + "\n";
}

std::string csv_of(const TransferLine& line) {
  std::string text;
  for (std::size_t i = 0; i < line.cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(line.cells[i]);
  return text + "\n";
}

Result<TransferLine> line_in_ndjson(std::string_view text) {
  const std::optional<Json> json = json_in(text);
  if (!json) return fail(ErrorKind::malformed, "expected JSON, found something else or a line cut short");
  TransferLine line;
  const auto schema = json->is_object() ? json->find("schema") : json->end();
  if (schema != json->end() && *schema == "prediction_v1") {
    line["kind"] = "prediction";
    line["document"] = json_line(*json);
    return line;
  }
  if (schema == json->end() || *schema != "history_line_v1")
    return fail(ErrorKind::malformed, "expected an object with \"schema\": \"history_line_v1\" or \"prediction_v1\"")
        .hint("answers of frx themselves are taken by frx history record");
  for (std::size_t i = 0; i < transfer_columns.size(); ++i) {
    const auto at = json->find(transfer_columns[i]);
    if (at == json->end() || at->is_null()) continue;
    line.cells[i] = at->is_string() ? at->get<std::string>() : json_line(*at);
  }
  return line;
}

Result<TransferLine> line_in_csv(const std::vector<std::string_view>& fields, const std::vector<std::string>& heading) {
  if (fields.size() != heading.size())
    return fail(ErrorKind::malformed, "expected {}, found {}", count_text(heading.size(), "field"), fields.size());
  TransferLine line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (const std::size_t place = place_of(heading[i]); place < transfer_columns.size()) line.cells[place] = ingest::unquoted(fields[i]);
  }
  return line;
}

}  // namespace frx::history
