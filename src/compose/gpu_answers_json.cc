#include "compose/gpu_answers_json.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::unless_empty;
using knowledge::Certainty;
using report::GpuCandidate;
using report::GpuHere;
using report::GpuSheet;
using report::SheetNumber;

std::string_view certainty_text(Certainty certainty) {
  switch (certainty) {
    case Certainty::exact: return "exact";
    case Certainty::family: return "family";
    case Certainty::ambiguous: return "ambiguous";
    case Certainty::unknown: return "unknown";
  }
  return {};
}

void put_number(JsonObject& out, const SheetNumber& number) {
  out.add(number.key, number.unit.empty() ? answer::rounded(number.value, 0) : exact(number.value));
}

void put_numbers(JsonObject& out, const std::vector<SheetNumber>& numbers) {
  for (const SheetNumber& number : numbers) put_number(out, number);
}

void put_sources(JsonObject& out, const std::vector<SheetNumber>& numbers, std::string_view prefix = {}) {
  for (const SheetNumber& number : numbers) {
    if (!number.from.empty()) out.add(std::string(prefix) + std::string(number.key), number.from);
  }
}

void put_provenance(JsonObject& out, const GpuSheet& sheet) {
  put_sources(out, sheet.specification);
  put_sources(out, {sheet.tdp});
  put_sources(out, sheet.board);
  put_sources(out, sheet.dense, "dense_tflops.");
  put_sources(out, sheet.sparse, "sparse_2_4_tflops.");
  if (!sheet.limits.empty()) out.add("limits", sheet.limits.front().from);
}

// The documented fields.
void put_gpu_sheet(JsonObject& out, const GpuSheet& sheet) {
  out.add("id", unless_empty(sheet.id), "name", unless_empty(sheet.name), "architecture", unless_empty(sheet.architecture),
          "compute_capability", unless_empty(sheet.compute_capability));
  put_numbers(out, sheet.specification);
  out.add("memory_type", unless_empty(sheet.memory_type), "form_factor", unless_empty(sheet.form_factor));
  put_number(out, sheet.tdp);
}

void put_sheet(JsonObject& out, const GpuSheet& sheet) {
  put_gpu_sheet(out, sheet);
  put_numbers(out, sheet.board);
  out.object("dense_tflops", [&](JsonObject& inner) { put_numbers(inner, sheet.dense); });
  out.object("sparse_2_4_tflops", [&](JsonObject& inner) { put_numbers(inner, sheet.sparse); });
  out.object("limits", [&](JsonObject& inner) {
    put_numbers(inner, sheet.limits);
    inner.add("shared_carve_outs_kb", sheet.shared_carve_outs_kib);
  });
}

void put_with_provenance(JsonObject& out, const GpuSheet& sheet) {
  put_sheet(out, sheet);
  out.object("provenance", [&](JsonObject& inner) { put_provenance(inner, sheet); });
}

void put_candidate(JsonObject& out, const GpuCandidate& candidate) {
  put_gpu_sheet(out, candidate.sheet);
  out.add("source", candidate.product->source);
}

void put_match(JsonObject& out, const knowledge::GpuMatch& match, const knowledge::GpuProduct* product) {
  std::vector<std::string_view> candidates;
  for (const knowledge::GpuProduct* one : match.candidates) candidates.push_back(one->id);
  out.add("certainty", certainty_text(match.certainty), "product", product ? std::optional(product->id) : std::nullopt, "candidates",
          candidates, "explanation", match.explanation);
}

void put_told_number(JsonObject& out, std::string_view key, const std::optional<model::ToldNumber>& told) {
  if (!told) return out.add(key, nullptr);
  out.object(key, [&](JsonObject& inner) { inner.add("value", exact(told->value), "from", told->from); });
}

void put_driver(JsonObject& out, const model::DetectedGpu& gpu) {
  put_told_number(out, "sm_count", gpu.sm_count);
  put_told_number(out, "threads_per_sm", gpu.threads_per_sm);
  put_told_number(out, "registers_per_sm", gpu.registers_per_sm);
  put_told_number(out, "memory_bytes", gpu.memory_bytes);
  put_told_number(out, "l2_bytes", gpu.l2_bytes);
  put_told_number(out, "shared_per_sm_bytes", gpu.shared_per_sm_bytes);
  put_told_number(out, "shared_per_block_bytes", gpu.shared_per_block_bytes);
  put_told_number(out, "sm_clock_mhz", gpu.sm_clock_mhz);
  put_told_number(out, "memory_clock_mhz", gpu.memory_clock_mhz);
  put_told_number(out, "memory_bus_bits", gpu.memory_bus_bits);
  put_told_number(out, "power_limit_w", gpu.power_limit_w);
}

void put_instance(JsonObject& out, const model::MigInstance& instance) {
  out.add("name", instance.name, "uuid", instance.uuid);
  put_told_number(out, "sm_count", instance.sm_count);
  put_told_number(out, "memory_bytes", instance.memory_bytes);
}

void put_here(JsonObject& out, const GpuHere& here) {
  const model::DetectedGpu& gpu = here.gpu;
  const std::optional<std::string> cc = gpu.cc ? std::optional(knowledge::to_string(*gpu.cc)) : std::nullopt;
  out.add("index", gpu.index, "uuid", unless_empty(gpu.uuid), "name", unless_empty(gpu.name), "driver", unless_empty(gpu.driver), "pci",
          unless_empty(gpu.pci), "told_by", gpu.told_by, "visible", gpu.is_visible, "compute_capability", cc, "is_mig", here.is_mig,
          "mig_enabled", gpu.mig_enabled);
  out.list("mig_instances", gpu.instances, put_instance);
  out.object("match", [&](JsonObject& inner) { put_match(inner, here.match, here.product); });
  out.add("spec_source", unless_empty(here.spec_source), "memory_bw_by_clock_gbps", exact(here.bandwidth_by_clock_gbps));
  out.object("gpu", [&](JsonObject& inner) { put_with_provenance(inner, here.sheet); });
  out.object("driver_values", [&](JsonObject& inner) { put_driver(inner, gpu); });
}

}  // namespace

void put_gpu_list(JsonObject& out, const report::GpuList& list) {
  out.add("schema", "gpu_list_v1");
  out.list("gpus", list.gpus, put_candidate);
}

void put_gpu_lookup(JsonObject& out, const report::GpuLookup& lookup) {
  out.add("schema", "gpu_v1", "asked", lookup.asked);
  const knowledge::GpuProduct* const product = lookup.candidates.empty() ? lookup.match.product : nullptr;
  out.object("match", [&](JsonObject& inner) { put_match(inner, lookup.match, product); });
  out.object("gpu", lookup.sheet, put_with_provenance);
  out.list("candidates", lookup.candidates, put_candidate);
  out.object("agreed", [&](JsonObject& inner) { put_numbers(inner, lookup.agreed); });
}

void put_gpus_here(JsonObject& out, const report::GpusHere& here) {
  out.add("schema", "gpu_detection_v1");
  out.list("gpus", here.gpus, put_here);
  out.add("notes", here.notes);
}

}  // namespace frx::compose
