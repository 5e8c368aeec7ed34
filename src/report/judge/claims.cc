#include "report/judge/claims.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"

namespace frx::report {
namespace {

constexpr double tolerance = 0.02, loose_tolerance = 0.12;
constexpr std::size_t longest_gap = 48, read_around = 24;  // bytes
constexpr std::size_t longest_prose = 20000;

using Words = std::set<std::string_view>;
// Between the name of a counter and its value.
const Words& words_before() {
  static const Words words{"is",       "was",           "are",     "were",      "at",          "of",       "only",    "just",
                           "about",    "approximately", "roughly", "around",    "nearly",      "almost",   "value",   "measured",
                           "shows",    "showing",       "reads",   "reports",   "reported",    "reaching", "reaches", "reached",
                           "achieves", "achieving",     "sits",    "stands",    "currently",   "a",        "the",     "very",
                           "low",      "high",          "mere",    "merely",    "utilization", "usage",    "stalls",  "stall",
                           "dominate", "dominates",     "account", "accounts",  "for",         "remains",  "metric",  "level",
                           "equals",   "being",         "still",   "extremely", "percentage",  "pct"};
  return words;
}
// With one of these at its end, and none of those that begin another thought, whatever else stands in a short gap describes the value:
// "L1 throughput is saturated at 99 %".
const Words& words_at_the_value() {
  static const Words words{"at", "is", "was", "only", "just", "reaches", "achieves", "=", ":"};
  return words;
}
const Words& words_of_other_thoughts() {
  static const Words words{"and",  "but",   "while", "whereas", "because",  "so",      "than", "or",
                           "then", "which", "that",  "though",  "although", "despite", "-",    "/"};
  return words;
}
// A number with one of these close behind it is what would be needed.
const Words& words_of_needs() {
  static const Words words{"needed", "required", "necessary"};
  return words;
}
// Between a value and the name of its counter.
const Words& words_after() {
  static const Words words{"of",    "the", "in", "for", "average", "peak", "total", "achieved", "as",   "warp",  "warps", "stalls",
                           "stall", "are", "is", "due", "to",      "from", "on",    "cycles",   "time", "spent", "global"};
  return words;
}
// A number behind one of these is a threshold, a limit or a target.
const Words& words_of_thresholds() {
  static const Words words{"below",  "under",   "above",  "over",    "than",   "threshold", "exceed",  "exceeds", "exceeding", "least",
                           "most",   "to",      "toward", "towards", "target", "limit",     "maximum", "up",      "from",      "between",
                           "by",     "vs",      "versus", "within",  "max",    "minimum",   "ideal",   "until",   "beyond",    "-",
                           "\u2013", "wasting", "wastes", "losing",  "loses",  "saving",    "saves"};
  return words;
}
// Clauses with one of these speak of what is not.
const Words& words_of_wishes() {
  static const Words words{"would", "could", "should", "if", "ideally", "expected", "might", "may", "goal", "ideal"};
  return words;
}
const Words& words_of_approximation() {
  static const Words words{"about", "approximately", "roughly", "around", "nearly", "almost", "~", "\u2248", "circa"};
  return words;
}
// A share that is what is left of the counter.
const Words& words_of_complements() {
  static const Words words{"miss", "misses", "missing", "idle", "unused", "wasted", "waste", "headroom", "inactive", "empty", "lost"};
  return words;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words and single signs; marks of emphasis and brackets are neither.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (is_word(text[end]) || static_cast<unsigned char>(text[end]) >= 0x80)) ++end;
    if (end > i) {
      words.push_back(text.substr(i, end - i));
      i = end;
      continue;
    }
    if (std::string_view(" \t\n\r`*\"'()[],").find(text[i]) == std::string_view::npos) words.push_back(text.substr(i, 1));
    ++i;
  }
  return words;
}

bool has_any(const std::vector<std::string_view>& words, const Words& of) {
  return std::ranges::any_of(words, [&](std::string_view word) { return of.contains(word); });
}

struct Number {
  std::size_t begin = 0, end = 0;  // with its unit
  ClaimedNumber claimed;
};

