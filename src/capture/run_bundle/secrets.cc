#include "capture/run_bundle/secrets.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "capture/run_bundle/secret_names.h"

namespace frx::capture {
namespace {

constexpr std::string_view blanks = " \t\n\r";
constexpr std::string_view quotes = "\"'`";

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_word_character(char c) { return is_letter(c) || is_decimal_digit(c) || c == '_' || c == '-'; }
bool is_name_character(char c) { return is_word_character(c) || c == '.' || c == '+' || c == '/' || c == '@'; }
bool is_one_of(std::string_view all, char c) { return all.find(c) != all.npos; }
std::size_t find_end(std::string_view text, std::string_view ends, std::size_t from) {
  return std::min(text.find_first_of(ends, from), text.size());
}

// What services give out begins so; the rest are characters of the same word.
struct Form {
  std::string_view begin;
  std::size_t least = 0;  // characters, the beginning included
};
constexpr std::array<Form, 40> forms = {
    {{"hf_", 20},       {"sk-", 20},    {"sk_", 20},         {"rk_", 20},    {"ghp_", 20},    {"gho_", 20},   {"ghu_", 20},
     {"ghs_", 20},      {"ghr_", 20},   {"glpat-", 20},      {"glrt-", 20},  {"gldt-", 20},   {"xoxb-", 20},  {"xoxp-", 20},
     {"xoxa-", 20},     {"xoxe-", 20},  {"xoxs-", 20},       {"xapp-", 20},  {"AKIA", 20},    {"ASIA", 20},   {"AIza", 35},
     {"ya29.", 20},     {"npm_", 20},   {"pypi-", 20},       {"nvapi-", 20}, {"eyJ", 40},     {"rpa_", 20},   {"SG.", 40},
     {"dckr_pat_", 20}, {"gsk_", 20},   {"github_pat_", 22}, {"hvs.", 20},   {"dop_v1_", 20}, {"shpat_", 20}, {"tskey-", 20},
     {"r8_", 30},       {"whsec_", 20}, {"PMAK-", 20},       {"ATATT", 30},  {"lin_api_", 20}}};

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

// What makes the rest of a word a secret: the scheme of an Authorization, an address that takes posts without a login.
std::size_t length_of_lead_in(std::string_view text) {
  constexpr std::size_t least = 8;
  constexpr std::array<std::string_view, 4> lead_ins = {"Bearer ", "bearer ", "hooks.slack.com/services/", "/api/webhooks/"};
  for (const std::string_view one : lead_ins) {
    if (text.starts_with(one) && find_end(text, " \t\n\r\"'`,;", one.size()) - one.size() >= least) return one.size();
  }
  return 0;
}

// The end of an address: it has neither blanks nor quotes.
std::size_t address_end(std::string_view text, std::size_t from) { return find_end(text, " \t\n\r\"'`<>,;", from); }

// The '@' behind user and password, at or after `begin`. A '/' in a password is not written as it should be, and happens.
std::size_t end_of_password(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t path = std::min(find_end(text, "/?#", begin), end);
  if (const std::size_t at = text.substr(begin, path - begin).rfind('@'); at != text.npos) return begin + at;
  const std::size_t colon = text.substr(0, path).find(':', begin);
  if (colon == text.npos || std::ranges::all_of(text.substr(colon + 1, path - colon - 1), is_decimal_digit)) return text.npos;  // a port
  const std::size_t at = text.substr(0, end).find('@', path);
  return at;
}

// "https://user:password@host" -> "https://user:***@host", in all addresses of the text.
std::string without_passwords(std::string_view text) {
  std::string kept;
  std::size_t from = 0;
  for (std::size_t scheme = text.find("://"); scheme != text.npos; scheme = text.find("://", scheme + 3)) {
    const std::size_t begin = scheme + 3;
    const std::size_t at = begin < from ? text.npos : end_of_password(text, begin, address_end(text, begin));
    if (at == text.npos) continue;
    const std::size_t colon = text.find(':', begin);
    const std::size_t secret = colon < at ? colon + 1 : begin;  // a token alone stands in place of the user
    kept += std::string(text.substr(from, secret - from)) + std::string(hidden);
    from = at;
  }
  return kept + std::string(text.substr(from));
}

std::string without_secrets_of_form(const std::string& text) { return without_passwords(without_known_secrets(text)); }

// https://host/a?X-Amz-Signature=X
bool is_signature_of_address(std::string_view text, std::size_t begin, std::string_view name) {
  if (begin == 0 || !is_one_of("?&", text[begin - 1])) return false;
  return to_lower(name) == "sig" || to_lower(name).ends_with("signature");
}

// NAME=VALUE, also behind dashes: all that follows is the value.
std::string without_assigned(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) return text;
  const std::string_view name = std::string_view(text).substr(0, equals), value = std::string_view(text).substr(equals + 1);
  const bool is_name = std::ranges::all_of(name, is_name_character);
  return is_name && names_a_secret(name) && !is_harmless(name, value) ? fmt::format("{}={}", name, hidden) : text;
}

struct Part {
  std::size_t begin = 0, end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

// The name before a sign: `token=`, `token =`, `"api_key":`, `\"api_key\":`.
Part name_before(std::string_view text, std::size_t sign, std::size_t from) {
  std::size_t end = sign;
  while (end > from && is_one_of(" \t", text[end - 1])) --end;
  if (end > from && is_one_of(quotes, text[end - 1])) --end;
  if (end > from && text[end - 1] == '\\') --end;
  std::size_t begin = end;
  while (begin > from && is_name_character(text[begin - 1])) --begin;
  return {begin, end};
}

// The value behind a sign, without its quotes.
Part value_behind(std::string_view text, std::size_t sign, const Part& name) {
  const bool is_header = text[sign] == ':';
  std::size_t begin = sign + 1;
  const bool may_be_apart = is_header || name.end < sign;
  while (may_be_apart && begin < text.size() && is_one_of(" \t", text[begin])) ++begin;
  const bool is_apart = begin > sign + 1;
  const std::size_t escaped = text.substr(begin).starts_with('\\') ? 1 : 0;
  if (begin + escaped < text.size() && is_one_of(quotes, text[begin + escaped])) {
    const std::string_view quote = text.substr(begin, escaped + 1);
    begin += quote.size();
    return {begin, std::min(text.find(quote, begin), text.size())};
  }
  // -H "Authorization: Bearer X"
  if (is_header && name.begin > 0 && is_one_of(quotes, text[name.begin - 1]))
    return {begin, find_end(text, text.substr(name.begin - 1, 1), begin)};
  return {begin, find_end(text, is_header && is_apart ? "\n\"'`}" : " \t\n\r\"'`),;&|}", begin)};
}

// login(token='X') -> login(token='***'), {"api_key": "X"} -> {"api_key": "***"}, Authorization: Bearer X -> Authorization: ***
std::string without_named(std::string_view text) {
  std::string kept;
  std::size_t from = 0;
  for (std::size_t sign = text.find_first_of("=:"); sign != text.npos; sign = text.find_first_of("=:", std::max(sign + 1, from))) {
    if (text.substr(sign).starts_with("://") || text.substr(sign).starts_with("==")) continue;
    const Part name = name_before(text, sign, from);
    const std::string_view named = name.of(text);
    if (named.empty() || !(names_a_secret(named) || is_signature_of_address(text, name.begin, named))) continue;
    const Part value = value_behind(text, sign, name);
    const std::string_view words = value.of(text);
    if (words == hidden || is_harmless(named, trim(words))) continue;
    kept += std::string(text.substr(from, value.begin - from)) + std::string(hidden);
    from = value.end;
  }
  return kept + std::string(text.substr(from));
}

// What follows `-u`, for curl and others: "me:password"; numbers are those of users and groups.
std::string without_password_of_user(const std::string& pair) {
  const std::size_t colon = pair.find(':');
  const bool is_numbers = std::ranges::all_of(pair, [](char c) { return is_decimal_digit(c) || c == ':'; });
  return colon == pair.npos || is_numbers ? pair : pair.substr(0, colon + 1) + std::string(hidden);
}

bool takes_user(std::string_view option) { return option == "-u" || option == "--user" || option == "--proxy-user"; }

// `wandb login X`, where nothing but its place and its length says what it is.
bool is_login_key(std::string_view before, std::string_view word) {
  constexpr std::size_t size = 40;
  return before == "login" && word.size() == size &&
         std::ranges::all_of(word, [](char c) { return is_decimal_digit(c) || (c >= 'a' && c <= 'f'); });
}

// What an argument hides of the next one.
std::string shown_behind(std::string_view option, const std::string& value) {
  const bool is_option = option.starts_with('-') && option.size() > 1 && option.find_first_of("= ") == option.npos;
  if (takes_user(option)) return without_password_of_user(value);
  if (is_login_key(option, value)) return std::string(hidden);
  return is_option && names_a_secret(option) && !is_harmless(option, value) && !value.starts_with("--") ? std::string(hidden) : value;
}

// The end of the word at the start of `text`: quoted, it may have blanks.
std::size_t word_end(std::string_view text) {
  const bool is_quoted = is_one_of(quotes, text.front());
  const std::size_t close = is_quoted ? text.find(text.front(), 1) : text.npos;
  return close == text.npos ? find_end(text, blanks, 0) : find_end(text, blanks, close + 1);
}

// A program given as text: `sh -c "train --password X"`, `python -c "login(token='X')"`.
std::string without_secrets_of_script(std::string_view script) {
  std::string kept;
  std::string_view before;
  while (!script.empty()) {
    const std::size_t blank = std::min(script.find_first_not_of(blanks), script.size());
    kept += script.substr(0, blank);
    script.remove_prefix(blank);
    if (script.empty()) break;
    const std::size_t first = find_end(script, blanks, 0);
    const std::size_t whole = before.starts_with('-') ? word_end(script) : first;
    const std::string word(script.substr(0, whole));
    const std::string shown = shown_behind(before, word);
    // What is no secret is looked at word by word.
    const std::size_t size = shown == word ? first : whole;
    kept += shown == word ? word.substr(0, size) : shown;
    before = script.substr(0, size);
    script.remove_prefix(size);
  }
  return kept;
}

std::string without_secrets_of_text(const std::string& text) {
  const std::string known = without_secrets_of_form(text);
  if (known.find_first_of(blanks) == known.npos) return without_named(without_assigned(known));
  return without_secrets_of_script(without_named(known));
}

// "  api_key: X  # mine" -> "  api_key: "***""
std::string line_without_secrets(const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (colon != line.npos && names_a_secret(std::string_view(line).substr(0, colon))) {
    const std::string_view rest = trim(std::string_view(line).substr(colon + 2));
    std::string_view value = trim(rest.substr(0, rest.find(" #")));
    if (value.size() > 1 && is_one_of(quotes, value.front()) && value.back() == value.front()) value = value.substr(1, value.size() - 2);
    if (!is_harmless(std::string_view(line).substr(0, colon), value)) return fmt::format("{}: \"{}\"", line.substr(0, colon), hidden);
  }
  const std::size_t item = line.find("- ");
  const std::size_t begin = colon != line.npos ? colon + 2 : item != line.npos ? item + 2 : 0;
  return line.substr(0, begin) + without_secrets_of_text(line.substr(begin));
}

std::string comment_without_secrets(const std::string& line) {
  const std::size_t begin = line.starts_with('#') ? 0 : std::min(line.find(" #"), line.size());
  return line.substr(0, begin) + without_named(line_without_secrets(line.substr(begin)));
}

OrderedJson all_hidden(const OrderedJson& settings, std::string_view name) {
  if (settings.is_string()) return is_harmless(name, settings.get<std::string>()) ? settings : OrderedJson(hidden);
  if (settings.is_number()) return is_harmless(name, "1") ? settings : OrderedJson(hidden);
  if (!settings.is_structured()) return settings;
  OrderedJson kept = settings;
  for (auto& [key, value] : kept.items()) value = all_hidden(value, name);
  return kept;
}

}  // namespace

std::string without_known_secrets(std::string_view text) {
  if (text.find("PRIVATE KEY-----") != text.npos) return std::string(hidden);
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins_word = at == 0 || !is_word_character(text[at - 1]);
    const std::size_t secret = begins_word ? known_secret_at(text.substr(at)) : 0;
    const std::size_t lead_in = secret == 0 ? length_of_lead_in(text.substr(at)) : 0;
    if (secret > 0) {
      kept += hidden;
      at += secret;
    } else if (lead_in > 0) {
      kept += std::string(text.substr(at, lead_in)) + std::string(hidden);
      at = find_end(text, " \t\n\r\"'`,;", at + lead_in);
    } else {
      kept += text[at++];
    }
  }
  return kept;
}

