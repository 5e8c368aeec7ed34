#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/findings.h"
#include "compose/recommendation_text.h"

namespace frx::compose {
namespace {

using diagnose::PtxKernel;
using report::PtxReport;

constexpr std::size_t ptx_kernels_shown = 5, ptx_recommendations_shown = 3;

void add_head(Document& page, const PtxReport& report) {
  page.title("FRX PTX analysis");
  page.fact("File", as_name(report.source));
  page.fact("Target", report.target.empty() ? "not stated" : report.target + (report.version.empty() ? "" : ", PTX ISA " + report.version));
  if (report.gpu.ends_with("(--gpu-model)")) page.fact("GPU", report.gpu);
  if (!report.compiler.empty()) page.fact("Compiled by", report.compiler);
}

void add_verdict(Document& page, const PtxReport& report) {
  page.section("Verdict", answer::Part::verdict);
  page.headline = report.primary_display.empty() ? "nothing in the code stands out"
                                                 : fmt::format("{} ({})", report.primary_display, report.diagnosis.primary);
  page.fact("Primary", page.headline);
  page.fact("Confidence", fmt::format("{}: {}", report.confidence, report.confidence_reason));
  add_labels(page, report.diagnosis.labels);
}

std::string registers_text(const PtxReport& report) {
  const auto most = report.max_registers();
  const auto average = report.average_registers();
  if (!most || !average) return "unknown";
  const std::string how = report.compiler.empty() ? "estimated; ptxas decides" : report.compiler;
  return fmt::format("average {:.1f}, most {} per thread ({})", *average, *most, how);
}

std::string spills_text(const PtxReport& report) {
  std::size_t known = 0, spilling = 0, probable = 0;
  for (const PtxKernel& kernel : report.diagnosis.kernels) {
    if (kernel.compiled && kernel.compiled->spill_store_bytes) {
      ++known;
      if (*kernel.compiled->spill_store_bytes + kernel.compiled->spill_load_bytes.value_or(0) > 0) ++spilling;
    }
    if (kernel.probably_spills) ++probable;
  }
  if (known > 0) return fmt::format("in {} of {}", spilling, count_text(known, "compiled kernel"));
  if (probable > 0) return fmt::format("probable in {}; PTX does not show spills, --with-ptxas does", count_text(probable, "kernel"));
  return "unknown: PTX does not show them, --with-ptxas does";
}

void add_numbers(Document& page, const PtxReport& report) {
  const std::vector<PtxKernel>& kernels = report.diagnosis.kernels;
  page.section("What the code says");
  page.fact("Kernels", fmt::format("{}, {}", count_text(kernels.size(), "kernel"), count_text(report.instructions(), "instruction")));
  if (kernels.empty()) return;
  page.fact("Registers", registers_text(report));
  page.fact("Register spills", spills_text(report));
  const auto* heaviest = &*std::ranges::max_element(kernels, {}, [](const PtxKernel& k) { return k.facts.global_ratio(); });
  page.fact("Global memory", fmt::format("at most {:.2f} of the instructions ({})", heaviest->facts.global_ratio(),
                                         printable(readable_symbol(heaviest->facts.name))));
  const auto uses_fp64 = [](const PtxKernel& k) { return k.facts.of(model::ptx::Category::fp64) > 0; };
  page.fact("FP64", fmt::format("in {} of {}", std::ranges::count_if(kernels, uses_fp64), count_text(kernels.size(), "kernel")));
}

std::string kernel_text(const PtxKernel& kernel) {
  const derive::ptx::KernelFacts& f = kernel.facts;
  const auto registers = derive::ptx::registers_of(f, kernel.compiled);
  std::string text = fmt::format("{}, {} ({} declared), {} global and {} shared accesses", count_text(f.instructions, "instruction"),
                                 registers ? count_text(*registers, "register") : "unknown registers", f.virtual_registers,
                                 f.global_accesses(), f.shared_accesses());
  if (f.local_bytes > 0) text += fmt::format(", {} bytes of stack", f.local_bytes);
  if (f.loops > 0) text += fmt::format(", {}", count_text(f.loops, "loop"));
  if (f.divergent_branches > 0)
    text += fmt::format(", {} of {} may part a warp", f.divergent_branches, count_text(f.conditional_branches, "branch"));
  return text;
}

void add_kernels(Document& page, const PtxReport& report) {
  const std::vector<PtxKernel>& kernels = report.diagnosis.kernels;
  if (kernels.empty()) return;
  const std::size_t shown = std::min(ptx_kernels_shown, kernels.size());
  page.section("Kernels", shown, kernels.size());
  for (std::size_t i = 0; i < shown; ++i) {
    page.paragraph(as_name(readable_symbol(kernels[i].facts.name), Fit::cut), 2, Tone::bold);
    page.paragraph(kernel_text(kernels[i]), 4);
  }
}

}  // namespace

Document document_of(const PtxReport& report) {
  Document page;
  add_head(page, report);
  add_verdict(page, report);
  add_numbers(page, report);
  add_kernels(page, report);
  add_findings(page, report.diagnosis.findings, findings_shown);
  add_recommendations(page, report.advice, ptx_recommendations_shown,
                      "None. Profile the kernel before changing it: frx profile -- ./your_app",
                      {.max_actions = 3, .brief = true, .names_kernel = false});
  add_notes(page, report.notes);
  return page;
}

}  // namespace frx::compose
