#include "ingest/cuda/expand_macros.h"

#include <algorithm>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "ingest/cuda/expansion_writer.h"
#include "ingest/cuda/macro_body.h"
#include "ingest/cuda/scanner.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::Macro;

constexpr std::size_t most_tokens_of_one = 20'000;  // that one invocation may become, with all that it passes through
constexpr std::size_t most_tokens = 1'000'000;      // of all invocations, and one for each four bytes of the file
constexpr std::size_t bytes_of_token = 16;          // a longer one counts as several
constexpr std::uint32_t deepest_hiding = 64;        // macros that stand in one another
constexpr int deepest_arguments = 24;               // arguments that are expanded within arguments

bool is_word(std::string_view spelling) {
  return !spelling.empty() && is_word_character(spelling[0]) && (spelling[0] < '0' || spelling[0] > '9');
}

class Expander {
 public:
  Expander(std::string_view text, const MacroAt& macro_at) : text_(text), macro_at_(macro_at), scanner_(text), writer_(text) {}

  std::optional<ExpandedText> run(std::span<const std::uint32_t> names) {
    for (const std::uint32_t name : names) {
      const bool is_replaced = name < scanner_.position();
      if (is_replaced || (name > 0 && is_word_character(text_[name - 1]))) continue;
      scanner_.go_to(name);
      const Piece piece = scanner_.next();
      if (piece.kind == Piece::code && piece.begin == name && is_word(scanner_.of(piece))) begin(scanner_.of(piece), name);
    }
    if (!writer_.has_changes()) return std::nullopt;
    ExpandedText result = std::move(writer_).finish();
    result.unrolls = std::move(unrolls_);
    return result;
  }

 private:
  struct Hidden {
    const Macro* macro;
    std::uint32_t outer, depth;
  };
  using MacroArguments = std::vector<MacroTokens>;

  // Where the tokens of an expansion come from: those that are waiting, the next one last, and then the file.
  struct Input {
    MacroTokens waiting;
    bool reads_file = false;
  };

  // --- the macro that a token names, if it is to be replaced

  const Macro* macro_named(std::string_view name, std::uint32_t place, int steps = 0) const {
    const MacroDefinition* found = macro_at_(name, place);
    if (!found || found->use == MacroUse::keep) return nullptr;
    if (found->use == MacroUse::expand) return &found->macro;
    return steps < 8 && macro_named(found->macro.body, place, steps + 1) ? &found->macro : nullptr;
  }

  bool is_hidden(std::uint32_t chain, const Macro* macro) const {
    for (; chain != 0; chain = hidden_[chain - 1].outer) {
      if (hidden_[chain - 1].macro == macro) return true;
    }
    return false;
  }

  std::uint32_t hide(std::uint32_t chain, const Macro* macro) {
    if (is_hidden(chain, macro)) return chain;
    if (!hidden_.empty() && hidden_.back().macro == macro && hidden_.back().outer == chain)
      return static_cast<std::uint32_t>(hidden_.size());
    const std::uint32_t depth = chain == 0 ? 1 : hidden_[chain - 1].depth + 1;
    if (depth > deepest_hiding) gives_up_ = true;
    hidden_.push_back({macro, chain, depth});
    return static_cast<std::uint32_t>(hidden_.size());
  }

  bool spend(std::size_t tokens = 1) {
    spent_ += tokens;
    spent_on_one_ += tokens;
    if (spent_on_one_ > most_tokens_of_one || spent_ > most_tokens + text_.size() / 4) gives_up_ = true;
    return !gives_up_;
  }

  // --- reading

  // The next token of the file that is neither a comment nor the end of a line.
  std::optional<MacroToken> next_of_file() {
    const std::uint32_t before = static_cast<std::uint32_t>(scanner_.position());
    for (Piece piece = scanner_.next(); piece.kind != Piece::end; piece = scanner_.next()) {
      if (piece.kind == Piece::comment || piece.kind == Piece::newline) continue;
      const auto at = static_cast<std::uint32_t>(piece.begin);
      return MacroToken{.spelling = scanner_.of(piece), .file = at, .before = before, .is_spaced = at != before};
    }
    return std::nullopt;
  }

  std::optional<MacroToken> next(Input& input) {
    if (!spend()) return std::nullopt;
    if (!input.waiting.empty()) {
      MacroToken token = input.waiting.back();
      input.waiting.pop_back();
      return token;
    }
    return input.reads_file ? next_of_file() : std::nullopt;
  }

  bool opens_arguments(const Input& input) {
    if (!input.waiting.empty()) return input.waiting.back().spelling == "(";
    if (!input.reads_file) return false;
    const Scanner here = scanner_;
    const std::optional<MacroToken> token = next_of_file();
    scanner_ = here;
    return token && token->spelling == "(";
  }

