#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using derive::ptx::KernelFacts;
using diagnose::PtxKernel;
using model::ptx::Category;
using report::PtxReport;

// Counts by documented name; a barrier is one of the others there.
void put_mix(JsonObject& out, const KernelFacts& facts) {
  for (std::size_t i = 0; i < facts.mix.size(); ++i) {
    const auto category = static_cast<Category>(i);
    if (category == Category::barrier) continue;
    out.add(name_of(category), facts.mix[i] + (category == Category::other ? facts.of(Category::barrier) : 0));
  }
}

// True and false only where a compiler told; PTX has no spills.
std::optional<bool> spills(const PtxKernel& kernel) {
  if (!kernel.compiled || !kernel.compiled->spill_store_bytes) return std::nullopt;
  return *kernel.compiled->spill_store_bytes + kernel.compiled->spill_load_bytes.value_or(0) > 0;
}

void put_registers(JsonObject& out, const PtxKernel& kernel) {
  const KernelFacts& f = kernel.facts;
  out.add("register_count", f.virtual_registers);
  out.object("register_breakdown", [&](JsonObject& inner) {
    for (const auto& [type, count] : f.registers_by_type) inner.add(name_of(type), count);
  });
  out.add("register_estimate", when(f.pressure.known, derive::ptx::estimated_registers(f.pressure)), "live_registers",
          when(f.pressure.known, f.pressure.registers), "registers", kernel.compiled ? kernel.compiled->registers : std::nullopt,
          "register_budget", unless_zero(f.register_budget));
}

void put_spills(JsonObject& out, const PtxKernel& kernel) {
  const KernelFacts& f = kernel.facts;
  out.add("local_memory_bytes", f.local_bytes, "has_register_spills", spills(kernel), "spills_detected", spills(kernel), "spills_probable",
          kernel.probably_spills, "spill_load_count", f.of(Category::local_load), "spill_loads", f.of(Category::local_load),
          "spill_store_count", f.of(Category::local_store), "spill_stores", f.of(Category::local_store), "spill_load_bytes",
          kernel.compiled ? kernel.compiled->spill_load_bytes : std::nullopt, "spill_store_bytes",
          kernel.compiled ? kernel.compiled->spill_store_bytes : std::nullopt);
}

void put_flow(JsonObject& out, const KernelFacts& f) {
  out.add("branch_count", f.branches, "conditional_branch_count", f.conditional_branches, "divergent_branch_count", f.divergent_branches,
          "estimated_loop_count", f.loops, "loop_depth", f.loop_depth, "has_back_edge", f.loops > 0, "barrier_count", f.barriers);
}

void put_capabilities(JsonObject& out, const KernelFacts& f) {
  const bool fp64 = f.of(Category::fp64) > 0, tensor = f.of(Category::tensor) > 0, atomics = f.of(Category::atomic) > 0,
             sfu = f.of(Category::sfu) > 0;
  out.object("capability_flags",
             [&](JsonObject& inner) { inner.add("fp64", fp64, "tensor_cores", tensor, "atomics", atomics, "sfu", sfu); });
  out.add("has_fp64", fp64, "has_tensor_ops", tensor, "has_atomics", atomics, "has_special_function_ops", sfu, "has_fp64_data_movement",
          f.fp64_memory_operations > 0, "fp64_data_movement_count", f.fp64_memory_operations);
}

void put_costly(JsonObject& out, const derive::ptx::CostlyAccess& one, const model::ptx::Module& module) {
  const derive::ptx::MemoryAccess& access = one.access;
  const model::TextPlace place = derive::ptx::place_of(module, access.instruction);
  out.add("line", place.line, "bytes_per_lane", access.bytes, "kind", name_of(access.kind), "address", access.formula, "source_line",
          unless_zero(place.source_line), "block", std::array{one.block.x, one.block.y, one.block.z}, "in_every_plausible_block",
          one.in_all_shapes, "typical", access.cost->typical, "ideal", access.cost->ideal, "neighbours_use_rest", one.neighbours_use_rest,
          "exact", access.cost->exact, "in_words", access.sentence);
}

void put_kinds(JsonObject& out, const std::array<std::uint64_t, derive::ptx::access_kind_count>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) out.add(name_of(static_cast<derive::ptx::AccessKind>(i)), counts[i]);
}

