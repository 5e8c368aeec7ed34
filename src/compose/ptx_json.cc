#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "compose/code_findings.h"
#include "compose/json.h"
#include "compose/ncu_json.h"
#include "compose/ptx_report.h"

namespace frx::compose {
namespace {

using derive::ptx::KernelFacts;
using diagnose::PtxKernel;
using model::ptx::Category;
using report::PtxReport;

// Counts by documented name; a barrier is one of the others there.
Json mix_json(const KernelFacts& facts) {
  Json mix = object_for(facts.mix.size());
  for (std::size_t i = 0; i < facts.mix.size(); ++i) {
    const auto category = static_cast<Category>(i);
    if (category != Category::barrier) mix[std::string(name_of(category))] = facts.mix[i];
  }
  mix["other"] = facts.of(Category::other) + facts.of(Category::barrier);
  return mix;
}

// true and false only where a compiler told; PTX has no spills.
Json spilled_json(const PtxKernel& kernel) {
  if (!kernel.compiled || !kernel.compiled->spill_store_bytes) return nullptr;
  return *kernel.compiled->spill_store_bytes + kernel.compiled->spill_load_bytes.value_or(0) > 0;
}

void add_registers(Json& json, const PtxKernel& kernel) {
  const KernelFacts& f = kernel.facts;
  json["register_count"] = f.virtual_registers;
  Json breakdown = Json::object();
  for (const auto& [type, count] : f.registers_by_type) breakdown[std::string(name_of(type))] = count;
  json["register_breakdown"] = std::move(breakdown);
  json["register_estimate"] = f.pressure.known ? Json(derive::ptx::estimated_registers(f.pressure)) : Json(nullptr);
  json["live_registers"] = f.pressure.known ? Json(f.pressure.registers) : Json(nullptr);
  json["registers"] = kernel.compiled ? or_null(kernel.compiled->registers) : Json(nullptr);
  json["register_budget"] = f.register_budget > 0 ? Json(f.register_budget) : Json(nullptr);
}

void add_spills(Json& json, const PtxKernel& kernel) {
  const KernelFacts& f = kernel.facts;
  json["local_memory_bytes"] = f.local_bytes;
  json["spills_detected"] = json["has_register_spills"] = spilled_json(kernel);
  json["spills_probable"] = kernel.probably_spills;
  json["spill_loads"] = json["spill_load_count"] = f.of(Category::local_load);
  json["spill_stores"] = json["spill_store_count"] = f.of(Category::local_store);
  json["spill_load_bytes"] = kernel.compiled ? or_null(kernel.compiled->spill_load_bytes) : Json(nullptr);
  json["spill_store_bytes"] = kernel.compiled ? or_null(kernel.compiled->spill_store_bytes) : Json(nullptr);
}

void add_flow(Json& json, const KernelFacts& f) {
  json["branch_count"] = f.branches;
  json["conditional_branch_count"] = f.conditional_branches;
  json["divergent_branch_count"] = f.divergent_branches;
  json["estimated_loop_count"] = f.loops;
  json["loop_depth"] = f.loop_depth;
  json["has_back_edge"] = f.loops > 0;
  json["barrier_count"] = f.barriers;
}

void add_capabilities(Json& json, const KernelFacts& f) {
  const bool fp64 = f.of(Category::fp64) > 0, tensor = f.of(Category::tensor) > 0, atomics = f.of(Category::atomic) > 0,
             sfu = f.of(Category::sfu) > 0;
  json["capability_flags"] = {{"fp64", fp64}, {"tensor_cores", tensor}, {"atomics", atomics}, {"sfu", sfu}};
  json["has_fp64"] = fp64;
  json["has_tensor_ops"] = tensor;
  json["has_atomics"] = atomics;
  json["has_special_function_ops"] = sfu;
  json["has_fp64_data_movement"] = f.fp64_memory_operations > 0;
  json["fp64_data_movement_count"] = f.fp64_memory_operations;
}

using FindingsByKernel = std::unordered_map<std::string_view, std::vector<const model::CodeFinding*>>;

Json costly_json(const std::vector<derive::ptx::CostlyAccess>& costly, const model::ptx::Module& module) {
  Json list = Json::array();
  for (const derive::ptx::CostlyAccess& one : costly) {
    const derive::ptx::MemoryAccess& access = one.access;
    const model::TextPlace place = derive::ptx::place_of(module, access.instruction);
    Json json = object_for(12);
    json["line"] = place.line;
    json["bytes_per_lane"] = access.bytes;
    json["kind"] = name_of(access.kind);
    json["address"] = access.formula;
    json["source_line"] = place.source_line > 0 ? Json(place.source_line) : Json(nullptr);
    json["block"] = {one.block.x, one.block.y, one.block.z};
    json["in_every_plausible_block"] = one.in_all_shapes;
    json["typical"] = access.cost->typical;
    json["ideal"] = access.cost->ideal;
    json["neighbours_use_rest"] = one.neighbours_use_rest;
    json["exact"] = access.cost->exact;
    json["in_words"] = access.sentence;
    list.push_back(std::move(json));
  }
  return list;
}

Json kinds_json(const std::array<std::uint64_t, derive::ptx::access_kind_count>& counts) {
  Json json = object_for(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) json[std::string(name_of(static_cast<derive::ptx::AccessKind>(i)))] = counts[i];
  return json;
}

// Sectors for global memory, wavefronts for shared memory, per request of a warp.
Json accesses_json(const KernelFacts& facts, const model::ptx::Module& module) {
  const derive::ptx::AccessSummary& a = facts.accesses;
  Json shapes = Json::array();
  for (const derive::ptx::BlockShape& shape : a.shapes) shapes.push_back({shape.x, shape.y, shape.z});
  Json json = object_for(8);
  json["plausible_blocks"] = std::move(shapes);
  json["global_by_kind"] = kinds_json(a.global);
  json["shared_by_kind"] = kinds_json(a.shared);
  json["uncoalesced_count"] = a.uncoalesced_count;
  json["thread_blocked_count"] = a.blocked_count;
  json["bank_conflict_count"] = a.conflicting_count;
  json["uncoalesced"] = costly_json(a.uncoalesced, module);
  json["bank_conflicts"] = costly_json(a.conflicting, module);
  return json;
}

Json kernel_json(const PtxKernel& kernel, const model::ptx::Module& module, const FindingsByKernel& findings) {
  const KernelFacts& f = kernel.facts;
  Json json = object_for(64);
  json["kernel_name"] = f.name;
  json["display_name"] = readable_symbol(f.name);
  json["line"] = f.function->line;
  add_registers(json, kernel);
  add_spills(json, kernel);
  json["static_shared_bytes"] = f.shared_bytes;
  json["uses_dynamic_shared_memory"] = f.dynamic_shared;
  json["instruction_count"] = f.instructions;
  json["instruction_mix"] = mix_json(f);
  json["global_load_count"] = f.of(Category::global_load);
  json["global_store_count"] = f.of(Category::global_store);
  json["shared_load_count"] = f.of(Category::shared_load);
  json["shared_store_count"] = f.of(Category::shared_store);
  json["global_memory_ratio"] = number(f.global_ratio());
  json["memory_accesses"] = accesses_json(f, module);
  add_flow(json, f);
  add_capabilities(json, f);
  json["findings"] = Json::array();
  if (const auto own = findings.find(f.name); own != findings.end()) {
    for (const model::CodeFinding* finding : own->second) json["findings"].push_back(finding_json(*finding));
  }
  return json;
}

template <typename Test>
std::size_t count(const PtxReport& report, Test test) {
  return static_cast<std::size_t>(std::ranges::count_if(report.diagnosis.kernels, test));
}

template <typename Number>
auto sum(const PtxReport& report, Number number) {
  std::uint64_t total = 0;
  for (const PtxKernel& kernel : report.diagnosis.kernels) total += number(kernel.facts);
  return total;
}

Json dominant_category(const PtxReport& report) {
  std::array<std::uint64_t, derive::ptx::category_count> mix{};
  for (const PtxKernel& kernel : report.diagnosis.kernels) {
    for (std::size_t i = 0; i < mix.size(); ++i) mix[i] += kernel.facts.mix[i];
  }
  const auto most = std::ranges::max_element(mix);
  if (*most == 0) return nullptr;
  return name_of(static_cast<Category>(most - mix.begin()));
}

// null: PTX alone does not tell.
Json any_spills(const PtxReport& report) {
  bool known = true;
  for (const PtxKernel& kernel : report.diagnosis.kernels) {
    const Json spilled = spilled_json(kernel);
    if (spilled.is_boolean() && spilled.get<bool>()) return true;
    known = known && !spilled.is_null();
  }
  return known ? Json(false) : Json(nullptr);
}

Json summary_json(const PtxReport& report) {
  const auto& kernels = report.diagnosis.kernels;
  double most_global = 0, sum_global = 0, most_branches = 0;
  for (const PtxKernel& kernel : kernels) {
    most_global = std::max(most_global, kernel.facts.global_ratio());
    sum_global += kernel.facts.global_ratio();
    most_branches = std::max(most_branches, kernel.facts.conditional_branch_density());
  }
  const auto share = [&](double value) { return kernels.empty() ? Json(nullptr) : number(value); };
  Json json{{"kernel_count", kernels.size()},
            {"device_function_count", report.diagnosis.device_functions},
            {"total_instructions", report.instructions()}};
  json["avg_register_count"] = number(report.average_registers(), 1);
  json["max_register_count"] = or_null(report.max_registers());
  json["registers_from"] = kernels.empty() ? Json(nullptr) : Json(report.compiler.empty() ? "estimate" : report.compiler);
  json["any_spills"] = kernels.empty() ? Json(nullptr) : any_spills(report);
  json["kernels_with_spills"] = count(report, [](const PtxKernel& k) { return spilled_json(k) == Json(true); });
  json["kernels_with_probable_spills"] = count(report, [](const PtxKernel& k) { return k.probably_spills; });
  json["total_spill_loads"] = sum(report, [](const KernelFacts& f) { return f.of(Category::local_load); });
  json["total_spill_stores"] = sum(report, [](const KernelFacts& f) { return f.of(Category::local_store); });
  json["dominant_instruction_category"] = dominant_category(report);
  json["kernels_with_fp64"] = count(report, [](const PtxKernel& k) { return k.facts.of(Category::fp64) > 0; });
  json["has_fp64"] = json["kernels_with_fp64"] > 0;
  json["kernels_with_fp64_data_movement"] = count(report, [](const PtxKernel& k) { return k.facts.fp64_memory_operations > 0; });
  json["has_fp64_data_movement"] = json["kernels_with_fp64_data_movement"] > 0;
  json["total_fp64_data_movement_ops"] = sum(report, [](const KernelFacts& f) { return f.fp64_memory_operations; });
  json["has_tensor_ops"] = count(report, [](const PtxKernel& k) { return k.facts.of(Category::tensor) > 0; }) > 0;
  json["max_global_memory_ratio"] = share(most_global);
  json["avg_global_memory_ratio"] = share(kernels.empty() ? 0 : sum_global / static_cast<double>(kernels.size()));
  json["kernels_with_high_global_memory_ratio"] = count(report, [](const PtxKernel& k) { return k.facts.global_ratio() > 0.30; });
  json["kernels_without_shared_memory"] = count(report, [](const PtxKernel& k) { return k.facts.shared_accesses() == 0; });
  json["max_branch_density"] = share(most_branches);
  json["kernels_with_high_branch_density"] = count(report, [](const PtxKernel& k) { return k.facts.conditional_branch_density() > 0.15; });
  return json;
}

Json labels_json(const PtxReport& report) {
  Json list = Json::array();
  for (const diagnose::CodeLabelFinding& label : report.diagnosis.labels) {
    list.push_back({{"label", label.id},
                    {"display", label.display},
                    {"score", number(label.score)},
                    {"proof", name_of(label.proof)},
                    {"evidence", Json::array({label.evidence})}});
  }
  return list;
}

Json secondary_json(const PtxReport& report) {
  Json list = Json::array();
  for (const diagnose::CodeLabelFinding& label : report.diagnosis.labels) {
    if (label.id != report.diagnosis.primary && label.proof != knowledge::Proof::unproven) list.push_back(label.id);
  }
  return list;
}

Json recommendations_json(const PtxReport& report) {
  Json list = Json::array();
  for (const advise::Recommendation& r : report.advice.recommendations) {
    Json json = recommendation_json(r);
    json["bundle"] = r.category;
    json["severity"] = r.priority;
    json["reason"] = r.because;
    list.push_back(std::move(json));
  }
  return list;
}

// The documented list of plain labels.
Json bundle_labels(const PtxReport& report) {
  Json list = Json::array();
  for (const advise::Bundle& bundle : report.advice.bundles) list.push_back(bundle.category);
  return list;
}

}  // namespace

JsonInPieces ptx_json_in_pieces(const PtxReport& report) {
  Json json{{"schema", "ptx_analysis_v1"}, {"filename", report.source}};
  json["ptx_version"] = report.version.empty() ? Json(nullptr) : Json(report.version);
  json["target"] = report.target.empty() ? Json(nullptr) : Json(report.target);
  json["gpu_model"] = report.gpu.empty() ? Json(nullptr) : Json(report.gpu);
  json["kernel_count"] = report.diagnosis.kernels.size();
  json["kernels"] = Json::array();
  json["findings"] = Json::array();
  json["run_summary"] = summary_json(report);
  json["diagnostic_scope"] = {{"type", "static_ptx"}, {"confidence", report.confidence}, {"message", report.confidence_reason}};
  json["bottlenecks"] = labels_json(report);
  json["primary_bottleneck"] = report.diagnosis.primary.empty() ? Json(nullptr) : Json(report.diagnosis.primary);
  json["secondary_bottlenecks"] = secondary_json(report);
  json["recommendations"] = recommendations_json(report);
  json["bundles"] = bundle_labels(report);
  json["withheld_recommendations"] = withheld_json(report.advice);
  json["unknown_opcodes"] = report.unknown_opcodes;
  json["skipped_statements"] = report.module.skipped_statements;
  json["notes"] = report.notes;
  const std::span<const model::CodeFinding> findings = report.diagnosis.findings;
  const auto by_kernel = std::make_shared<FindingsByKernel>();
  for (const model::CodeFinding& finding : findings) (*by_kernel)[finding.kernel].push_back(&finding);
  const std::span<const PtxKernel> kernels = report.diagnosis.kernels;
  const auto kernel = [&report, kernels, by_kernel](std::size_t i) { return kernel_json(kernels[i], report.module, *by_kernel); };
  const auto finding = [findings](std::size_t i) { return finding_json(findings[i]); };
  return {std::move(json), {{"kernels", kernels.size(), kernel}, {"findings", findings.size(), finding}}};
}

Json ptx_json(const PtxReport& report) { return in_one_piece(ptx_json_in_pieces(report)); }

}  // namespace frx::compose