  // Brackets and all; absent when they do not close.
  std::optional<MacroArguments> arguments(Input& input, const MacroBody& body) {
    next(input);
    closing_ = nowhere;
    MacroArguments all(1);
    for (int depth = 1; true;) {
      const std::optional<MacroToken> token = next(input);
      if (!token) return std::nullopt;
      const std::string_view spelling = token->spelling;
      if (spelling == "(") ++depth;
      if (spelling == ")" && --depth == 0) {
        if (token->file != nowhere) closing_ = token->file + 1;
        break;
      }
      const bool is_rest = body.is_variadic && all.size() == body.parameters;
      if (spelling == "," && depth == 1 && !is_rest) {
        all.emplace_back();
      } else {
        all.back().push_back(*token);
      }
    }
    if (body.parameters == 0 && all.size() == 1 && all[0].empty()) all.clear();
    if (body.is_variadic && all.size() + 1 == body.parameters) all.emplace_back();
    return all.size() == body.parameters ? std::optional(std::move(all)) : std::nullopt;
  }

  // --- replacing

  const MacroBody& body_named(const Macro& macro) {
    const auto [at, is_new] = bodies_.try_emplace(&macro);
    if (is_new) at->second = body_of(macro);
    return at->second;
  }

  void expand(Input& input, std::uint32_t place, MacroTokens& into, int depth) {
    while (!gives_up_ && (!input.waiting.empty())) {
      const std::optional<MacroToken> token = next(input);
      if (!token) return;
      const Macro* macro = is_word(token->spelling) ? macro_named(token->spelling, token->file == nowhere ? place : token->file) : nullptr;
      if (token->spelling == "_Pragma" && opens_arguments(input)) {
        take_pragma(input, place);
      } else if (!macro || is_hidden(token->hidden, macro) || (macro->is_function && !opens_arguments(input))) {
        into.push_back(*token);
      } else {
        replace(*token, *macro, input, place, depth);
      }
    }
  }

  void replace(const MacroToken& name, const Macro& macro, Input& input, std::uint32_t place, int depth) {
    const MacroBody& body = body_named(macro);
    MacroArguments raw;
    if (macro.is_function) {
      std::optional<MacroArguments> read = arguments(input, body);
      if (!read || repeats_code(body, *read)) {
        gives_up_ = true;
        return;
      }
      raw = std::move(*read);
    }
    // A name in the file has a place of its own, also among the arguments of another macro.
    FileRange range = name.invocation;
    if (name.file != nowhere) {
      const std::uint32_t end = name.file + static_cast<std::uint32_t>(name.spelling.size());
      range = {name.file, macro.is_function && closing_ != nowhere ? std::max(closing_, end) : end};
    }
    MacroTokens made = substituted(body, raw, place, depth);
    if (!spend(made.size())) return;
    if (!made.empty()) made.front().is_spaced = name.is_spaced;
    for (MacroToken& token : made) {
      if (token.file == nowhere && token.invocation.begin == nowhere) token.invocation = range;
      token.hidden = hide(token.hidden == 0 ? name.hidden : token.hidden, &macro);
    }
    input.waiting.insert(input.waiting.end(), made.rbegin(), made.rend());
  }

