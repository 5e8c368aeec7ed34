// What the layout advisor says of the traces of the corpus.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "report/layout/layout_report.h"

namespace frx::corpus {

struct LayoutCheck {
  std::string name;
  std::shared_ptr<const report::LayoutReport> report;  // null: refused
  std::string refused;                                 // why
};

// As `frx layout analyze FILE` without options.
LayoutCheck check_layouts_of(const std::filesystem::path& trace);

// Every trace of the corpus, in the order of the manifest.
std::vector<LayoutCheck> check_layouts(const std::filesystem::path& corpus);

}  // namespace frx::corpus