// Sectors for global memory, wavefronts for shared memory, per request of a warp.
void put_accesses(JsonObject& out, const KernelFacts& facts, const model::ptx::Module& module) {
  const derive::ptx::AccessSummary& a = facts.accesses;
  std::vector<std::array<decltype(derive::ptx::BlockShape::x), 3>> shapes;
  for (const derive::ptx::BlockShape& shape : a.shapes) shapes.push_back({shape.x, shape.y, shape.z});
  const auto costly = [&](JsonObject& inner, const derive::ptx::CostlyAccess& one) { put_costly(inner, one, module); };
  out.add("plausible_blocks", shapes);
  out.object("global_by_kind", [&](JsonObject& inner) { put_kinds(inner, a.global); });
  out.object("shared_by_kind", [&](JsonObject& inner) { put_kinds(inner, a.shared); });
  out.add("uncoalesced_count", a.uncoalesced_count, "thread_blocked_count", a.blocked_count, "bank_conflict_count", a.conflicting_count);
  out.list("uncoalesced", a.uncoalesced, costly);
  out.list("bank_conflicts", a.conflicting, costly);
}

using FindingsByKernel = std::unordered_map<std::string_view, std::vector<const model::Finding*>>;

void put_kernel(JsonObject& out, const PtxKernel& kernel, const model::ptx::Module& module, const FindingsByKernel& findings) {
  const KernelFacts& f = kernel.facts;
  out.add("kernel_name", f.name, "display_name", readable_symbol(f.name), "line", f.function->line);
  put_registers(out, kernel);
  put_spills(out, kernel);
  out.add("static_shared_bytes", f.shared_bytes, "uses_dynamic_shared_memory", f.dynamic_shared, "instruction_count", f.instructions);
  out.object("instruction_mix", [&](JsonObject& inner) { put_mix(inner, f); });
  out.add("global_load_count", f.of(Category::global_load), "global_store_count", f.of(Category::global_store), "shared_load_count",
          f.of(Category::shared_load), "shared_store_count", f.of(Category::shared_store), "global_memory_ratio", f.global_ratio());
  out.object("memory_accesses", [&](JsonObject& inner) { put_accesses(inner, f, module); });
  put_flow(out, f);
  put_capabilities(out, f);
  const auto own = findings.find(f.name);
  out.list("findings", own == findings.end() ? std::vector<const model::Finding*>() : own->second,
           [](JsonObject& inner, const model::Finding* finding) { put_finding(inner, *finding); });
}

template <typename Test>
std::size_t count(const PtxReport& report, Test test) {
  return static_cast<std::size_t>(std::ranges::count_if(report.diagnosis.kernels, test));
}

template <typename Number>
std::uint64_t sum(const PtxReport& report, Number number) {
  std::uint64_t total = 0;
  for (const PtxKernel& kernel : report.diagnosis.kernels) total += number(kernel.facts);
  return total;
}

std::optional<std::string_view> dominant_category(const PtxReport& report) {
  std::array<std::uint64_t, derive::ptx::category_count> mix{};
  for (const PtxKernel& kernel : report.diagnosis.kernels) {
    for (std::size_t i = 0; i < mix.size(); ++i) mix[i] += kernel.facts.mix[i];
  }
  const auto most = std::ranges::max_element(mix);
  return when(*most > 0, name_of(static_cast<Category>(most - mix.begin())));
}

// Absent: PTX alone does not tell.
std::optional<bool> any_spills(const PtxReport& report) {
  bool known = !report.diagnosis.kernels.empty();
  for (const PtxKernel& kernel : report.diagnosis.kernels) {
    const std::optional<bool> spilled = spills(kernel);
    if (spilled.value_or(false)) return true;
    known = known && spilled;
  }
  return when(known, false);
}