  // A block or a launch that is repeated would be judged as often as it is; it is written once.
  static bool repeats_code(const MacroBody& body, const MacroArguments& raw) {
    std::vector<int> uses(raw.size());
    for (const MacroBody::Part& part : body.parts) {
      if (part.parameter >= 0 && !part.is_stringized) ++uses[static_cast<std::size_t>(part.parameter)];
    }
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (uses[i] > 1 && std::ranges::any_of(raw[i], [](const MacroToken& token) { return token.spelling == "{"; })) return true;
    }
    return false;
  }

  MacroTokens substituted(const MacroBody& body, const MacroArguments& raw, std::uint32_t place, int depth) {
    MacroTokens made;
    std::vector<std::optional<MacroTokens>> expanded(raw.size());
    const bool has_rest = body.is_variadic && !raw.empty() && !raw.back().empty();
    std::size_t dropped_close = body.parts.size();  // the bracket that ends __VA_OPT__(
    for (std::size_t i = 0; i < body.parts.size() && spend(); ++i) {
      const MacroBody::Part& part = body.parts[i];
      if (part.token.spelling == "__VA_OPT__" && body.is_variadic && i + 1 < body.parts.size() && body.parts[i + 1].token.spelling == "(") {
        dropped_close = closing(body, i + 1);
        i = has_rest ? i + 1 : dropped_close;
        continue;
      }
      if (i == dropped_close) continue;
      const bool pastes_next = i + 1 < body.parts.size() && body.parts[i + 1].is_pasted;
      if (part.parameter < 0) {
        if (part.is_stringized) made.push_back({.spelling = "#", .is_spaced = true});
        add(made, std::span(&part.token, 1), part.is_pasted, part.token.is_spaced);
        continue;
      }
      const auto number = static_cast<std::size_t>(part.parameter);
      if (part.is_stringized) {
        made.push_back({.spelling = kept(as_string(raw[number])), .is_spaced = part.token.is_spaced});
      } else if (part.is_pasted && number + 1 == raw.size() && body.is_variadic && !made.empty() && made.back().spelling == ",") {
        if (!has_rest) made.pop_back();  // , ##__VA_ARGS__
        add(made, argument(raw, expanded, number, place, depth), false, true);
      } else if (part.is_pasted || pastes_next) {
        add(made, raw[number], part.is_pasted, part.token.is_spaced);
      } else {
        add(made, argument(raw, expanded, number, place, depth), false, part.token.is_spaced);
      }
    }
    return made;
  }

  const MacroTokens& argument(const MacroArguments& raw, std::vector<std::optional<MacroTokens>>& expanded, std::size_t number,
                              std::uint32_t place, int depth) {
    if (expanded[number]) return *expanded[number];
    expanded[number].emplace();
    if (depth > deepest_arguments) {
      gives_up_ = true;
    } else {
      Input input{MacroTokens(raw[number].rbegin(), raw[number].rend()), false};
      expand(input, place, *expanded[number], depth + 1);
    }
    return *expanded[number];
  }

  void add(MacroTokens& made, std::span<const MacroToken> tokens, bool is_pasted, bool is_spaced) {
    for (const MacroToken& token : tokens) {
      if (!spend(1 + token.spelling.size() / bytes_of_token)) return;
    }
    if (tokens.empty()) return;
    std::size_t first = 0;
    if (is_pasted && !made.empty()) {
      MacroToken joined = made.back();
      joined.spelling = kept(std::string(joined.spelling) + std::string(tokens[0].spelling));
      joined.file = joined.before = nowhere;
      joined.invocation = {};
      made.back() = joined;
      first = 1;
    }
    for (std::size_t i = first; i < tokens.size(); ++i) {
      made.push_back(tokens[i]);
      if (i == 0) made.back().is_spaced = is_spaced;
    }
  }

  static std::size_t closing(const MacroBody& body, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < body.parts.size(); ++i) {
      if (body.parts[i].token.spelling == "(") ++depth;
      if (body.parts[i].token.spelling == ")" && --depth == 0) return i;
    }
    return body.parts.size() - 1;
  }

  std::string_view kept(std::string spelling) {
    spend(spelling.size() / bytes_of_token);
    return made_up_.emplace_back(std::move(spelling));
  }

  static std::string as_string(const MacroTokens& tokens) {
    std::string text = "\"";
    for (const MacroToken& token : tokens) {
      if (token.is_spaced && text.size() > 1) text += ' ';
      for (const char c : token.spelling) {
        if (c == '"' || c == '\\') text += '\\';
        text += c == '\n' ? ' ' : c;
      }
    }
    return text + "\"";
  }

  // _Pragma("unroll 4") leaves no text.
  void take_pragma(Input& input, std::uint32_t place) {
    next(input);
    const std::optional<MacroToken> what = next(input);
    const std::optional<MacroToken> close = next(input);
    if (!what || !close || close->spelling != ")") {
      gives_up_ = true;
      return;
    }
    std::string_view words = what->spelling;
    if (words.size() < 2 || words.front() != '"') return;
    words = trim(words.substr(1, words.size() - 2));
    if (!words.starts_with("unroll")) return;
    words = trim(words.substr(6));
    if (words.starts_with('(') && words.ends_with(')')) words = trim(words.substr(1, words.size() - 2));
    unrolls_of_one_.push_back({place, std::string(words)});
  }

  // --- writing

  void begin(std::string_view word, std::uint32_t place) {
    const bool is_pragma = word == "_Pragma";
    if (!is_pragma && !macro_named(word, place)) return;
    const Scanner behind_name = scanner_;
    Input input{{MacroToken{.spelling = word, .file = place}}, true};
    MacroTokens made;
    gives_up_ = spent_ > most_tokens + text_.size() / 4;
    spent_on_one_ = 0;
    unrolls_of_one_.clear();
    expand(input, place, made, 0);
    const bool is_same = made.size() == 1 && made[0].file == place;
    if (gives_up_ || is_same) {
      scanner_ = behind_name;
      return;
    }
    writer_.replace(place, static_cast<std::uint32_t>(scanner_.position()), made);
    unrolls_.insert(unrolls_.end(), unrolls_of_one_.begin(), unrolls_of_one_.end());
  }

  std::string_view text_;
  const MacroAt& macro_at_;
  Scanner scanner_;
  ExpansionWriter writer_;
  std::uint32_t closing_ = 0;  // the bracket of the last arguments, when it is in the file
  bool gives_up_ = false;      // on this invocation
  std::size_t spent_ = 0, spent_on_one_ = 0;
  std::vector<Hidden> hidden_;
  std::unordered_map<const Macro*, MacroBody> bodies_;
  std::deque<std::string> made_up_;
  std::vector<model::cuda::Unroll> unrolls_, unrolls_of_one_;
};

}  // namespace

std::optional<ExpandedText> expand_macros(std::string_view text, std::span<const std::uint32_t> names, const MacroAt& macro_at) {
  return Expander(text, macro_at).run(names);
}

}  // namespace frx::ingest::cuda
