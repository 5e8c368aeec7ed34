#include "report/pages/page_names.h"

#include <algorithm>

#include "base/text.h"

namespace frx::report {
namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '.'; }

// Words that look like names, each as often as it stands there.
std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!begins_name(text[at])) continue;
    const std::size_t begin = at;
    while (at < text.size() && is_in_name(text[at])) ++at;
    words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

// "data/facts/run.yaml" is about runs where it does not say of what its facts are.
std::string_view subject_of_file(std::string_view where) {
  const std::string_view file = where.substr(where.rfind('/') + 1);
  return file.substr(0, file.find('.'));
}

}  // namespace

PageNames::PageNames(const knowledge::Knowledge& knowledge) : knowledge_(knowledge) {
  for (const frx::Value& root : knowledge.library.folder("facts")) {
    const frx::Value facts = root["facts"];
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const frx::Value fact = facts.item(i);
      std::vector<std::string_view> subjects = fact["of"].texts();
      if (subjects.empty()) subjects = root["of"].texts();
      const Fact meaning{fact["unit"].text(), fact["meaning"].text()};
      if (subjects.empty()) {
        const std::string where = root.where();
        for (const std::string_view subject : {"run", "layout"}) {
          if (subject_of_file(where) == subject) subjects.push_back(subject);
        }
      }
      for (const std::string_view subject : subjects) facts_.emplace(std::pair(subject, fact["id"].text()), meaning);
    }
  }
}

PageName PageNames::metric(const knowledge::MetricDefinition& metric) const {
  return {std::string(metric.id), metric.unit_text, std::string(metric.meaning), knowledge::counter_of(metric)};
}

std::optional<PageName> PageNames::fact_called(std::string_view name, std::string_view subject) const {
  if (const auto at = facts_.find({subject, name}); at != facts_.end())
    return PageName{std::string(name), at->second.unit, std::string(at->second.meaning), {}};
  // In words {input_fraction_pct} is the fact input_fraction as a percentage.
  if (name.ends_with("_pct")) {
    const std::string_view share = name.substr(0, name.size() - 4);
    if (const auto at = facts_.find({subject, share}); at != facts_.end())
      return PageName{std::string(name), "%", std::string(at->second.meaning), {}};
  }
  return std::nullopt;
}

std::optional<PageName> PageNames::threshold_called(std::string_view name) const {
  const bool asks_who = name.starts_with("own.");
  const std::string_view threshold = asks_who ? name.substr(4) : name;
  const frx::Value entry = knowledge_.library.file("data/thresholds/classifier.yaml")["thresholds"][threshold];
  if (!entry) return std::nullopt;
  if (asks_who) return PageName{std::string(name), "", fmt::format("the user gave {} another value", threshold), {}};
  return PageName{
      std::string(name), entry["unit"].text(), fmt::format("threshold, {} unless --arch-profile sets it", entry["default"].text()), {}};
}

std::optional<PageName> PageNames::meaning_of(std::string_view name, std::string_view subject) const {
  if (auto fact = fact_called(name, subject)) return fact;
  if (auto threshold = threshold_called(name)) return threshold;
  if (subject != "kernel") return std::nullopt;
  if (const auto metric = knowledge_.metrics.with_id(name)) return this->metric(knowledge_.metrics[*metric]);
  if (name.starts_with("kernel.") && knowledge_.classes.with_name(name.substr(7)))
    return PageName{std::string(name), "", fmt::format("the name of the kernel is one of the class '{}'", name.substr(7)), {}};
  if (name.starts_with("stalls."))
    return PageName{std::string(name), "%", fmt::format("shares of time of the stalls of the class '{}'", name.substr(7)), {}};
  return std::nullopt;
}

void PageNames::add(std::string_view text, std::string_view subject, std::vector<PageName>& names) const {
  for (const std::string_view word : words_in(text)) {
    if (std::ranges::find(names, word, &PageName::name) != names.end()) continue;
    if (auto name = meaning_of(word, subject)) names.push_back(std::move(*name));
  }
}

}  // namespace frx::report
