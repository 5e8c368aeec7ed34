#include "capture/run_bundle/secrets.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace frx::capture {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_character(char c) { return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || c == '-'; }

// "--wandb.apiKey" -> wandb, api, key
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool begins = is_upper(c) && i > 0 && (is_lower(name[i - 1]) || is_digit(name[i - 1]));
    if (begins || !(is_upper(c) || is_lower(c) || is_digit(c))) words.emplace_back();
    if (is_upper(c) || is_lower(c) || is_digit(c)) words.back() += to_lower(std::string_view(&c, 1));
  }
  std::erase(words, "");
  return words;
}

template <std::size_t Size>
bool is_one_word_of(const std::array<std::string_view, Size>& all, std::string_view word) {
  return std::ranges::find(all, word) != all.end();
}

// A token of text, not one that opens doors: "--max-tokens", "pad_token", "image_token_id".
bool is_token_of_text(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 36> beside = {
      "max",  "min",   "num",     "n",       "new",   "pad",  "eos",  "bos",    "sep",       "unk",   "mask",  "cls",
      "id",   "ids",   "special", "vocab",   "image", "per",  "len",  "length", "limit",     "size",  "dim",   "count",
      "type", "types", "drop",    "dropout", "batch", "stop", "text", "embed",  "embedding", "level", "merge", "budget"};
  return std::ranges::any_of(words, [](const std::string& word) { return is_one_word_of(beside, word); });
}

bool is_number_or_switch(std::string_view value) {
  static constexpr std::array<std::string_view, 9> switches = {"", "true", "false", "yes", "no", "on", "off", "none", "null"};
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return is_one_word_of(switches, to_lower(value)) || (error == std::errc() && end == value.data() + value.size());
}

// What services give out begins so; the rest are characters of the same word.
struct Form {
  std::string_view begin;
  std::size_t least = 0;  // characters, the beginning included
};
constexpr std::array<Form, 22> forms = {
    {{"hf_", 20},   {"sk-", 20},    {"ghp_", 20},      {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20},       {"ghr_", 20},  {"glpat-", 20},
     {"xoxb-", 20}, {"xoxp-", 20},  {"xoxa-", 20},     {"AKIA", 20}, {"ASIA", 20}, {"AIza", 35},       {"ya29.", 20}, {"npm_", 20},
     {"pypi-", 20}, {"nvapi-", 20}, {"dckr_pat_", 20}, {"eyJ", 40},  {"rpa_", 20}, {"github_pat_", 22}}};

// The length of a secret that begins at `text`, or 0.
std::size_t known_secret_at(std::string_view text) {
  for (const Form& form : forms) {
    if (!text.starts_with(form.begin)) continue;
    std::size_t end = form.begin.size();
    while (end < text.size() && (is_word_character(text[end]) || text[end] == '.')) ++end;  // the parts of a JSON web token
    if (end >= form.least) return end;
  }
  return 0;
}

// "https://user:password@host" -> "https://user:***@host"
std::string without_password(std::string text) {
  const std::size_t scheme = text.find("://");
  if (scheme == text.npos) return text;
  const std::size_t begin = scheme + 3, end = text.find_first_of("/?#", begin);
  const std::size_t at = text.substr(0, end).rfind('@');
  if (at == text.npos || at < begin) return text;
  const std::size_t colon = text.find(':', begin);
  const std::size_t from = colon < at ? colon + 1 : begin;  // a token alone stands in place of the user
  return text.replace(from, at - from, hidden);
}

// "https://host/a?token=X&b=1" -> "https://host/a?token=***&b=1"
std::string without_query_secrets(const std::string& text) {
  const std::size_t query = text.find("://") == text.npos ? text.npos : text.find('?');
  if (query == text.npos) return text;
  std::vector<std::string> parts;
  for (const std::string_view part : split(std::string_view(text).substr(query + 1), '&')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const bool is_secret =
        equals != part.npos && (names_a_secret(name) || to_lower(name) == "sig" || to_lower(name).ends_with("signature"));
    parts.push_back(is_secret ? fmt::format("{}={}", name, hidden) : std::string(part));
  }
  return text.substr(0, query + 1) + join(parts, "&");
}

std::string without_secrets_of_form(const std::string& text) {
  return without_query_secrets(without_password(without_known_secrets(text)));
}

// "Authorization: Bearer X" -> "Authorization: ***"
std::string without_header(const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (colon == text.npos || colon > 40 || text.find(' ') < colon) return text;
  return names_a_secret(std::string_view(text).substr(0, colon)) ? text.substr(0, colon + 2) + std::string(hidden) : text;
}

bool is_name_character(char c) { return is_word_character(c) || c == '.' || c == '+' || c == '/' || c == '@'; }

// NAME=VALUE, also behind dashes.
std::string without_assigned(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) return text;
  const std::string_view name = std::string_view(text).substr(0, equals), value = std::string_view(text).substr(equals + 1);
  const bool is_name = std::ranges::all_of(name, is_name_character);
  return is_name && names_a_secret(name) && !is_number_or_switch(value) ? fmt::format("{}={}", name, hidden) : text;
}

