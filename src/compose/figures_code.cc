#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "compose/figures.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::CudaReport;

constexpr std::uint32_t lines_around = 8, whole_file = 400;

struct Line {
  std::uint32_t number = 0;
  std::string_view text;
};

// The lines of a file that findings are about, with those around them; of a short file all.
std::vector<Line> lines_to_draw(std::string_view text, const std::set<std::uint32_t>& marked) {
  std::vector<Line> all;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    all.push_back({static_cast<std::uint32_t>(all.size() + 1), line});
  }
  if (text.empty() || text.ends_with('\n')) all.pop_back();  // nothing behind the last line
  if (all.size() <= whole_file) return all;
  std::vector<Line> drawn;
  for (const Line& line : all) {
    const auto near = marked.lower_bound(line.number > lines_around ? line.number - lines_around : 1);
    if (near != marked.end() && *near <= line.number + lines_around) drawn.push_back(line);
  }
  return drawn;
}

void put_source(JsonObject& out, const CudaReport& report) {
  std::map<std::string_view, std::set<std::uint32_t>> marked;
  std::map<std::string_view, std::size_t> numbers;
  for (const model::Finding& finding : report.findings) marked[finding.place().file].insert(finding.place().line);
  for (const report::SourceText& text : report.texts) numbers.emplace(text.path, numbers.size());
  out.list("files", report.texts, [&](JsonObject& one, const report::SourceText& file) {
    one.add("path", printable(file.path));
    one.list("lines", lines_to_draw(file.text, marked[file.path]),
             [](JsonObject& line, const Line& drawn) { line.add("number", drawn.number, "text", drawn.text); });
  });
  std::vector<const model::Finding*> shown;
  for (const model::Finding& finding : report.findings) {
    if (finding.place().line > 0 && numbers.contains(finding.place().file)) shown.push_back(&finding);
  }
  out.list("findings", shown, [&](JsonObject& one, const model::Finding* finding) {
    one.add("file", numbers.find(finding->place().file)->second, "line", finding->place().line, "severity", name_of(finding->severity),
            "rule", finding->id(), "message", finding->message.view(), "advice", finding->type->suggestion);
  });
  out.add("stalls", std::span<const std::string>());
}

}  // namespace

void add_figures(Document& page, const CudaReport& report) {
  if (report.texts.empty()) return;
  page.add(answer::Figure{"source", "Source", "What was found, beside the line that shows it.",
                          [&report](JsonObject& out) { put_source(out, report); }});
}

}  // namespace frx::compose
