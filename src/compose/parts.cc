#include "compose/parts.h"

namespace frx::compose {

void add_list(Document& page, std::string_view heading, std::span<const std::string> sentences, answer::Part part) {
  if (!sentences.empty()) page.section(heading, part);
  for (const std::string& sentence : sentences) page.hanging("- ", sentence);
}

}  // namespace frx::compose
