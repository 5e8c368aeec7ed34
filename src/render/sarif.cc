// SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"): one run of the tool over all files.

#include <map>

#include "answer/fingerprints.h"
#include "render/markdown.h"
#include "render/render.h"

namespace frx::render {
namespace {

using answer::Issue;
using answer::JsonObject;
using answer::Place;

std::string_view level_of(std::string_view severity) { return severity == "high" ? "error" : severity == "medium" ? "warning" : "note"; }

// What one run is written from.
struct Scanned {
  const answer::Issues& issues;
  const answer::RulePageOf& page_of;
  std::string_view pages;  // the address of the documentation
};

// "uncoalesced_access" as people say it: "Uncoalesced access".
std::string title_of(std::string_view code) {
  std::string title(code);
  for (char& c : title) c = c == '_' ? ' ' : c;
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 32);
  return title;
}

// RFC 3986: what is not unreserved, and no '/', becomes %XX.
std::string uri_of(std::string_view path) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (plain.find(c) != plain.npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

void put_text(JsonObject& out, std::string_view key, std::string_view text) {
  out.object(key, [&](JsonObject& inner) { inner.add("text", text); });
}

void put_region(JsonObject& out, const Place& place) {
  out.add("startLine", place.line);
  if (place.column > 0) out.add("startColumn", place.column);
  if (place.end_line >= place.line && place.end_column > 0) out.add("endLine", place.end_line, "endColumn", place.end_column);
}

void put_location(JsonObject& out, const Place& place) {
  out.object("physicalLocation", [&](JsonObject& physical) {
    physical.object("artifactLocation", [&](JsonObject& artifact) { artifact.add("uri", uri_of(place.file)); });
    if (place.line > 0) physical.object("region", [&](JsonObject& region) { put_region(region, place); });
  });
}

// "https://host/docs" and "rules/x.md" as one address.
std::string link_to(std::string_view pages, std::string_view address) {
  return fmt::format("{}{}{}", pages, pages.ends_with('/') ? "" : "/", address);
}

// The advice in words, and the page of the rule for scanners that show Markdown.
void put_help(JsonObject& out, const Issue& issue, const std::optional<answer::RulePage>& page) {
  if (issue.advice.empty() && !page) return;
  out.object("help", [&](JsonObject& inner) {
    inner.add("text", issue.advice.empty() ? title_of(issue.rule) : std::string(issue.advice));
    if (page) inner.add("markdown", markdown_of(page->page));
  });
}

void put_rule(JsonObject& out, const Issue* issue, const Scanned& scanned) {
  const std::optional<answer::RulePage> page = scanned.page_of ? scanned.page_of(issue->rule) : std::nullopt;
  out.add("id", issue->rule, "name", title_of(issue->rule));
  put_text(out, "shortDescription", title_of(issue->rule));
  if (page && !scanned.pages.empty()) out.add("helpUri", link_to(scanned.pages, page->address));
  put_help(out, *issue, page);
  out.object("defaultConfiguration", [&](JsonObject& inner) { inner.add("level", level_of(issue->severity)); });
  out.object("properties", [&](JsonObject& inner) {
    inner.add("category", answer::unless_empty(issue->category), "precision", answer::unless_empty(issue->confidence));
  });
}

// What a scanner keeps results apart by from run to run, and what was decided about this one.
void put_history(JsonObject& out, const Issue& issue) {
  if (!issue.state.empty()) out.add("baselineState", issue.state);
  if (!issue.fingerprint.empty()) {
    // The second name is the one that GitHub looks for.
    out.object("partialFingerprints",
               [&](JsonObject& inner) { inner.add("frxFinding/v1", issue.fingerprint, "primaryLocationLineHash", issue.fingerprint); });
  }
  if (issue.justified.empty()) return;
  out.list("suppressions", std::span(&issue, 1),
           [](JsonObject& one, const Issue& suppressed) { one.add("kind", "external", "justification", suppressed.justified); });
}

void put_result(JsonObject& out, const Issue& issue, std::size_t rule) {
  out.add("ruleId", issue.rule, "ruleIndex", rule, "level", level_of(issue.severity));
  put_text(out, "message", issue.message);
  put_history(out, issue);
  out.list("locations", std::span(&issue, 1), [](JsonObject& location, const Issue& one) {
    put_location(location, one.place);
    if (one.kernel.empty()) return;
    location.list("logicalLocations", std::span(&one.kernel, 1),
                  [](JsonObject& logical, std::string_view kernel) { logical.add("name", kernel, "kind", "function"); });
  });
  if (!issue.more_places.empty()) out.list("relatedLocations", issue.more_places, put_location);
}

void put_unread(JsonObject& out, const answer::Unread& file) {
  out.add("level", "error");
  put_text(out, "message", file.message);
  out.list("locations", std::span(&file, 1), [](JsonObject& location, const answer::Unread& one) { put_location(location, {one.path}); });
}

void put_run(JsonObject& run, const Scanned& scanned) {
  const answer::Issues& issues = scanned.issues;
  std::map<std::string_view, std::size_t> numbers;
  std::vector<const Issue*> rules, results;
  for (const auto* list : {&issues.found, &issues.suppressed, &issues.absent}) {
    for (const Issue& issue : *list) {
      if (numbers.emplace(issue.rule, rules.size()).second) rules.push_back(&issue);
      results.push_back(&issue);
    }
  }
  run.object("tool", [&](JsonObject& tool) {
    tool.object("driver", [&](JsonObject& driver) {
      driver.add("name", "frx", "fullName", "Fournex", "semanticVersion", FRX_VERSION);
      driver.list("rules", rules, [&](JsonObject& rule, const Issue* issue) { put_rule(rule, issue, scanned); });
    });
  });
  run.list("invocations", std::span(&issues.unread, 1), [](JsonObject& invocation, const std::vector<answer::Unread>& unread) {
    invocation.add("executionSuccessful", unread.empty());
    invocation.list("toolExecutionNotifications", unread, put_unread);
  });
  run.add("columnKind", "utf16CodeUnits");
  run.list("results", results,
           [&](JsonObject& result, const Issue* issue) { put_result(result, *issue, numbers.find(issue->rule)->second); });
}

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.issues); }

void write(const answer::Answer& answer, const Style& style, const answer::TextSink& sink) {
  answer::Issues issues = answer.issues();
  answer::add_fingerprints(issues);
  const Scanned scanned{issues, answer.rule_page, style.pages};
  std::string text;
  JsonObject::write_object(text, 0, &sink, [&](JsonObject& out) {
    out.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0");
    out.list("runs", std::span(&scanned, 1), put_run);
  });
  sink(text += '\n');
}

}  // namespace

constinit const Renderer sarif_renderer{"sarif", "findings in files", can_write, write};

}  // namespace frx::render
