#include "ingest/cuda/preprocessor.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/day.h"
#include "base/text.h"
#include "ingest/cuda/condition.h"
#include "ingest/cuda/directive.h"
#include "ingest/cuda/expand_macros.h"
#include "ingest/cuda/known_macros.h"
#include "ingest/cuda/macro_table.h"
#include "ingest/cuda/scanner.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::Macro;
using model::cuda::Suppression;

constexpr std::size_t deepest_condition = 1000;
constexpr int most_aliases = 8;

// Whether a comment that suppresses does so today: "RULE until 2026-06-30: reason" does to the end of that day. A day that is none
// suppresses nothing, for it would do so for ever.
bool still_holds(std::string_view words) {
  for (std::size_t at = words.find("until "); at != words.npos; at = words.find("until ", at + 1)) {
    const std::string_view day = trim(words.substr(at + 6)).substr(0, 10);
    if (day.empty() || day[0] < '0' || day[0] > '9') continue;  // until something else
    return is_day(day) && day >= today();
  }
  return true;
}

class Reader {
 public:
  Reader(std::string_view text, const Surroundings& around) : text_(text), around_(around), scanner_(text) {
    out_.text = text;
    for (std::string definition : around.definitions) {  // N=4
      const std::size_t sign = definition.find('=');
      definition = sign == definition.npos ? definition + " 1" : definition.replace(sign, 1, " ");
      if (std::optional<Macro> macro = macro_of(definition)) macros_.define(std::move(*macro), 0, true);
    }
  }

  Preprocessed read() {
    scan();
    out_.macros = macros_.all();
    expand();
    return std::move(out_);
  }

  MacroTable read_macros() {
    scan();
    return std::move(macros_);
  }

 private:
  void scan() {
    for (Piece piece = scanner_.next(); piece.kind != Piece::end; piece = scanner_.next()) {
      follow_word(piece);
      if (piece.kind == Piece::code) {
        if (!is_dead()) see_code(piece);
        if (is_dead()) blank(piece.begin, piece.begin + piece.size);
        continue;
      }
      if (piece.kind == Piece::newline) {
        ++line_;
        continue;
      }
      const std::string_view spelling = scanner_.of(piece);
      if (piece.kind == Piece::directive) obey(piece);
      if (piece.kind == Piece::comment && !is_dead()) note_suppression(spelling);
      if (piece.kind == Piece::text && !is_dead()) see_text(spelling);
      if (is_dead() && piece.kind != Piece::directive) blank(piece.begin, piece.begin + piece.size);
      line_ += static_cast<std::uint32_t>(std::ranges::count(spelling, '\n'));
    }
    join_word();
  }

  // One branch of a condition, with the facts that decide whether two branches are compatible.
  struct Side {
    std::size_t begin = 0, end = 0;
    int brackets = 0;      // opened minus closed
    int code_depth = 0;    // after it
    bool is_whole = true;  // brackets never closed what another branch opened, and it ends as a statement does
    char last = ';';
  };
  struct Condition {
    bool is_dead = false;     // this branch
    bool is_certain = false;  // this branch, and all around it, are taken whatever is defined elsewhere
    bool parent_certain = false;
    bool had_unknown = false;  // a branch before this one may be taken
    bool was_taken = false;    // one branch is known to hold: all later ones are dead
    bool parent_dead = false;
    int code_depth = 0;       // before it
    std::vector<Side> sides;  // the branches that stay
    std::size_t chosen = 0;   // the one to keep where only one can be
    bool is_chosen = false;
  };

  bool is_dead() const { return !open_.empty() && open_.back().is_dead; }
  bool is_certain() const { return open_.empty() || open_.back().is_certain; }

  // What the text itself says of a name counts before what headers say.
  const MacroDefinition* macro_at(std::string_view name, std::size_t place) const {
    if (macros_.is_known(name)) return macros_.at(name, place);
    const MacroDefinition* of_header = around_.macro ? around_.macro(name) : nullptr;
    return of_header ? of_header : known_here(name);
  }

  // Before all definitions are known: which of them holds is asked when names are expanded.
  bool may_name_macro(std::string_view word) const {
    if (macros_.may_know(word)) return true;
    const bool is_of_header = around_.macro && (!around_.names || around_.names->may_have(word)) && around_.macro(word);
    return is_of_header || known_here(word) || word == "_Pragma";
  }

