#include "base/shell_words.h"

namespace frx {

Result<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      in_word = true;
    } else if (c == quote) {
      quote = 0;
    } else {
      if (c == '\\' && quote != '\'' && i + 1 < text.size()) ++i;
      word += text[i];
      in_word = true;
    }
  }
  if (quote != 0) return fail(ErrorKind::malformed, "a quote stays open");
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace frx
