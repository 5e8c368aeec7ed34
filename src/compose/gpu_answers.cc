#include "compose/gpu_answers.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/answer_with.h"
#include "compose/gpu_answers_json.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using report::GpuCandidate;
using report::GpuHere;
using report::GpuSheet;
using report::SheetNumber;

constexpr std::size_t number_width = 34;

// Where numbers are from, each source once: "[1]" beside the number, and what it is at the end.
class Sources {
 public:
  std::string mark(const std::string& source) {
    if (source.empty()) return {};
    const auto found = std::find(sources_.begin(), sources_.end(), source);
    const auto place = static_cast<std::size_t>(found - sources_.begin());
    if (found == sources_.end()) sources_.push_back(source);
    return fmt::format(" [{}]", place + 1);
  }
  void add_to(Document& page) const {
    if (sources_.empty()) return;
    page.section("Where the numbers are from", answer::Part::closing);
    for (std::size_t i = 0; i < sources_.size(); ++i) page.hanging(fmt::format("[{}] ", i + 1), sources_[i]);
  }

 private:
  std::vector<std::string> sources_;
};

void add_number(Document& page, const SheetNumber& number, Sources& sources, std::string_view behind = {}) {
  const std::string text = value_text(number) + (behind.empty() || !number.value ? "" : " " + std::string(behind));
  page.fact(number.label, text + sources.mark(number.from), number_width, number.from);
}

void add_numbers(Document& page, const std::vector<SheetNumber>& numbers, Sources& sources) {
  for (const SheetNumber& number : numbers) {
    if (number.value) add_number(page, number, sources);
  }
}

std::string architecture_text(const GpuSheet& sheet) {
  return sheet.compute_capability.empty() ? "N/A" : fmt::format("{} (compute capability {})", sheet.architecture, sheet.compute_capability);
}

// The documented fields, all of them, "N/A" where one is not known.
void add_specification(Document& page, const GpuSheet& sheet, Sources& sources) {
  page.fact("Name", sheet.name.empty() ? "N/A" : answer::as_name(sheet.name), number_width);
  page.fact("Architecture", architecture_text(sheet), number_width);
  for (const SheetNumber& number : sheet.specification)
    add_number(page, number, sources, number.key == "memory_gb" ? sheet.memory_type : "");
}

void add_further_numbers(Document& page, const GpuSheet& sheet, Sources& sources) {
  if (!sheet.dense.empty()) page.section("Peaks by precision, dense");
  add_numbers(page, sheet.dense, sources);
  if (!sheet.sparse.empty()) page.section("Peaks with 2:4 sparsity", "(apart: no ceiling for dense work)");
  add_numbers(page, sheet.sparse, sources);
  const bool has_board = std::any_of(sheet.board.begin(), sheet.board.end(), [](const SheetNumber& one) { return one.value.has_value(); });
  if (has_board || sheet.tdp.value || !sheet.form_factor.empty()) page.section("Board");
  page.fact("Form factor", sheet.form_factor, number_width);
  add_numbers(page, {sheet.tdp}, sources);
  add_numbers(page, sheet.board, sources);
  if (sheet.limits.empty()) return;
  page.section("Limits of an SM", fmt::format("(compute capability {})", sheet.compute_capability));
  add_numbers(page, sheet.limits, sources);
  std::vector<std::string> carve_outs;
  for (const std::uint32_t kib : sheet.shared_carve_outs_kib) carve_outs.push_back(fmt::to_string(kib));
  if (!carve_outs.empty()) page.fact("Shared memory carve-outs", join(carve_outs, ", ") + " KB", number_width);
}

std::string plain_value(const GpuSheet& sheet, std::string_view key) {
  for (const SheetNumber& number : sheet.specification) {
    if (number.key == key) return number.value ? format_number(*number.value) : "N/A";
  }
  return "N/A";
}

Table table_of(const std::vector<GpuCandidate>& gpus) {
  Table table{{{"id", 22, false, 0, true},
               number_column("CC", 5),
               number_column("SMs", 4, 1),
               number_column("GB", 4, 1),
               number_column("GB/s", 6, 1),
               number_column("FP16", 6, 1),
               names_column("driver's name")}};
  for (const GpuCandidate& gpu : gpus) {
    const GpuSheet& sheet = gpu.sheet;
    table.add({sheet.id, sheet.compute_capability, plain_value(sheet, "sm_count"), plain_value(sheet, "memory_gb"),
               plain_value(sheet, "peak_memory_bw_gbps"), plain_value(sheet, "peak_fp16_tflops"), sheet.name});
  }
  return table;
}

