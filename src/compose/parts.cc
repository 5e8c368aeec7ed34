#include "compose/parts.h"

namespace frx::compose {

std::string in_scientific(double value) {
  std::string text = fmt::format("{:.2e}", value);
  const std::size_t exponent = text.find('e') + 1;
  if (text[exponent] == '+') text.erase(exponent, 1);
  const std::size_t digits = exponent + (text[exponent] == '-' ? 1 : 0);
  while (text.size() - digits > 1 && text[digits] == '0') text.erase(digits, 1);
  return text;
}

void add_list(Document& page, std::string_view heading, std::span<const std::string> sentences, answer::Part part) {
  if (!sentences.empty()) page.section(heading, part);
  for (const std::string& sentence : sentences) page.hanging("- ", sentence);
}

}  // namespace frx::compose
