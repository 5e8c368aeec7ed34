#include "cli/rule_page_file.h"

#include "render/markdown.h"

namespace frx::cli {

std::string text_of_page(const compose::RulePageFile& file) {
  std::vector<render::PageLink> links;
  for (const auto& [id, words] : file.index) links.push_back({id + ".md", id, words});
  return render::page_of_file(file.page, links);
}

}  // namespace frx::cli