Document document_of(const report::GpuList& list) {
  Document page;
  page.headline = count_text(list.gpus.size(), "GPU") + " known";
  page.title("FRX GPUs");
  page.add(table_of(list.gpus));
  page.blank();
  page.paragraph(
      "FP16 is in dense TFLOPS with FP32 accumulation, on tensor cores where there are such. frx gpu show NAME says more, and where "
      "each number is from.");
  return page;
}

Document document_of(const report::GpuLookup& lookup) {
  Document page;
  page.headline = lookup.match.explanation;
  page.title("FRX GPU", lookup.asked);
  page.paragraph(lookup.match.explanation);
  Sources sources;
  if (lookup.sheet) {
    page.section("Specification", answer::Part::verdict);
    add_specification(page, *lookup.sheet, sources);
    add_further_numbers(page, *lookup.sheet, sources);
  }
  if (!lookup.candidates.empty()) {
    page.section("Products of this name", lookup.candidates.size(), lookup.candidates.size(), answer::Part::verdict);
    page.add(table_of(lookup.candidates));
    page.section("The same for all of them");
    if (lookup.agreed.empty()) page.paragraph("Nothing that is shown here.");
    for (const SheetNumber& number : lookup.agreed) page.fact(number.label, value_text(number), number_width, number.from);
  }
  sources.add_to(page);
  return page;
}

std::string mig_text(const GpuHere& here) {
  if (here.gpu.instances.empty()) return here.is_mig ? "enabled: the peaks of the whole GPU are not those of an instance" : "";
  std::vector<std::string> names;
  for (const model::MigInstance& instance : here.gpu.instances) names.push_back(fmt::format("{} ({})", instance.name, instance.uuid));
  return join(names, ", ");
}

void add_here(Document& page, const GpuHere& here, Sources& sources) {
  const model::DetectedGpu& gpu = here.gpu;
  page.section(gpu.index ? fmt::format("GPU {}", *gpu.index) : "GPU", gpu.is_visible ? "" : "(hidden by CUDA_VISIBLE_DEVICES)");
  page.fact("UUID", answer::as_name(gpu.uuid), number_width);
  page.fact("Driver", gpu.driver, number_width);
  page.fact("Told by", gpu.told_by, number_width);
  page.fact("MIG", mig_text(here), number_width);
  page.fact("Product", here.match.explanation, number_width);
  add_specification(page, here.sheet, sources);
  if (here.bandwidth_by_clock_gbps)
    page.fact("Bandwidth by memory clock and bus", fmt::format("{} GB/s", format_number(*here.bandwidth_by_clock_gbps)), number_width);
  if (gpu.power_limit_w)
    page.fact("Power limit",
              fmt::format("{} W", format_number(gpu.power_limit_w->value)) + sources.mark(std::string(gpu.power_limit_w->from)),
              number_width);
  if (gpu.memory_bytes) {
    page.fact("Memory that the driver reports",
              fmt::format("{} GB", format_number(gpu.memory_bytes->value / 1e9)) + sources.mark(std::string(gpu.memory_bytes->from)),
              number_width);
  }
}

Document document_of(const report::GpusHere& here) {
  Document page;
  page.headline = count_text(here.gpus.size(), "GPU") + " on this machine";
  page.title("FRX GPUs of this machine");
  Sources sources;
  for (const GpuHere& one : here.gpus) add_here(page, one, sources);
  sources.add_to(page);
  add_notes(page, here.notes);
  return page;
}

}  // namespace

std::string value_text(const SheetNumber& number) {
  if (!number.value) return "N/A";
  return format_number(*number.value) + (number.unit.empty() ? "" : " " + std::string(number.unit));
}

answer::Answer answer_of(std::shared_ptr<const report::GpuList> list) {
  return answer_with("the GPUs", "gpu_list", std::move(list), document_of, put_gpu_list);
}
answer::Answer answer_of(std::shared_ptr<const report::GpuLookup> lookup) {
  return answer_with("a GPU", "gpu", std::move(lookup), document_of, put_gpu_lookup);
}
answer::Answer answer_of(std::shared_ptr<const report::GpusHere> here) {
  return answer_with("the GPUs of this machine", "gpu_detection", std::move(here), document_of, put_gpus_here);
}

}  // namespace frx::compose
