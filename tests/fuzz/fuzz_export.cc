// A report, and the CSV that frx export makes of it, mean the same: kernels, launches, measured values and leading labels.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "convert/convert.h"
#include "fuzz/input.h"
#include "report/analyse.h"

namespace {

namespace report = frx::report;

// What was analysed is kept until it is made anew.
report::Analyst& analyst() {
  static std::unique_ptr<report::Analyst> one;
  static int uses = 0;
  if (uses++ % 100 == 0) one = report::Analyst::create({}).value();
  return *one;
}

const frx::convert::Counters& counters() {
  static const frx::convert::Counters all = frx::convert::Counters::load(frx::knowledge::Library::builtin()).value();
  return all;
}

frx::Result<std::string> written_as(frx::convert::Format format, std::string_view bytes) {
  const std::unique_ptr<frx::ByteSource> source = frx::open_bytes(bytes);
  std::string written;
  const auto done = frx::convert::convert_ncu_report(*source, {.format = format}, counters(), [&](std::string_view text) {
    written += text;
    return true;
  });
  if (!done) return frx::Failure{done.error()};
  return written;
}

// A table with a row for each metric has none for a launch of which nothing was measured; and what is exported is looked at in more places
// than what is analysed, so that it may be damaged there.
bool measures_all(std::string_view bytes) {
  const auto json = written_as(frx::convert::Format::json, bytes);
  if (!json) return false;
  return json->find("\"metrics\":{}") == json->npos && json->find("\"metrics\": {}") == json->npos;
}

frx::Result<const report::NcuReport*> read(report::Analyst& with, std::string_view bytes) {
  const std::unique_ptr<frx::ByteSource> source = frx::open_bytes(bytes);
  return with.analyse("fuzz", *source);
}

// What both have to say, in words, so that a difference can be read.
void add(std::string& words, const std::vector<report::Value>& values) {
  for (const report::Value& value : values) {
    if (value.reading.origin == frx::model::Origin::measured) words += fmt::format("  {} {:.9g}\n", value.id, value.value());
  }
}

std::string in_words(const report::NcuReport& ncu) {
  std::string words = fmt::format("{} launches, {} kernels, {}\n", ncu.launches, ncu.kernels.size(), ncu.primary);
  add(words, ncu.values);
  for (const report::Kernel& kernel : ncu.kernels) {
    words += fmt::format("{}: {} launches, {}\n", kernel.name, kernel.launches, kernel.primary);
    add(words, kernel.values);
  }
  return words;
}

// What a spreadsheet would compute has a mark before it in CSV, also where it is the name of a kernel.
bool has_formula(const report::NcuReport& ncu) {
  return std::ranges::any_of(ncu.kernels, [](const report::Kernel& kernel) {
    return !kernel.name.empty() && std::string_view("=+-@").find(kernel.name.front()) != std::string_view::npos;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  if (!input.text().starts_with(std::string_view("NVR\0", 4))) return 0;
  report::Analyst& reader = analyst();
  const auto original = read(reader, input.text());
  if (!original) return 0;
  const std::string expected = in_words(**original), gpu = (*original)->gpu_name;
  if (!measures_all(input.text()) || has_formula(**original)) return 0;
  const auto csv = written_as(frx::convert::Format::csv, input.text());
  if (!csv) frx::fuzz::require_same(to_string(csv.error()), expected);
  const auto exported = read(reader, *csv);
  // A report also names its GPU beside the launches, for which CSV has no place, and labels need its limits.
  if (exported && (*exported)->gpu_name != gpu) return 0;
  frx::fuzz::require_same(exported ? in_words(**exported) : to_string(exported.error()), expected);
  return 0;
}
