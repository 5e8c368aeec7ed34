// The report of Code Quality that GitLab shows in merge requests: one object for each finding, a fingerprint among its members.

#include "answer/fingerprints.h"
#include "render/render.h"

namespace frx::render {
namespace {

using answer::Issue;
using answer::JsonObject;

std::string_view gravity_of(std::string_view severity) {
  return severity == "high" ? "critical" : severity == "medium" ? "major" : "minor";
}

void put_issue(JsonObject& out, const Issue& issue) {
  std::string words(issue.message);
  if (!issue.kernel.empty()) words += fmt::format(" (kernel {})", issue.kernel);
  out.add("description", words, "check_name", issue.rule, "fingerprint", issue.fingerprint, "severity", gravity_of(issue.severity));
  out.object("location", [&](JsonObject& location) {
    location.add("path", answer::tidy_path(issue.place.file));
    // A finding about a whole file stands at its first line: GitLab shows none without a line.
    location.object("lines", [&](JsonObject& lines) { lines.add("begin", std::max<std::uint32_t>(issue.place.line, 1)); });
  });
}

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.issues); }

void write(const answer::Answer& answer, const Style&, const answer::TextSink& sink) {
  answer::Issues issues = answer.issues();
  answer::add_fingerprints(issues);
  std::string text = "[";
  for (const Issue& issue : issues.found) {
    text += text.size() > 1 ? ",\n" : "\n";
    JsonObject::write_object(text, 0, nullptr, [&](JsonObject& out) { put_issue(out, issue); });
  }
  sink(text += "\n]\n");
}

}  // namespace

constinit const Renderer gitlab_renderer{"gitlab", "findings in files", can_write, write};

}  // namespace frx::render
