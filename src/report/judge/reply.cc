#include "report/judge/reply.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"

namespace frx::report {
namespace {

using Reply = nlohmann::ordered_json;

constexpr std::size_t longest_reply = std::size_t{1} << 20;
constexpr std::size_t most_scanned = std::size_t{4} << 20;  // bytes, over all attempts: "{{{{..." is not quadratic
constexpr int deepest = 64;

// Typographic quotation marks, in UTF-8.
constexpr std::string_view curly_quotes[] = {"\u201c", "\u201d", "\u201e"};

struct Mended {
  std::string json;
  std::set<std::string_view> repairs;
  std::size_t end = 0;  // behind the value, in the reply
  bool is_whole = false;
};

// Copies one value, mending it while it goes: what is outside of strings, and line breaks within them.
class Mender {
 public:
  Mender(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  // nullopt: the value does not end, and has no complete part either.
  std::optional<Mended> run() {
    while (at_ < text_.size()) {
      if (in_string_) {
        take_in_string();
      } else if (!take_outside()) {
        return std::nullopt;
      }
      if (open_.empty() && started_) {
        result_.end = at_;
        result_.is_whole = true;
        return std::move(result_);
      }
    }
    return cut();
  }

  std::size_t scanned() const { return at_; }

 private:
  std::string_view curly_quote() const {
    for (const std::string_view quote : curly_quotes) {
      if (text_.substr(at_).starts_with(quote)) return quote;
    }
    return {};
  }

  void take_in_string() {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) {
      result_.json.append(text_.substr(at_, 2));
      at_ += 2;
      return;
    }
    if (is_curly_) {
      if (const std::string_view quote = curly_quote(); !quote.empty()) {
        at_ += quote.size();
        return end_string();
      }
      if (c == '"') {  // inside of typographic ones
        result_.json += "\\\"";
        ++at_;
        return;
      }
    } else if (c == '"') {
      ++at_;
      return end_string();
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      result_.repairs.insert("a line break in a text");
      result_.json += ' ';
    } else {
      result_.json += c;
    }
    ++at_;
  }

  void end_string() {
    result_.json += '"';
    in_string_ = false;
    value_ended();
  }

  bool take_outside() {
    const char c = text_[at_];
    if (const std::string_view quote = curly_quote(); !quote.empty()) {
      result_.repairs.insert("typographic quotation marks");
      return begin_string(quote.size(), true);
    }
    if (c == '"') return begin_string(1, false);
    if (text_.substr(at_).starts_with("//")) return skip_comment("\n", 0);
    if (text_.substr(at_).starts_with("/*")) return skip_comment("*/", 2);
    if (c == '{' || c == '[') return open(c);
    if (c == '}' || c == ']') return close(c);
    result_.json += c;
    ++at_;
    return true;
  }

  bool begin_string(std::size_t bytes, bool is_curly) {
    if (open_.empty()) return false;
    result_.json += '"';
    at_ += bytes;
    in_string_ = true;
    is_curly_ = is_curly;
    return true;
  }

  bool skip_comment(std::string_view until, std::size_t bytes) {
    result_.repairs.insert("a comment");
    const std::size_t end = text_.find(until, at_);
    at_ = end == text_.npos ? text_.size() : end + bytes;
    return true;
  }

  bool open(char c) {
    if (open_.size() >= deepest) return false;
    open_ += c;
    started_ = true;
    result_.json += c;
    ++at_;
    return true;
  }

  bool close(char c) {
    if (open_.empty() || (c == '}') != (open_.back() == '{')) return false;
    const std::size_t last = result_.json.find_last_not_of(" \t\r\n");
    if (last != std::string::npos && result_.json[last] == ',') {
      result_.repairs.insert("a comma before a closing bracket");
      result_.json.erase(last, 1);
    }
    open_.pop_back();
    result_.json += c;
    ++at_;
    value_ended();
    return true;
  }

  // Directly below the outermost value, where the rest can be left out. A key is no value: the cut removes it again.
  void value_ended() {
    if (open_.size() == 1 && (result_.json.back() == '}' || result_.json.back() == ']')) complete_ = result_.json.size();
  }

