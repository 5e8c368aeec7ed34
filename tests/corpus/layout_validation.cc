// Prints the first part of docs/validation/layout.md: what the layout advisor says of every trace of the corpus.
//
//   frx_layout_validation CORPUS_DIR

#include <fmt/format.h>

#include <cstdio>

#include "corpus/layout_traces.h"
#include "render/markdown.h"

namespace {

using namespace frx;
using report::LayoutReport;
using report::LayoutSeverity;

constexpr const char* head = R"(# The memory layout advisor

Written by `./dev corpus --write`: first what `frx layout analyze` says of every trace of the corpus (public repositories; not part of this one),
then what it finds in made-up recordings whose faults are known.

## Real traces

*Level*: L0 kernels, L1 operators, L2 shapes, L3 strides, L4 Python frames. *Steps*: steady ones; "all": the recording is one step. *Copies*: of layout, per step.
*Time* and *BW*: the share of these copies in the busy time of the GPU (of a recording of the CPU, in the step) and in its traffic, which is withheld below a
*coverage* of 60 %: the share of the GPU time for which bytes are known. `–`: not known. *Best fix*: the first of the findings, with what it saves at best.

)";

std::string percent_text(const std::optional<double>& share) { return share ? fmt::format("{:.1f} %", *share) : "–"; }

// Names of operators may be anything.
std::string cell(std::string_view text) { return render::markdown_text(text); }

std::string best_fix(const LayoutReport& report) {
  if (report.findings.empty()) return "–";
  const report::LayoutFinding& first = report.findings.front();
  const double saving = first.best_saving_pct();
  return cell(first.phrase) + (saving >= 0.05 ? fmt::format(" ({:.1f} %)", saving) : "");
}

std::string row_of(const LayoutReport& report) {
  const report::LayoutTotals& totals = report.totals;
  return fmt::format("L{} | {} | {} | {} / {} / {} | {:.1f} | {} | {} | {} | {}", static_cast<int>(report.level),
                     report.steps_named.empty() ? "all" : fmt::format("{}", totals.steps), totals.operators,
                     report.count(LayoutSeverity::high), report.count(LayoutSeverity::medium), report.count(LayoutSeverity::low),
                     totals.copies, percent_text(totals.time_overhead_pct), percent_text(totals.bw_overhead_pct),
                     percent_text(totals.coverage_pct), best_fix(report));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::size_t read = 0, refused = 0, with_findings = 0, findings = 0;
  std::string rows;
  for (const corpus::LayoutCheck& check : corpus::check_layouts(argv[1])) {
    if (!check.report) {
      ++refused;
      rows += fmt::format("| {} | refused: {} | | | | | | | | |\n", check.name, cell(check.refused));
      continue;
    }
    ++read;
    findings += check.report->findings.size();
    with_findings += !check.report->findings.empty();
    rows += fmt::format("| {} | {} |\n", check.name, row_of(*check.report));
  }
  std::fputs(head, stdout);
  fmt::print("{} files: {} read, {} refused; {} findings in {} of them.\n\n", read + refused, read, refused, findings, with_findings);
  fmt::print(
      "| File | Level | Steps | Operators | HIGH / MEDIUM / LOW | Copies | Time | BW | Coverage | Best fix "
      "|\n|---|---|--:|--:|---|--:|--:|--:|--:|---|\n{}",
      rows);
  return 0;
}