struct UnitWord {
  std::string_view word;
  ClaimedUnit unit;
  double scale;
};
// The longest first of those that begin alike.
constexpr UnitWord unit_words[] = {
    {"%", ClaimedUnit::percent, 1},
    {"percent", ClaimedUnit::percent, 1},
    {"tb/s", ClaimedUnit::bytes_per_second, 1e12},
    {"gb/s", ClaimedUnit::bytes_per_second, 1e9},
    {"mb/s", ClaimedUnit::bytes_per_second, 1e6},
    {"kb/s", ClaimedUnit::bytes_per_second, 1e3},
    {"tbps", ClaimedUnit::bytes_per_second, 1e12},
    {"gbps", ClaimedUnit::bytes_per_second, 1e9},
    {"gib/s", ClaimedUnit::bytes_per_second, 1073741824.0},
    {"bytes/sec", ClaimedUnit::bytes_per_second, 1},
    {"bytes/s", ClaimedUnit::bytes_per_second, 1},
    {"bytes per second", ClaimedUnit::bytes_per_second, 1},
    {"gib", ClaimedUnit::bytes, 1073741824.0},
    {"mib", ClaimedUnit::bytes, 1048576.0},
    {"kib", ClaimedUnit::bytes, 1024},
    {"tb", ClaimedUnit::bytes, 1e12},
    {"gb", ClaimedUnit::bytes, 1e9},
    {"mb", ClaimedUnit::bytes, 1e6},
    {"kb", ClaimedUnit::bytes, 1e3},
    {"bytes", ClaimedUnit::bytes, 1},
    {"byte", ClaimedUnit::bytes, 1},
    {"ghz", ClaimedUnit::frequency, 1e9},
    {"mhz", ClaimedUnit::frequency, 1e6},
    {"ms", ClaimedUnit::time, 1e6},
    {"us", ClaimedUnit::time, 1e3},
    {"\u00b5s", ClaimedUnit::time, 1e3},
    {"\u03bcs", ClaimedUnit::time, 1e3},
    {"microseconds", ClaimedUnit::time, 1e3},
    {"milliseconds", ClaimedUnit::time, 1e6},
    {"ns", ClaimedUnit::time, 1},
    {"billion", ClaimedUnit::none, 1e9},
    {"million", ClaimedUnit::none, 1e6},
    {"thousand", ClaimedUnit::none, 1e3},
    {"m", ClaimedUnit::none, 1e6},
    {"b", ClaimedUnit::none, 1e9},
    {"k", ClaimedUnit::none, 1e3},
    {"x", ClaimedUnit::other, 1},
    {"\u00d7", ClaimedUnit::other, 1},
};

constexpr std::string_view counted_words[] = {"blocks", "block",        "warps",  "threads", "registers",
                                              "regs",   "instructions", "cycles", "sms",     "waves"};

void take_unit(std::string_view text, Number& number) {
  std::size_t at = number.end;
  if (at + 1 < text.size() && text[at] == '-' && is_word(text[at + 1])) {
    number.claimed.unit = ClaimedUnit::other;
    return;
  }
  if (at < text.size() && text[at] == ' ') ++at;
  for (const std::string_view word : counted_words) {
    const std::size_t end = at + word.size();
    if (at > number.end && text.substr(at).starts_with(word) && (end >= text.size() || !is_word(text[end])))
      number.claimed.unit = ClaimedUnit::count;
  }
  if (number.claimed.unit == ClaimedUnit::count) return;
  for (const UnitWord& one : unit_words) {
    if (!text.substr(at).starts_with(one.word)) continue;
    const std::size_t end = at + one.word.size();
    const bool is_sign = one.word == "%";
    if (!is_sign && end < text.size() && (is_word(text[end]) || text[end] == '/')) continue;
    if (one.word.size() == 1 && !is_sign && at != number.end) continue;  // "4 k" is no suffix
    number.claimed.unit = one.unit;
    number.claimed.value *= one.scale;
    number.claimed.rounding *= one.scale;
    number.end = end;
    return;
  }
}

