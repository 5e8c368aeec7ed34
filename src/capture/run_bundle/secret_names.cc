#include "capture/run_bundle/secret_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"

namespace frx::capture {
namespace {

using Words = std::vector<std::string>;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "--wandb.apiKey2" -> wandb, api, key
Words words_of(std::string_view name) {
  Words words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool begins = is_upper(c) && i > 0 && (is_lower(name[i - 1]) || is_digit(name[i - 1]));
    if (begins || !(is_upper(c) || is_lower(c) || is_digit(c))) words.emplace_back();
    if (is_upper(c) || is_lower(c) || is_digit(c)) words.back() += to_lower(std::string_view(&c, 1));
  }
  for (std::string& word : words) {
    while (!word.empty() && is_digit(word.back())) word.pop_back();
  }
  std::erase(words, "");
  return words;
}

template <std::size_t Size>
bool is_one_word_of(const std::array<std::string_view, Size>& all, std::string_view word) {
  return std::ranges::find(all, word) != all.end();
}

// A token of text, not one that opens doors: "--max-tokens", "pad_token", "image_token_id".
bool is_token_of_text(const Words& words) {
  static constexpr std::array<std::string_view, 36> beside = {
      "max",  "min",   "num",     "n",       "new",   "pad",  "eos",  "bos",    "sep",       "unk",   "mask",  "cls",
      "id",   "ids",   "special", "vocab",   "image", "per",  "len",  "length", "limit",     "size",  "dim",   "count",
      "type", "types", "drop",    "dropout", "batch", "stop", "text", "embed",  "embedding", "level", "merge", "budget"};
  return std::ranges::any_of(words, [](const std::string& word) { return is_one_word_of(beside, word); });
}

// Words that leave no doubt, also at the end of a longer one: PGPASSWORD, clientsecret.
bool is_password(std::string_view word) {
  static constexpr std::array<std::string_view, 14> endings = {"password",      "passwd",      "passphrase", "secret",    "apikey",
                                                               "authorization", "credential",  "apitoken",   "accesskey", "secretkey",
                                                               "privatekey",    "accesstoken", "authtoken",  "sshpass"};
  static constexpr std::array<std::string_view, 3> alone = {"passwords", "secrets", "credentials"};
  return is_one_word_of(alone, word) || std::ranges::any_of(endings, [&](std::string_view end) { return word.ends_with(end); });
}

// MYSQL_PWD, --pwd, DB_PASS; PWD is a folder.
bool is_short_password(const Words& words, bool is_option) {
  static constexpr std::array<std::string_view, 14> of_pass = {"db",    "user", "smtp",  "ssh",   "mysql", "postgres", "pg",
                                                               "admin", "root", "redis", "mongo", "login", "proxy",    "http"};
  if (words.back() == "pwd") return words.size() > 1 || is_option;
  return words.back() == "pass" && (words.size() == 1 || is_one_word_of(of_pass, words[words.size() - 2]));
}

bool is_key(std::string_view before, std::string_view word) {
  static constexpr std::array<std::string_view, 17> of_keys = {"api",     "access",     "private", "secret",  "auth",         "license",
                                                               "signing", "encryption", "account", "storage", "subscription", "wandb",
                                                               "hf",      "openai",     "azure",   "master",  "consumer"};
  return (word == "key" || word == "keys") && is_one_word_of(of_keys, before);
}

bool is_place(const Words& words) {
  static constexpr std::array<std::string_view, 6> places = {"file", "path", "dir", "folder", "url", "endpoint"};
  return is_one_word_of(places, words.back()) && std::ranges::find(words, "webhook") == words.end();
}

enum class Naming { none, perhaps, surely };

// In PASSWORD_LENGTH the last word says that it is none, where the value is a number.
Naming naming_of(std::string_view name) {
  const Words words = words_of(name);
  if (words.empty() || is_place(words)) return Naming::none;
  Naming found = is_short_password(words, name.starts_with('-')) || words.back() == "auth" ? Naming::perhaps : Naming::none;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string_view before = i > 0 ? words[i - 1] : std::string_view();
    const bool is_certain = is_password(word) || is_key(before, word) || (before == "connection" && word == "string");
    if (is_certain && i + 1 == words.size()) return Naming::surely;
    const bool is_token = (word == "token" || word == "bearer" || word == "pat") && !is_token_of_text(words);
    if (is_certain || is_token || word == "jwt" || word == "cookie" || word == "webhook") found = Naming::perhaps;
  }
  return found;
}

bool is_switch(std::string_view value) {
  static constexpr std::array<std::string_view, 10> switches = {"", "true", "false", "yes", "no", "on", "off", "none", "null", "~"};
  return is_one_word_of(switches, to_lower(value));
}

bool is_number(std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size();
}

}  // namespace

bool names_a_secret(std::string_view name) { return naming_of(name) != Naming::none; }

bool is_harmless(std::string_view name, std::string_view value) {
  return is_switch(value) || (is_number(value) && naming_of(name) != Naming::surely);
}

}  // namespace frx::capture