// login(token='X') -> login(token='***')
std::string without_assigned_inside(const std::string& word) {
  std::string kept;
  std::size_t from = 0;
  for (std::size_t equals = word.find('='); equals != word.npos; equals = word.find('=', equals + 1)) {
    std::size_t begin = equals;
    while (begin > from && is_name_character(word[begin - 1])) --begin;
    std::size_t value = equals + 1;
    if (value < word.size() && (word[value] == '"' || word[value] == '\'')) ++value;
    const std::size_t end = std::min(word.find_first_of("\"'),;&|", value), word.size());
    const bool is_secret = names_a_secret(std::string_view(word).substr(begin, equals - begin)) &&
                           !is_number_or_switch(std::string_view(word).substr(value, end - value));
    if (!is_secret || value < from) continue;
    kept += word.substr(from, value - from) + std::string(hidden);
    from = end;
  }
  return kept + word.substr(from);
}

// A program given as text: `sh -c "train --password X"`, `python -c "login(token='X')"`.
std::string without_secrets_of_script(std::string_view script) {
  constexpr std::string_view blanks = " \t\n\r";
  std::string kept;
  bool is_secret = false;
  while (!script.empty()) {
    const std::size_t blank = std::min(script.find_first_not_of(blanks), script.size());
    kept += script.substr(0, blank);
    script.remove_prefix(blank);
    const std::size_t end = std::min(script.find_first_of(blanks), script.size());
    const std::string word(script.substr(0, end));
    script.remove_prefix(end);
    const bool is_option = word.starts_with('-');
    kept += is_secret && !is_option && !is_number_or_switch(word) ? std::string(hidden) : without_assigned_inside(word);
    is_secret = is_option && word.find('=') == word.npos && names_a_secret(word);
  }
  return kept;
}

// "  api_key: X" -> "  api_key: '***'"
std::string line_without_secrets(const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (colon != line.npos && names_a_secret(std::string_view(line).substr(0, colon)) && !is_number_or_switch(trim(line.substr(colon + 2))))
    return fmt::format("{}: \"{}\"", line.substr(0, colon), hidden);
  return without_secrets_of_form(line);
}

}  // namespace

bool names_a_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 10> always = {"password", "passwd",        "passphrase", "secret",      "secrets",
                                                              "apikey",   "authorization", "credential", "credentials", "apitoken"};
  static constexpr std::array<std::string_view, 6> places = {"file", "path", "dir", "folder", "url", "endpoint"};
  static constexpr std::array<std::string_view, 8> of_keys = {"api",  "access",  "private", "secret",
                                                              "auth", "license", "signing", "encryption"};
  const std::vector<std::string> words = words_of(name);
  if (!words.empty() && is_one_word_of(places, words.back())) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_one_word_of(always, words[i])) return true;
    if (words[i] == "key" && i > 0 && is_one_word_of(of_keys, words[i - 1])) return true;
    if (words[i] == "auth" && i + 1 == words.size()) return true;
    if ((words[i] == "token" || words[i] == "bearer" || words[i] == "pat") && !is_token_of_text(words)) return true;
  }
  return false;
}

std::string without_known_secrets(std::string_view text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins_word = at == 0 || !is_word_character(text[at - 1]);
    const std::size_t secret = begins_word ? known_secret_at(text.substr(at)) : 0;
    secret > 0 ? kept += hidden : kept += text[at];
    at += std::max<std::size_t>(secret, 1);
  }
  return kept;
}

std::vector<std::string> without_secrets(const std::vector<std::string>& arguments) {
  std::vector<std::string> kept;
  bool is_secret = false;  // what follows `--password`
  for (const std::string& argument : arguments) {
    const bool is_option = argument.starts_with('-') && argument.size() > 1;
    if (is_secret && !is_number_or_switch(argument) && !argument.starts_with("--")) {
      kept.emplace_back(hidden);
      is_secret = false;
      continue;
    }
    is_secret = is_option && argument.find('=') == argument.npos && argument.find(' ') == argument.npos && names_a_secret(argument);
    const std::string known = without_header(without_secrets_of_form(argument));
    kept.push_back(known.find_first_of(" \t\n") == known.npos ? without_assigned(known) : without_secrets_of_script(known));
  }
  return kept;
}

std::string yaml_without_secrets(const std::string& text, const OrderedJson& settings) {
  const OrderedJson wanted = without_secrets(settings);
  if (wanted == settings) return text;
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(line_without_secrets(std::string(line)));
  std::string kept = join(lines, "\n");
  const Result<Document> document = parse_yaml("", kept);  // a secret on lines of its own is still there
  if (document && json_of(Value(document->view())) == wanted) return kept;
  return fmt::format("# left out: it has what looks like a credential\n");
}

OrderedJson without_secrets(const OrderedJson& settings) {
  if (settings.is_string()) return without_secrets_of_form(settings.get<std::string>());
  OrderedJson kept = settings;
  if (settings.is_array()) {
    for (OrderedJson& one : kept) one = without_secrets(one);
  } else if (settings.is_object()) {
    for (auto& [name, value] : kept.items()) {
      const bool is_secret = value.is_string() && names_a_secret(name) && !is_number_or_switch(value.get<std::string>());
      value = is_secret ? OrderedJson(hidden) : without_secrets(value);
    }
  }
  return kept;
}

}  // namespace frx::capture