// A plain number with thousands separators, a fraction and an exponent; nothing inside of a word (L1, FP16, H100).
std::optional<Number> number_at(std::string_view text, std::size_t begin) {
  if (!is_digit(text[begin]) || (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.'))) return std::nullopt;
  std::string digits;
  std::size_t at = begin, decimals = 0;
  bool in_fraction = false;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      digits += text[at];
      decimals += in_fraction ? 1 : 0;
    } else if (text[at] == ',' && !in_fraction && at + 3 < text.size() && is_digit(text[at + 1]) && is_digit(text[at + 2]) &&
               is_digit(text[at + 3]) && (at + 4 >= text.size() || !is_digit(text[at + 4]))) {
      continue;
    } else if (text[at] == '.' && !in_fraction && at + 1 < text.size() && is_digit(text[at + 1])) {
      in_fraction = true;
      digits += '.';
    } else {
      break;
    }
  }
  double exponent = 0;
  if (at < text.size() && text[at] == 'e' && at + 1 < text.size()) {
    std::size_t end = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-' ? 1 : 0);
    const std::size_t first = end;
    while (end < text.size() && is_digit(text[end]) && end < first + 3) ++end;
    if (end > first) {
      exponent = std::atof(std::string(text.substr(at + 1, end - at - 1)).c_str());
      at = end;
    }
  }
  Number number;
  number.begin = begin;
  number.end = at;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number.claimed.value);
  if (error != std::errc()) return std::nullopt;
  number.claimed.value *= std::pow(10, exponent);
  number.claimed.rounding = 0.5 * std::pow(10, exponent - static_cast<double>(decimals));
  take_unit(text, number);
  return number;
}

std::vector<Number> numbers_in(std::string_view lower) {
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < lower.size();) {
    if (const std::optional<Number> number = is_digit(lower[i]) ? number_at(lower, i) : std::nullopt) {
      numbers.push_back(*number);
      i = number->end;
    } else {
      const bool in_word = is_word(lower[i]);
      ++i;
      while (in_word && i < lower.size() && is_word(lower[i])) ++i;
    }
  }
  return numbers;
}

// The clause around a place: from the last full stop, semicolon or line break to the next.
struct Clause {
  std::size_t begin = 0, end = 0;
  bool is_wish = false;        // speaks of what is not
  bool is_complement = false;  // speaks of what is left of a counter
  bool has(std::size_t at) const { return begin <= at && at < end; }
};

Clause clause_around(std::string_view text, std::size_t at) {
  const auto ends = [&](std::size_t i) {
    return text[i] == ';' || text[i] == '\n' || (text[i] == '.' && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n'));
  };
  std::size_t begin = at, end = at;
  while (begin > 0 && !ends(begin - 1)) --begin;
  while (end < text.size() && !ends(end)) ++end;
  const std::vector<std::string_view> words = words_of(text.substr(begin, end - begin));
  return {begin, end, has_any(words, words_of_wishes()), has_any(words, words_of_complements())};
}

bool links(std::string_view gap, const Words& allowed) {
  if (gap.size() > longest_gap) return false;
  if (gap.find(". ") != gap.npos || gap.find('\n') != gap.npos) return false;
  const std::vector<std::string_view> words = words_of(gap);
  return std::ranges::all_of(words, [&](std::string_view word) {
    return allowed.contains(word) || words_of_approximation().contains(word) || word == "=" || word == ":";
  });
}

// "throughput is saturated at": few words, none of which begins another thought, and the last one is before a value.
bool describes_value(std::string_view gap) {
  constexpr std::size_t most_words = 5;
  if (gap.size() > longest_gap || gap.find_first_of(",;)\n") != gap.npos || gap.find(". ") != gap.npos) return false;
  const std::vector<std::string_view> words = words_of(gap);
  if (words.empty() || words.size() > most_words || has_any(words, words_of_other_thoughts())) return false;
  return words_at_the_value().contains(words.back()) || trim(gap).ends_with('(');
}

bool leads_to_value(std::string_view gap) { return links(gap, words_before()) || describes_value(gap); }

ClaimedUnit unit_of(const JudgedFact& fact) {
  const std::string_view unit = trim(fact.unit);
  if (unit == "%") return ClaimedUnit::percent;
  if (unit == "bytes/sec" || unit == "byte/s") return ClaimedUnit::bytes_per_second;
  if (unit == "bytes" || unit == "byte" || unit == "byte/block") return ClaimedUnit::bytes;
  if (unit == "ns") return ClaimedUnit::time;
  if (unit == "Hz" || unit == "hz") return ClaimedUnit::frequency;
  return ClaimedUnit::none;
}

bool is_near(double claimed, double actual, double rounding, bool is_approximate) {
  const double relative = (is_approximate ? loose_tolerance : tolerance) * std::abs(actual);
  return std::abs(claimed - actual) <= std::max(relative, 1.001 * rounding);
}

// "KB" of shared memory are 1,024 bytes as often as not.
bool is_near_in_powers_of_two(const ClaimedNumber& number, double actual) {
  if (number.unit != ClaimedUnit::bytes && number.unit != ClaimedUnit::bytes_per_second) return false;
  for (const double scale : {1.024, 1.048576, 1.073741824}) {
    if (is_near(number.value * scale, actual, number.rounding * scale, number.is_approximate)) return true;
  }
  return false;
}

}  // namespace