void put_summary(JsonObject& out, const PtxReport& report) {
  const auto& kernels = report.diagnosis.kernels;
  double most_global = 0, sum_global = 0, most_branches = 0;
  for (const PtxKernel& kernel : kernels) {
    most_global = std::max(most_global, kernel.facts.global_ratio());
    sum_global += kernel.facts.global_ratio();
    most_branches = std::max(most_branches, kernel.facts.conditional_branch_density());
  }
  const bool any = !kernels.empty();
  const std::size_t with_fp64 = count(report, [](const PtxKernel& k) { return k.facts.of(Category::fp64) > 0; });
  const std::size_t moving_fp64 = count(report, [](const PtxKernel& k) { return k.facts.fp64_memory_operations > 0; });
  out.add("kernel_count", kernels.size(), "device_function_count", report.diagnosis.device_functions, "total_instructions",
          report.instructions(), "avg_register_count", rounded(report.average_registers(), 1), "max_register_count", report.max_registers(),
          "registers_from", when<std::string_view>(any, report.compiler.empty() ? "estimate" : report.compiler), "any_spills",
          any_spills(report), "kernels_with_spills", count(report, [](const PtxKernel& k) { return spills(k) == true; }),
          "kernels_with_probable_spills", count(report, [](const PtxKernel& k) { return k.probably_spills; }), "total_spill_loads",
          sum(report, [](const KernelFacts& f) { return f.of(Category::local_load); }), "total_spill_stores",
          sum(report, [](const KernelFacts& f) { return f.of(Category::local_store); }), "dominant_instruction_category",
          dominant_category(report), "kernels_with_fp64", with_fp64, "has_fp64", with_fp64 > 0, "kernels_with_fp64_data_movement",
          moving_fp64, "has_fp64_data_movement", moving_fp64 > 0, "total_fp64_data_movement_ops",
          sum(report, [](const KernelFacts& f) { return f.fp64_memory_operations; }), "has_tensor_ops",
          count(report, [](const PtxKernel& k) { return k.facts.of(Category::tensor) > 0; }) > 0, "max_global_memory_ratio",
          when(any, most_global), "avg_global_memory_ratio", when(any, sum_global / static_cast<double>(kernels.size())),
          "kernels_with_high_global_memory_ratio", count(report, [](const PtxKernel& k) { return k.facts.global_ratio() > 0.30; }),
          "kernels_without_shared_memory", count(report, [](const PtxKernel& k) { return k.facts.shared_accesses() == 0; }),
          "max_branch_density", when(any, most_branches), "kernels_with_high_branch_density",
          count(report, [](const PtxKernel& k) { return k.facts.conditional_branch_density() > 0.15; }));
}

void put_labels(JsonObject& out, const PtxReport& report) {
  out.list("bottlenecks", report.diagnosis.labels, [](JsonObject& inner, const model::Finding& label) {
    inner.add("label", label.id(), "display", label.display(), "score", label.score, "proof", name_of(label.proof), "evidence",
              std::array{label.message.view()});
  });
  std::vector<std::string_view> secondary;
  for (const model::Finding& label : report.diagnosis.labels) {
    if (label.id() != report.diagnosis.primary && label.proof != model::Proof::unproven) secondary.push_back(label.id());
  }
  out.add("primary_bottleneck", unless_empty(report.diagnosis.primary), "secondary_bottlenecks", secondary);
}

void put_advice(JsonObject& out, const advise::Advice& advice) {
  out.list("recommendations", advice.recommendations, [](JsonObject& inner, const advise::Recommendation& r) {
    put_recommendation(inner, r);
    inner.add("bundle", r.category, "severity", r.priority, "reason", r.because);
  });
  std::vector<std::string_view> bundles;  // the documented list of plain labels
  for (const advise::Bundle& bundle : advice.bundles) bundles.push_back(bundle.category);
  out.add("bundles", bundles);
  put_withheld(out, "withheld_recommendations", advice);
}

}  // namespace

void put_ptx(JsonObject& out, const PtxReport& report) {
  FindingsByKernel by_kernel;
  for (const model::Finding& finding : report.diagnosis.findings) by_kernel[finding.kernel].push_back(&finding);
  out.add("schema", "ptx_analysis_v1", "filename", report.source, "ptx_version", unless_empty(report.version), "target",
          unless_empty(report.target), "gpu_model", unless_empty(report.gpu), "kernel_count", report.diagnosis.kernels.size());
  out.list("kernels", report.diagnosis.kernels,
           [&](JsonObject& inner, const PtxKernel& kernel) { put_kernel(inner, kernel, report.module, by_kernel); });
  out.list("findings", report.diagnosis.findings, put_finding);
  out.object("run_summary", [&](JsonObject& inner) { put_summary(inner, report); });
  out.object("diagnostic_scope", [&](JsonObject& inner) {
    inner.add("type", "static_ptx", "confidence", report.confidence, "message", report.confidence_reason);
  });
  put_labels(out, report);
  put_advice(out, report.advice);
  out.add("unknown_opcodes", report.unknown_opcodes, "skipped_statements", report.module.skipped_statements, "notes", report.notes);
}

}  // namespace frx::compose