  std::optional<Mended> cut() {
    if (complete_ == 0 || !started_) return std::nullopt;
    result_.json.resize(complete_);
    result_.json += open_.front() == '{' ? '}' : ']';
    result_.repairs.insert("an end that is missing: entries that are not complete were left out");
    result_.end = text_.size();
    return std::move(result_);
  }

  std::string_view text_;
  std::size_t at_;
  Mended result_;
  std::string open_;  // brackets
  bool in_string_ = false, is_curly_ = false, started_ = false;
  std::size_t complete_ = 0;
};

// Where fences of JSON (or of no language) begin and end.
std::vector<std::pair<std::size_t, std::size_t>> fences_of(std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> fences;
  for (std::size_t at = text.find("```"); at != text.npos;) {
    const std::size_t begin = text.find('\n', at);
    const std::size_t end = begin == text.npos ? text.npos : text.find("```", begin);
    fences.emplace_back(at, end == text.npos ? text.size() : end);
    at = end == text.npos ? text.npos : text.find("```", end + 3);
  }
  return fences;
}

int contract_score(const Reply& value, JudgeContract contract) {
  const std::optional<JudgeContract> found = contract_of(value);
  if (!found) return 0;
  if (*found != contract) return 1;
  const bool is_pair =
      contract == JudgeContract::dual && value.is_object() && value.contains("bottleneck_1") && value.contains("bottleneck_2");
  return is_pair || contract == JudgeContract::list ? 3 : 2;
}

}  // namespace

std::optional<JudgeContract> contract_of(const Reply& value) {
  if (value.is_array()) {
    const bool has_entries = std::ranges::any_of(value, [](const Reply& one) { return one.is_object() && one.contains("category"); });
    return has_entries ? std::optional(JudgeContract::list) : std::nullopt;
  }
  if (!value.is_object()) return std::nullopt;
  if (value.contains("bottleneck_1") || value.contains("bottleneck_2")) return JudgeContract::dual;
  if (value.contains("bottlenecks") && value["bottlenecks"].is_array()) {
    const auto profile = value.find("profile");
    return profile != value.end() && *profile == "n" ? JudgeContract::list : JudgeContract::dual;
  }
  return value.contains("category") ? std::optional(JudgeContract::list) : std::nullopt;
}

Result<ExtractedReply> extract_reply(std::string_view text, JudgeContract contract) {
  const bool is_long = text.size() > longest_reply;
  text = text.substr(0, longest_reply);
  const auto fences = fences_of(text);
  std::optional<ExtractedReply> best;
  std::tuple<int, bool, std::size_t, std::size_t> rank{};
  std::size_t scanned = 0;
  for (std::size_t at = text.find_first_of("{["); at != text.npos && scanned < most_scanned; at = text.find_first_of("{[", at)) {
    Mender mender(text, at);
    std::optional<Mended> mended = mender.run();
    scanned += mender.scanned() - at;
    Reply value = mended ? Reply::parse(mended->json, nullptr, false) : Reply(Reply::value_t::discarded);
    if (value.is_discarded() || value.empty()) {
      ++at;
      continue;
    }
    const bool fenced = std::ranges::any_of(fences, [&](const auto& fence) { return at > fence.first && at < fence.second; });
    const std::tuple<int, bool, std::size_t, std::size_t> here{contract_score(value, contract), fenced, at, mended->json.size()};
    if (!best || here > rank) {
      rank = here;
      best =
          ExtractedReply{std::move(value), fenced ? "fenced" : "bare", {mended->repairs.begin(), mended->repairs.end()}, at, mended->end};
      if (!best->repairs.empty()) best->path = "repaired";
    }
    at = mended->end;
  }
  if (best && std::get<0>(rank) > 0) return std::move(*best);
  return fail(ErrorKind::malformed, "expected bottlenecks in JSON, found {}",
              best      ? "other JSON"
              : is_long ? "none in the first megabyte"
                        : "none");
}

}  // namespace frx::report
