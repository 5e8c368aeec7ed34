#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/figures.h"
#include "compose/findings.h"
#include "report/finding_tiers.h"

namespace frx::compose {
namespace {

using SourceKernel = model::cuda::Kernel;
using report::CudaReport;

constexpr std::size_t source_kernels_shown = 10, advised_shown = 3, unread_shown = 10;

std::string words(const std::vector<std::string>& list) { return list.empty() ? "none seen" : join(list, ", "); }

// What was not read cannot have findings, which must not be taken for a good sign.
void add_unread(Document& page, const std::vector<model::cuda::UnreadKernel>& kernels) {
  if (kernels.empty()) return;
  page.fact("Not read", count_text(kernels.size(), "kernel") + ": nothing is said about " + (kernels.size() == 1 ? "it" : "them"));
  const std::size_t shown = std::min(unread_shown, kernels.size());
  for (const model::cuda::UnreadKernel& kernel : std::span(kernels).first(shown)) {
    const std::string name = kernel.name.empty() ? "a kernel without a name" : printable(kernel.name);
    page.hanging("- ", fmt::format("{} {}: {}", name, place_text(kernel.place), kernel.why));
  }
  if (shown < kernels.size()) page.paragraph(fmt::format("and {} more; --json has all", kernels.size() - shown));
}

void add_head(Document& page, const CudaReport& report) {
  page.headline = count_text(report.findings.size(), "finding") + " in CUDA source";
  page.title("FRX CUDA source analysis");
  if (report.files.size() == 1)
    page.fact("File", as_name(report.files[0]));
  else
    page.fact("Files", count_text(report.files.size(), "file"));
  page.fact("GPU", report.gpu.empty() ? "none named; --gpu-model adds occupancy and its limits" : report.gpu);
  page.fact("Kernels", fmt::format("{}, {}", count_text(report.inspection.kernels.size(), "kernel"),
                                   count_text(report.inspection.launches.size(), "launch")));
  add_unread(page, report.inspection.not_read);
}

void add_kernels(Document& page, const CudaReport& report) {
  const std::vector<SourceKernel>& kernels = report.inspection.kernels;
  if (kernels.empty()) return;
  const std::size_t shown = std::min(source_kernels_shown, kernels.size());
  page.section("Kernels", shown, kernels.size());
  for (const SourceKernel& kernel : std::span(kernels).first(shown)) {
    page.paragraph(as_name(kernel.name, Fit::half) + " " + as_name(place_text(kernel.place)), 2, Tone::bold);
    page.hanging("indexing: ", words(kernel.indexing_patterns), 4, Tone::dim);
    page.hanging("memory  : ", words(kernel.memory_access_styles), 4, Tone::dim);
    if (!kernel.atomics.empty()) page.hanging("atomics : ", words(kernel.atomics), 4, Tone::dim);
    if (!kernel.is_complete) page.paragraph("too long or too deeply nested to follow to the end", 4);
  }
}

std::string candidates_text(const model::cuda::LaunchAdvice& advice) {
  std::vector<std::string> sizes;
  for (const model::cuda::LaunchCandidate& candidate : advice.candidates) {
    sizes.push_back(candidate.occupancy_pct ? fmt::format("{} ({:.0f} % occupancy at most)", candidate.block_size, *candidate.occupancy_pct)
                                            : std::to_string(candidate.block_size));
  }
  return join(sizes, ", ");
}

void add_advice(Document& page, const CudaReport& report) {
  const auto& all = report.inspection.advice;
  if (all.empty()) return;
  const std::size_t shown = std::min(advised_shown, all.size());
  page.section("Launch advisor", shown, all.size());
  for (const model::cuda::LaunchAdvice& advice : std::span(all).first(shown)) {
    page.hanging(clip(printable(advice.kernel), 40) + ": ", "block sizes to try: " + candidates_text(advice), 2, Tone::bold);
    if (!advice.notes.empty()) page.paragraph(advice.notes[0], 4);
  }
}

}  // namespace

Document document_of(const CudaReport& report) {
  Document page;
  add_head(page, report);
  const bool is_all_read = report.inspection.not_read.empty() && report.not_understood == 0;
  add_findings(page, report.findings, findings_shown, is_all_read ? "None." : "None in what was read, which is not all of the source.");
  if (const std::size_t more = report::pedantic_count(report); more > 0) {
    page.paragraph(
        fmt::format("--pedantic shows {} more: style, and guesses that the source alone does not settle.", count_text(more, "finding")));
  }
  add_figures(page, report);
  add_kernels(page, report);
  add_advice(page, report);
  page.section("How sure this is", answer::Part::closing);
  page.paragraph(fmt::format("Read from the source, {} and not measured. Profile before and after a change: frx profile -- ./your_app",
                             report.held_against_ptx ? "held against PTX" : "not compiled"));
  for (const std::string& note : report.notes) page.hanging("- ", note);
  return page;
}

}  // namespace frx::compose
