#include "compose/gate/gate.h"

#include <algorithm>

#include "answer/fingerprints.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"
#include "model/finding.h"

namespace frx::compose {
namespace {

using answer::Issue;
using answer::JsonObject;

struct Held {
  answer::Answer answer;  // as it was
  Gate gate;
  answer::Issues issues;
  std::vector<std::string> notes;

  std::size_t count(std::string_view state) const {
    return static_cast<std::size_t>(std::ranges::count(issues.found, state, &Issue::state));
  }
};

constexpr std::size_t gate_shown = 10;

Text words_of(const Issue& issue) {
  std::string place = answer::tidy_path(issue.place.file);
  if (issue.place.line > 0) place += fmt::format(":{}", issue.place.line);
  Text text = fmt::format("[{}] {} ", to_upper(issue.severity), issue.rule) + as_name(place);
  return issue.kernel.empty() ? text : text + ", kernel " + as_name(readable_symbol(issue.kernel), Fit::half);
}

template <typename Wanted>
void add_some(Document& page, std::string_view heading, const std::vector<Issue>& issues, const Wanted& wanted) {
  std::size_t count = 0;
  for (const Issue& issue : issues) {
    if (!wanted(issue) || ++count > gate_shown) continue;
    if (count == 1) page.paragraph(heading);
    page.hanging("- ", words_of(issue) + (issue.justified.empty() ? std::string() : fmt::format(": {}", issue.justified)), 4);
  }
  if (count > gate_shown) page.paragraph(fmt::format("and {} more; --json has all", count - gate_shown), 4);
}

void add_gate(Document& page, const Held& held) {
  const answer::Issues& issues = held.issues;
  const auto all = [](const Issue&) { return true; };
  if (held.gate.baseline) {
    page.section("Beside the baseline", answer::Part::verdict);
    page.paragraph(fmt::format("{} new, {} unchanged, {} gone since ", held.count("new"), held.count("unchanged"), issues.absent.size()) +
                   as_name(held.gate.baseline->file) + ".");
    add_some(page, "New:", issues.found, [](const Issue& issue) { return issue.state == "new"; });
    add_some(page, "Gone:", issues.absent, all);
  }
  if (!issues.suppressed.empty()) {
    page.section("Suppressed", issues.suppressed.size(), issues.suppressed.size());
    add_some(page, "They are found, and accepted:", issues.suppressed, all);
  }
  if (!held.notes.empty()) page.section("Suppressions to look at", answer::Part::closing);
  for (const std::string& note : held.notes) page.hanging("- ", note);
}

void put_held(JsonObject& out, const Issue& issue) {
  out.add("fingerprint", issue.fingerprint, "state", answer::unless_empty(issue.state), "rule", issue.rule, "severity", issue.severity,
          "file", answer::tidy_path(issue.place.file), "line", answer::unless_zero(issue.place.line), "kernel",
          answer::unless_empty(issue.kernel), "reason", answer::unless_empty(issue.justified));
}

void put_gate(JsonObject& out, const Held& held) {
  out.object("baseline", held.gate.baseline, [&](JsonObject& inner, const Baseline& baseline) {
    inner.add("file", baseline.file, "new", held.count("new"), "unchanged", held.count("unchanged"), "absent", held.issues.absent.size());
    std::vector<Issue> all = held.issues.found;
    all.insert(all.end(), held.issues.absent.begin(), held.issues.absent.end());
    inner.list("findings", all, put_held);
  });
  out.list("suppressed", held.issues.suppressed, put_held);
  out.add("suppression_notes", held.notes);
}

}  // namespace

answer::Answer held_against(answer::Answer answer, Gate gate) {
  const auto held = std::make_shared<Held>();
  held->answer = std::move(answer);
  held->gate = std::move(gate);
  held->issues = held->answer.issues();
  answer::add_fingerprints(held->issues);
  held->notes = suppress(held->gate.suppressions, held->gate.today, held->issues);
  if (held->gate.baseline) compare_with(*held->gate.baseline, held->gate.was_looked_at, held->issues);
  answer::Answer result = held->answer;
  result.document = [held](answer::Detail detail) {
    Document page = held->answer.document(detail);
    add_gate(page, *held);
    return page;
  };
  result.payload = [held](JsonObject& out) {
    held->answer.payload(out);
    put_gate(out, *held);
  };
  result.issues = [held] { return held->issues; };
  result.kept.push_back(held);
  return result;
}

answer::Answer failing_from(answer::Answer answer, const std::string& severity) {
  if (severity.empty() || !answer.issues) return answer;
  answer.issues = [all = std::move(answer.issues), severity] {
    answer::Issues issues = all();
    issues.fails_from = severity;
    for (Issue& issue : issues.found) issue.passes = model::severity_named(issue.severity) < model::severity_named(severity);
    return issues;
  };
  return answer;
}

std::size_t count_reaching(const answer::Issues& issues, std::string_view severity) {
  const model::Severity least = model::severity_named(severity);
  return static_cast<std::size_t>(std::ranges::count_if(
      issues.found, [&](const Issue& issue) { return model::severity_named(issue.severity) >= least && issue.state != "unchanged"; }));
}

}  // namespace frx::compose