Fit fit_of(const ClaimedNumber& number, const JudgedFact& fact) {
  const ClaimedUnit unit = unit_of(fact);
  const bool same_unit =
      number.unit == unit || number.unit == ClaimedUnit::none || (number.unit == ClaimedUnit::count && unit == ClaimedUnit::none);
  if (!same_unit) return Fit::wrong_unit;
  if (!fact.value) return Fit::not_measured;
  if (is_near(number.value, *fact.value, number.rounding, number.is_approximate)) return Fit::fits;
  if (is_near_in_powers_of_two(number, *fact.value)) return Fit::fits;
  return Fit::wrong_value;
}

ClaimReader::ClaimReader(const JudgeSubject& subject) {
  std::map<std::string, std::vector<const JudgedFact*>> by_words;
  const auto add = [&](std::string_view words, const JudgedFact& fact) {
    if (words.size() < 3) return;
    std::vector<const JudgedFact*>& facts = by_words[to_lower(words)];
    if (std::ranges::find(facts, &fact) == facts.end()) facts.push_back(&fact);
  };
  for (const JudgedFact& fact : subject.facts) {
    add(fact.label, fact);
    add(fact.key, fact);
    if (fact.key.find("__") != fact.key.npos) add(std::string_view(fact.key).substr(0, fact.key.find('.')), fact);
    if (!fact.metric) continue;
    for (const std::string_view words : fact.metric->said) add(words, fact);
  }
  for (auto& [words, facts] : by_words) phrases_.push_back({words, std::move(facts)});
  std::ranges::stable_sort(phrases_, std::greater(), [](const Phrase& phrase) { return phrase.words.size(); });
}

std::vector<ClaimReader::Mention> ClaimReader::mentions_in(std::string_view lower) const {
  std::vector<Mention> mentions;
  std::vector<bool> is_taken(lower.size());
  for (const Phrase& phrase : phrases_) {
    for (std::size_t at = lower.find(phrase.words); at != lower.npos; at = lower.find(phrase.words, at + 1)) {
      std::size_t end = at + phrase.words.size();
      if ((at > 0 && is_word(lower[at - 1])) || (end < lower.size() && is_word(lower[end]) && lower[end] != 's')) continue;
      if (end < lower.size() && lower[end] == '.' && end + 1 < lower.size() && is_word(lower[end + 1])) continue;  // a longer counter
      const auto first = is_taken.begin() + static_cast<std::ptrdiff_t>(at), last = is_taken.begin() + static_cast<std::ptrdiff_t>(end);
      if (std::find(first, last, true) != last) continue;  // within a longer phrase
      std::fill(first, last, true);
      mentions.push_back({at, end, &phrase});
    }
  }
  std::ranges::sort(mentions, {}, &Mention::begin);
  return mentions;
}

