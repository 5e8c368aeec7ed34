// What a server of ClickHouse answers, texts as literals of its SQL, and addresses: rows that were read are written again as they were
// read; a literal is one text to the server, whatever bytes it has; an address is taken or refused, and no password of it is shown.
#include "fuzz/input.h"
#include "history/clickhouse/client.h"
#include "history/clickhouse/literal.h"
#include "history/clickhouse/place.h"
#include "history/clickhouse/record_rows.h"

namespace {

using frx::fuzz::require;
using namespace frx::history;
using namespace frx::history::clickhouse;

std::vector<Record> records_in(std::string_view bytes, bool& ok) {
  std::vector<Record> records;
  RowReader rows(bytes);
  while (rows.more()) records.push_back(record_in(rows));
  ok = rows.ok();
  return records;
}

void read_rows(std::string_view bytes) {
  bool ok = false;
  const std::vector<Record> records = records_in(bytes, ok);
  require(records.size() <= bytes.size());
  if (!ok) return;
  RowWriter written;
  for (const Record& one : records) add_record(written, one);
  bool again_ok = false;
  const std::vector<Record> again = records_in(written.bytes, again_ok);
  require(again_ok && again.size() == records.size());
  RowWriter twice;
  for (const Record& one : again) add_record(twice, one);
  require(twice.bytes == written.bytes);
}

// As the server reads it: a backslash escapes the next byte, and the first quote ends it.
void read_literal(std::string_view text) {
  const std::string quoted = literal(text);
  require(quoted.size() >= 2 && quoted.front() == '\'' && quoted.find('\0') == quoted.npos);
  std::string read;
  std::size_t i = 1;
  for (; i < quoted.size() && quoted[i] != '\''; ++i) {
    if (quoted[i] == '\\')
      read += quoted[++i] == '0' ? '\0' : quoted[i];
    else
      read += quoted[i];
  }
  require(i + 1 == quoted.size() && read == text);
}

void read_place(const std::string& text) {
  const frx::Result<Place> place = place_in(text);
  if (place) {
    require(!place->hosts.empty() && !place->database.empty() && text.find('@') == text.npos);
    return;
  }
  require(!place.error().hint.empty() && place.error().message.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  read_rows(input.text());
  read_literal(input.text());
  read_place("clickhouse://" + std::string(input.text()));
  require(error_number(input.text()) == 0 || input.text().starts_with("Code: "));
  return 0;
}
