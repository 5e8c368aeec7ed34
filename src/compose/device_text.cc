#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/findings.h"

namespace frx::compose {
namespace {

using model::KernelResources;
using report::DeviceKernel;
using report::DeviceReport;

constexpr std::size_t device_kernels_shown = 20;

std::string architectures_text(const DeviceReport& report) {
  std::vector<std::string> names;
  for (const KernelResources& kernel : report.code.kernels) names.push_back(kernel.architecture);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names.empty() ? "none" : join(names, ", ");
}

template <typename Number>
std::string or_unknown(const std::optional<Number>& value, std::string_view unit) {
  return value ? fmt::format("{} {}", *value, unit) : fmt::format("unknown {}", unit);
}

std::string spills_text(const KernelResources& kernel) {
  if (kernel.spills) {
    const std::uint64_t bytes = kernel.spills->store_bytes + kernel.spills->load_bytes;
    return bytes == 0 ? "no spills" : fmt::format("{} bytes spilled, {} read back", kernel.spills->store_bytes, kernel.spills->load_bytes);
  }
  return kernel.local
             ? fmt::format("{} for local memory, spills not marked", count_text(kernel.local->loads + kernel.local->stores, "instruction"))
             : "spills unknown";
}

std::string device_occupancy_text(const DeviceKernel& kernel) {
  std::vector<std::string> sizes;
  for (const derive::KernelOccupancy& at : kernel.occupancy) {
    if (at.occupancy.known()) sizes.push_back(fmt::format("{:.0f} % with {}", *at.occupancy.occupancy_pct, at.threads_per_block));
  }
  return sizes.empty() ? "" : fmt::format("occupancy on {} by threads per block: {}", kernel.gpu, join(sizes, ", "));
}

void add_kernel(Document& page, const DeviceReport& report, const DeviceKernel& device) {
  const KernelResources& kernel = report.code.kernels[device.index];
  const std::string& called = kernel.demangled.empty() ? kernel.name : kernel.demangled;
  const std::string of = kernel.member.empty() ? kernel.architecture : kernel.architecture + ", " + clip(printable(kernel.member), 30);
  page.paragraph(as_name(called, Fit::cut) + fmt::format(" ({})", of), 2, Tone::bold);
  page.paragraph(fmt::format("{}, {}, {}, {}", or_unknown(kernel.registers_per_thread, "registers"),
                             or_unknown(kernel.static_shared_bytes, "bytes of shared memory"),
                             or_unknown(kernel.frame_bytes, "bytes of stack"), spills_text(kernel)),
                 4);
  page.paragraph(device_occupancy_text(device), 4, Tone::dim);
}

void add_kernels(Document& page, const DeviceReport& report) {
  const std::size_t shown = std::min(device_kernels_shown, report.kernels.size());
  page.section("Kernels", shown < report.kernels.size() ? fmt::format("({} of {}; --json has all)", shown, report.kernels.size())
                                                        : fmt::format("({})", shown));
  if (report.kernels.empty()) {
    page.paragraph(report.code.ptx.empty() ? "None: there is machine code in the file, but no kernel in it."
                                           : "None: the file carries PTX only, which the driver compiles when it loads it.");
  }
  for (const DeviceKernel& kernel : std::span(report.kernels).first(shown)) add_kernel(page, report, kernel);
}

}  // namespace

Document document_of(const DeviceReport& report) {
  Document page;
  page.headline = count_text(report.findings.size(), "finding") + " in device code";
  page.title("FRX device code analysis");
  page.fact("File", as_name(report.source));
  if (!report.gpu.empty()) page.fact("GPU", report.gpu);
  page.fact("Machine code", fmt::format("{} for {}", count_text(report.code.kernels.size(), "kernel"), architectures_text(report)));
  std::vector<std::string> ptx;
  for (const model::EmbeddedPtx& one : report.code.ptx) ptx.push_back(one.architecture);
  page.fact("PTX", ptx.empty() ? "none" : join(ptx, ", "));
  add_findings(page, report.findings, findings_shown);
  add_kernels(page, report);
  for (const auto& one : report.ptx) {
    page.section("PTX for",
                 fmt::format("{}: {}", one->target.empty() ? "?" : one->target, count_text(one->diagnosis.kernels.size(), "kernel")));
    add_labels(page, one->diagnosis.labels);
    if (one->diagnosis.labels.empty()) page.paragraph("Nothing in the code stands out.");
  }
  add_notes(page, report.notes);
  return page;
}

}  // namespace frx::compose