namespace {

// What stands around a number says whether it is a claim: thresholds, wishes, needs and ratios are none. Of two values that are set
// against each other ("82 % memory SOL vs 81 % compute SOL") the second is a claim about the name that follows it.
enum class Stated : std::uint8_t { no, yes, about_what_follows };

Stated how_stated(std::string_view lower, Number& number, const Clause& clause) {
  const std::size_t from = number.begin > read_around ? number.begin - read_around : 0;
  const std::vector<std::string_view> ahead = words_of(lower.substr(from, number.begin - from));
  if (clause.is_wish || number.claimed.unit == ClaimedUnit::other) return Stated::no;  // "3x" is a ratio
  if (has_any(words_of(lower.substr(number.end, read_around)), words_of_needs())) return Stated::no;
  if (ahead.empty()) return Stated::yes;
  if (ahead.back() == "vs" || ahead.back() == "versus") return Stated::about_what_follows;
  const auto compares = [](std::string_view word) { return word == "<" || word == ">" || word == "\u2265" || word == "\u2264"; };
  if (words_of_thresholds().contains(ahead.back()) || compares(ahead.back())) return Stated::no;
  number.claimed.is_approximate = words_of_approximation().contains(ahead.back());
  return ahead.size() > 1 && ahead.back() == "=" && compares(ahead[ahead.size() - 2]) ? Stated::no : Stated::yes;
}

// As good as any of the facts that a phrase names allows. In a clause about misses a share may be what is left to 100 %.
void hold_against(const std::vector<const JudgedFact*>& facts, bool may_be_rest, Claim& claim) {
  const auto rank = [](Fit fit) { return fit == Fit::fits ? 0 : fit == Fit::wrong_value ? 1 : fit == Fit::not_measured ? 2 : 3; };
  for (const JudgedFact* fact : facts) {
    if (claim.number.unit == ClaimedUnit::count && unit_of(*fact) != ClaimedUnit::none) continue;
    Fit fit = fit_of(claim.number, *fact);
    if (fit == Fit::wrong_value && may_be_rest && unit_of(*fact) == ClaimedUnit::percent) {
      ClaimedNumber rest = claim.number;
      rest.value = 100 - rest.value;
      if (fit_of(rest, *fact) == Fit::fits) fit = Fit::fits;
    }
    if (!claim.fact || rank(fit) < rank(claim.fit)) claim.fact = fact, claim.fit = fit;
  }
}

}  // namespace

std::vector<Claim> ClaimReader::claims_in(std::string_view text) const {
  text = text.substr(0, longest_prose);
  const std::string lower = to_lower(text);
  const std::string_view view = lower;
  const std::vector<Mention> mentions = mentions_in(view);
  std::vector<Claim> claims;
  Clause clause;
  auto after = mentions.begin();
  for (Number& number : numbers_in(view)) {
    after = std::find_if(after, mentions.end(), [&](const Mention& one) { return one.end > number.begin; });
    if (after != mentions.end() && after->begin < number.end) continue;  // within the name of a counter
    if (!clause.has(number.begin)) clause = clause_around(view, number.begin);
    const Stated stated = how_stated(view, number, clause);
    if (stated == Stated::no) continue;
    Claim claim;
    claim.text = text.substr(number.begin, number.end - number.begin);
    claim.number = number.claimed;
    const auto take = [&](const Mention& mention) {
      const JudgedFact* const before = claim.fact;
      hold_against(mention.phrase->facts, clause.is_complement, claim);
      if (claim.fact != before) claim.about = text.substr(mention.begin, mention.end - mention.begin);
    };
    if (after != mentions.begin() && stated == Stated::yes) {
      const Mention& before = *std::prev(after);
      if (leads_to_value(view.substr(before.end, number.begin - before.end))) take(before);
    }
    if (after != mentions.end()) {
      const std::string_view gap = view.substr(number.end, after->begin - number.end);
      const bool follows = stated == Stated::yes ? links(gap, words_after()) : trim(gap).empty();
      // "76 % of memory bandwidth is wasted"
      const bool is_of_rest = has_any(words_of(view.substr(after->end, read_around)), words_of_complements());
      if (follows && !is_of_rest) take(*after);
    }
    if (claim.fact) claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace frx::report