std::vector<std::string> without_secrets(const std::vector<std::string>& arguments) {
  std::vector<std::string> kept;
  std::string_view before;
  const bool is_sshpass = !arguments.empty() && file_name_in(arguments.front()) == "sshpass";
  for (const std::string& argument : arguments) {
    const std::string shown = is_sshpass && before == "-p" ? std::string(hidden) : shown_behind(before, argument);
    kept.push_back(shown == argument ? without_secrets_of_text(argument) : shown);
    before = argument;
  }
  return kept;
}

std::string yaml_without_secrets(const std::string& text, const OrderedJson& settings) {
  const OrderedJson wanted = without_secrets(settings);
  const bool is_in_comments = wanted == settings;
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    lines.push_back(is_in_comments ? comment_without_secrets(std::string(line)) : line_without_secrets(std::string(line)));
  }
  std::string kept = join(lines, "\n");
  if (kept == text && is_in_comments) return kept;
  const Result<Document> document = parse_yaml("", kept);  // a secret on lines of its own is still there
  if (document && json_of(Value(document->view())) == wanted) return kept;
  return fmt::format("# left out: it has what looks like a credential\n");
}

OrderedJson without_secrets(const OrderedJson& settings) {
  if (settings.is_string()) return without_secrets_of_text(settings.get<std::string>());
  OrderedJson kept = settings;
  if (settings.is_array()) {
    for (OrderedJson& one : kept) one = without_secrets(one);
  } else if (settings.is_object()) {
    for (auto& [name, value] : kept.items()) value = names_a_secret(name) ? all_hidden(value, name) : without_secrets(value);
  }
  return kept;
}

}  // namespace frx::capture
