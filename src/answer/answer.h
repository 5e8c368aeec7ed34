// What frx has to say about its inputs, or about two of them: a document for people, a typed result for programs,
// findings for code scanners and the files of a brief. render/ writes it in any format; nothing here knows what it is about.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/document.h"
#include "answer/json_object.h"

namespace frx::answer {

// How much a document says of what there is: `brief` is a page, where a kind of answer makes a difference.
enum class Detail : std::uint8_t { full, brief };

// Names the members of the result that a schema in data/schemas describes.
using Payload = std::function<void(JsonObject&)>;

// In a file of text; a number of 0 is not known.
struct Place {
  std::string_view file;
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

// What recognises a finding in a later run.
enum class KnownBy : std::uint8_t { line, file, rule };

// A finding as a code scanner shows it. Views point into what the answer keeps.
struct Issue {
  std::string_view rule, category;
  std::string_view severity;    // high, medium, low
  std::string_view confidence;  // the same
  std::string_view message, advice, kernel;
  Place place;
  std::vector<Place> more_places;
  std::string_view snippet = {};  // the line of the place
  KnownBy known_by = KnownBy::line;
  std::string fingerprint = {};     // the same as long as the finding is, wherever its line moves; "" until it is computed
  std::string_view state = {};      // beside a baseline: new, unchanged, absent
  std::string_view justified = {};  // of a finding that is suppressed: why
  bool passes = false;              // it is too mild for the gate that was asked for
};

// An input that could not be read, and why.
struct Unread {
  std::string path, message;
};

struct Issues {
  std::vector<Issue> found;
  std::vector<Unread> unread;
  std::vector<Issue> suppressed = {};  // accepted, with a reason
  std::vector<Issue> absent = {};      // of the baseline, and found no more
  std::string fails_from = {};         // the least severity that fails a gate; "" where there is none and every finding counts
};

// What is known of a rule, and where that stands below the address of the documentation: "rules/uncoalesced_access.md".
struct RulePage {
  std::string address;
  Document page;
};
using RulePageOf = std::function<std::optional<RulePage>(std::string_view rule)>;

// A page, or an object.
struct BriefFile {
  std::string name;  // "frx_summary.txt"
  Document page;
  Payload payload = {};
};

struct Answer {
  std::string what = {};  // "a trace": what it is about, for the words of errors
  std::string mode = {};  // of the JSON {"mode", "result"}; "" where the result stands alone
  std::function<Document(Detail)> document = {};
  Payload payload = {};
  std::function<Issues()> issues = {};                 // none for a kind that has no findings in files
  RulePageOf rule_page = {};                           // of the rules of these findings
  std::function<std::vector<BriefFile>()> brief = {};  // none for a kind that has no brief
  std::vector<std::shared_ptr<const void>> kept = {};  // what the functions look at
};

}  // namespace frx::answer
