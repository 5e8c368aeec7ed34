// Source lines of a cubin: the ELF file around them and the line program. Whatever stands in the bytes,
// every place that the table gives can be followed to a file.
#include "fuzz/input.h"
#include "ingest/cubin/line_table.h"

namespace {

void ask(const frx::ingest::cubin::LineTable& table, const std::string& function, std::uint32_t offset) {
  const auto place = table.at(function, offset);
  if (!place) return;
  frx::fuzz::require(place->line > 0 && !place->file.empty());
  const auto calls = table.call_stack(function, offset);
  frx::fuzz::require(!calls.empty() && calls.front() == *place && calls.size() <= table.calls.size() + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const frx::Result<frx::ingest::cubin::LineTable> table = frx::ingest::cubin::read_line_table(input.text());
  if (!table) {
    frx::fuzz::require(!table.error().message.empty());
    return 0;
  }
  frx::fuzz::require(table->functions.empty() || frx::ingest::cubin::has_line_info(input.text()));
  for (const auto& [function, rows] : table->functions) {
    frx::fuzz::require(!rows.empty() && rows.size() <= input.text().size());
    for (std::size_t i = 1; i < rows.size(); ++i) frx::fuzz::require(rows[i - 1].offset <= rows[i].offset);
    ask(*table, function, rows.front().offset);
    ask(*table, function, rows.back().offset);
    ask(*table, function, rows[rows.size() / 2].offset);
  }
  return 0;
}