  // using __int64 = std::int64_t; typedef int __int16; the text gives the name a meaning of its own.
  const MacroDefinition* known_here(std::string_view name) const {
    const MacroDefinition* const known = known_macro(name);
    if (!known || known->macro.is_function) return known;
    const auto [at, is_new] = own_types_.try_emplace(std::string(name), false);
    if (is_new) {
      const std::string word(name);
      at->second = text_.find("using " + word) != text_.npos || text_.find(' ' + word + ';') != text_.npos;
    }
    return at->second ? nullptr : known;
  }

  void expand() {
    if (names_.empty()) return;
    std::ranges::sort(names_);  // a word that was joined stands behind its parts
    std::optional<ExpandedText> expanded =
        expand_macros(out_.text, names_, [&](std::string_view name, std::size_t place) { return macro_at(name, place); });
    if (!expanded) return;
    out_.text = std::move(expanded->text);
    out_.origins = std::move(expanded->origins);
    out_.unrolls.insert(out_.unrolls.end(), expanded->unrolls.begin(), expanded->unrolls.end());
    std::ranges::stable_sort(out_.unrolls, {}, &model::cuda::Unroll::end);
  }

  void blank(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (out_.text[i] != '\n' && out_.text[i] != '\r') out_.text[i] = ' ';
    }
  }

  // A backslash at the end of a line joins it to the next one, also inside of a word: __glo\ and bal__.
  void follow_word(const Piece& piece) {
    if (word_.empty() && !is_cut_word(piece)) return;
    const bool is_next = !word_.empty() && piece.begin == word_end_;
    if (piece.kind == Piece::newline && is_spliced_) {
      word_end_ = piece.begin + 1;
      is_spliced_ = false;
    } else if (is_next && piece.kind == Piece::code && scanner_.of(piece) == "\\") {
      is_spliced_ = true;
    } else {
      const bool is_word = piece.kind == Piece::code && is_word_character(text_[piece.begin]);
      if (!is_next || !is_word || is_spliced_) join_word();
      if (!is_word || is_dead()) return;
      word_.push_back(piece);
      word_end_ = piece.begin + piece.size;
    }
  }

  bool is_cut_word(const Piece& piece) const {
    const std::size_t end = piece.begin + piece.size;
    return piece.kind == Piece::code && end < text_.size() && text_[end] == '\\' && is_word_character(text_[piece.begin]);
  }

  // The parts of the word stand together then, and the ends of its lines behind it, so that nothing else moves.
  void join_word() {
    if (word_.size() > 1) {
      const std::size_t begin = word_.front().begin, end = word_.back().begin + word_.back().size;
      std::string joined, behind;
      for (const Piece& piece : word_) joined += scanner_.of(piece);
      for (const char c : text_.substr(begin, end - begin)) behind += c == '\n' ? "\n" : "";
      joined += behind;
      joined.resize(end - begin, ' ');
      out_.text.replace(begin, end - begin, joined);
      names_.push_back(static_cast<std::uint32_t>(begin));
    }
    word_.clear();
    is_spliced_ = false;
  }

  // A macro of an unknown header that is named as one that defines kernels is replaced by that meaning, where the word fits.
  void show_kernel(const Piece& piece, std::string_view spelling) {
    if (!spelling.ends_with("KERNEL_ATTRIBUTES") || macros_.is_known(spelling)) return;
    blank(piece.begin, piece.begin + piece.size);
    out_.text.replace(piece.begin, kernel_word.size(), kernel_word);
  }

  void see_text(std::string_view spelling) {
    last_ = '"';
    last_word_ = spelling;
  }

  void see_code(const Piece& piece) {
    const std::string_view spelling = scanner_.of(piece);
    const char first = spelling.front();
    if (!is_word_character(first)) {
      see_mark(first);
    } else if (first < '0' || first > '9') {
      show_kernel(piece, spelling);
      if (may_name_macro(spelling)) names_.push_back(static_cast<std::uint32_t>(piece.begin));
    }
    last_ = spelling.back();
    last_word_ = spelling;
  }

  // Inside functions only one branch of a condition is kept: both together would be a program that does not exist. A body is a bracket
  // after the parameters, with everything in it.
  void see_mark(char mark) {
    if (mark == '}' && code_depth_ > 0) --code_depth_;
    if (mark == '{') {
      const bool is_body = last_ == ')' || last_word_ == "const" || last_word_ == "noexcept" || last_word_ == "override";
      if (code_depth_ > 0 || is_body) ++code_depth_;
    }
    if (open_.empty()) return;
    Side& side = open_.back().sides.back();
    if (mark == '{' || mark == '(') ++side.brackets;
    if ((mark == '}' || mark == ')') && --side.brackets < 0) side.is_whole = false;
  }

  void obey(const Piece& piece) {
    const std::string_view spelling = scanner_.of(piece);
    const Directive directive = directive_of(spelling);
    blank(piece.begin, piece.begin + piece.size);
    if (directive.word.starts_with("if")) return begin_condition(piece, directive);
    if (directive.word.starts_with("el")) return turn(piece, directive);
    if (directive.word == "endif") return end_condition(piece);
    if (is_dead()) return;
    if (directive.word == "define") define(directive.rest, piece.begin);
    if (directive.word == "undef") macros_.undefine(name_in_front(directive.rest), piece.begin, is_certain());
    guard_.clear();
    if (directive.word == "pragma") note_unroll(piece, directive.rest);
  }

  // "defined(X)" for `#ifdef X`.
  static std::string question_of(const Directive& directive) {
    if (directive.word == "ifdef" || directive.word == "elifdef") return "defined(" + directive.rest + ")";
    if (directive.word == "ifndef" || directive.word == "elifndef") return "!defined(" + directive.rest + ")";
    return directive.word == "else" ? "1" : directive.rest;
  }

  static std::string_view name_in_front(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size() && is_word_character(text[size])) ++size;
    return text.substr(0, size);
  }

  std::optional<std::int64_t> number_of(std::string_view name, std::size_t place) const {
    for (int i = 0; i < most_aliases; ++i) {
      const MacroDefinition* found = macro_at(name, place);
      if (!found || found->macro.is_function) return std::nullopt;
      std::string_view body = found->macro.body;
      while (body.size() > 2 && body.starts_with('(') && body.ends_with(')')) body = trim(body.substr(1, body.size() - 2));
      std::int64_t value = 0;
      const char* end = body.data() + body.size();
      const auto read = std::from_chars(body.data(), end, value);
      if (read.ec == std::errc() && read.ptr == end && !body.empty()) return value;
      if (name_in_front(body).size() != body.size()) return std::nullopt;
      name = body;
    }
    return std::nullopt;
  }

  void begin_condition(const Piece& piece, const Directive& directive) {
    Condition condition;
    condition.parent_dead = is_dead() || open_.size() >= deepest_condition;
    condition.parent_certain = is_certain();
    condition.code_depth = code_depth_;
    open_.push_back(std::move(condition));
    begin_side(piece, directive);
  }

  void begin_side(const Piece& piece, const Directive& directive) {
    Condition& condition = open_.back();
    const auto numbers = [&](std::string_view name) { return number_of(name, piece.begin); };
    const auto defined = [&](std::string_view name) { return macros_.is_defined(name, piece.begin); };
    const std::string question = question_of(directive);
    const std::optional<bool> holds = condition.parent_dead ? std::nullopt : truth_of(question, numbers, defined, around_.compiler);
    condition.is_certain = condition.parent_certain && holds == true && !condition.had_unknown;
    condition.had_unknown = condition.had_unknown || !holds;
    guard_ = !holds && open_.size() == 1 && question.starts_with("!defined(") ? question : "";
    condition.is_dead = condition.parent_dead || condition.was_taken || holds == false;
    condition.was_taken = condition.was_taken || holds == true;
    if (is_dead()) return;
    if (!condition.is_chosen && likely_truth_of(question, numbers, defined, around_.compiler).value_or(true)) {
      condition.is_chosen = true;
      condition.chosen = condition.sides.size();
    }
    code_depth_ = condition.code_depth;
    Side side;
    side.begin = piece.begin + piece.size;
    condition.sides.push_back(side);
  }

  void end_side(const Piece& piece) {
    if (is_dead() || open_.back().sides.empty()) return;
    Side& side = open_.back().sides.back();
    side.end = piece.begin;
    side.is_whole = side.is_whole && side.brackets == 0 && (last_ == ';' || last_ == '}');
    side.code_depth = code_depth_;
  }

  void turn(const Piece& piece, const Directive& directive) {
    if (open_.empty()) return;
    end_side(piece);
    begin_side(piece, directive);
  }

  // `#if NDEBUG`, nothing, `#else`, a check: of sides of which each may be built, one that has something.
  std::size_t side_to_keep(const Condition& condition) const {
    const auto has_code = [&](const Side& side) {
      return !trim(std::string_view(out_.text).substr(side.begin, side.end - side.begin)).empty();
    };
    if (has_code(condition.sides[condition.chosen])) return condition.chosen;
    const auto other = std::ranges::find_if(condition.sides, has_code);
    return other == condition.sides.end() ? condition.chosen : static_cast<std::size_t>(other - condition.sides.begin());
  }

  void end_condition(const Piece& piece) {
    if (open_.empty()) return;
    end_side(piece);
    const Condition condition = std::move(open_.back());
    open_.pop_back();
    if (condition.sides.empty()) return;
    const bool fit = condition.code_depth == 0 && std::ranges::all_of(condition.sides, &Side::is_whole);
    const std::size_t chosen = side_to_keep(condition);
    for (std::size_t i = 0; !fit && i < condition.sides.size(); ++i) {
      if (i == chosen) continue;
      blank(condition.sides[i].begin, condition.sides[i].end);
      macros_.forget(condition.sides[i].begin, condition.sides[i].end);
    }
    const Side& kept = condition.sides[chosen];
    code_depth_ = kept.code_depth;
    // The rest is a part of the enclosing branch.
    if (!is_dead() && !open_.empty()) open_.back().sides.back().brackets += kept.brackets;
  }

  void define(std::string_view rest, std::size_t place) {
    std::optional<Macro> macro = macro_of(rest);
    if (!macro) return;
    // A guard against reading a header twice: the header is read once.
    if (!guard_.empty() && macro->body.empty() && guard_ == "!defined(" + macro->name + ")") open_.back().is_certain = true;
    macros_.define(std::move(*macro), place, is_certain());
  }

  void note_unroll(const Piece& piece, std::string_view rest) {
    if (!rest.starts_with("unroll")) return;
    rest.remove_prefix(6);
    rest = trim(rest);
    if (rest.starts_with('(') && rest.ends_with(')')) rest = trim(rest.substr(1, rest.size() - 2));
    out_.unrolls.push_back({static_cast<std::uint32_t>(piece.begin + piece.size), std::string(rest)});
  }

  // "// frx: ignore a, b"; the line is the last one of the comment.
  void note_suppression(std::string_view comment) {
    std::size_t at = comment.find("frx:");
    if (at == comment.npos) return;
    std::string_view words = trim(comment.substr(at + 4));
    const bool whole_file = words.starts_with("ignore-file");
    if (!whole_file && !words.starts_with("ignore")) return;
    words.remove_prefix(whole_file ? 11 : 6);
    if (words.ends_with("*/")) words.remove_suffix(2);
    if (!still_holds(words)) return;
    const auto lines = static_cast<std::uint32_t>(std::count(comment.begin(), comment.end(), '\n'));
    for (std::string_view rule : split(words, ',')) {
      rule = trim(rule);
      rule = rule.substr(0, rule.find_first_of(" \t\n\r(:"));  // the text after it is the reason
      out_.suppressions.push_back({whole_file ? 0 : line_ + lines, rule.empty() || rule == "until" ? "*" : std::string(rule)});
    }
  }

  std::string_view text_;
  const Surroundings& around_;
  Scanner scanner_;
  Preprocessed out_;
  std::vector<Condition> open_;
  MacroTable macros_;
  mutable std::unordered_map<std::string, bool> own_types_;  // by name of a known macro that is a type
  std::string guard_;                 // the question of the directive before this one, when it may guard the whole text
  std::vector<std::uint32_t> names_;  // bytes of words that may name macros
  std::vector<Piece> word_;           // the word that was read last, in parts where it goes over lines
  std::size_t word_end_ = 0;          // where its next part would begin
  bool is_spliced_ = false;           // a backslash stands there
  std::uint32_t line_ = 1;
  char last_ = ';';
  std::string_view last_word_;
  int code_depth_ = 0;  // open brackets since the begin of the body of a function
};

}  // namespace

Preprocessed preprocess(std::string_view text, const Surroundings& around) { return Reader(text, around).read(); }

MacroTable macros_in(std::string_view text, const Surroundings& around) { return Reader(text, around).read_macros(); }

}  // namespace frx::ingest::cuda
