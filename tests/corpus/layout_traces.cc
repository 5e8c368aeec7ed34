#include "corpus/layout_traces.h"

#include <fstream>

#include "analyse/layout.h"

namespace frx::corpus {

LayoutCheck check_layouts_of(const std::filesystem::path& trace) {
  LayoutCheck check{trace.filename(), nullptr, ""};
  analyse::Context context{analyse::Options{}};
  const knowledge::Knowledge& known = **context.knowledge();
  analyse::Input input = analyse::input_of(ingest::Source::at(trace.string()), known.metrics);
  report::LayoutRequest request;
  request.model = check.name;
  auto report = analyse::analyse_layout(std::move(input), std::move(request), {}, context);
  if (report) {
    check.report = std::move(*report);
  } else {
    check.refused = report.error().message;
  }
  return check;
}

std::vector<LayoutCheck> check_layouts(const std::filesystem::path& corpus) {
  std::vector<LayoutCheck> checks;
  std::ifstream manifest(corpus / "MANIFEST-torch.tsv");
  std::string line;
  std::getline(manifest, line);  // the heading
  while (std::getline(manifest, line)) {
    const std::filesystem::path trace = corpus / line.substr(0, line.find('\t'));
    if (line.starts_with("torch/") && std::filesystem::exists(trace)) checks.push_back(check_layouts_of(trace));
  }
  return checks;
}

}  // namespace frx::corpus
