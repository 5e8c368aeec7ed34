#include "advise/run_circumstances.h"

#include <algorithm>

namespace frx::advise {
namespace {

using Maybe = std::optional<double>;

constexpr std::string_view run_fact_names[] = {"framework_pytorch",
                                               "mixed_precision_enabled",
                                               "num_gpus",
                                               "ranks_compared",
                                               "cpu_only",
                                               "is_compiled",
                                               "compiled_regions",
                                               "graph_breaks",
                                               "replays_graphs",
                                               "is_inference",
                                               "is_amd",
                                               "ranks_given",
                                               "has_tensor_cores",
                                               "fp32_matrix_share",
                                               "pinned_copy_share",
                                               "recorded_by_nsys",
                                               "layout_copy_share"};

Maybe truth(const std::optional<bool>& known) { return known ? Maybe(*known ? 1.0 : 0.0) : Maybe(); }

Maybe fact(const ProgramFacts& program, std::size_t index) {
  switch (index) {
    case 0: return program.traits.is_pytorch ? truth(program.traits.is_pytorch) : program.is_pytorch ? Maybe(1.0) : Maybe();
    case 1: return truth(program.mixed_precision);
    case 2: return program.gpus;
    case 3: return program.ranks_compared ? Maybe(1.0) : Maybe();
    case 4: return truth(program.traits.cpu_only);
    case 5: return truth(program.traits.is_compiled);
    case 6: return program.traits.compiled_regions;
    case 7: return program.traits.graph_breaks;
    case 8: return truth(program.traits.replays_graphs);
    case 9: return truth(program.traits.is_inference);
    case 10: return truth(program.traits.is_amd);
    case 11: return truth(program.traits.ranks_given);
    case 12: return truth(program.traits.has_tensor_cores);
    case 13: return program.traits.fp32_matrix_share;
    case 14: return program.traits.pinned_copy_share;
    case 15: return truth(program.traits.recorded_by_nsys);
    case 16: return program.traits.layout_copy_share;
    default: return {};
  }
}

}  // namespace

std::span<const std::string_view> RunCircumstances::fact_names() { return run_fact_names; }

Maybe RunCircumstances::value(std::uint32_t slot) const {
  if (slot < model::run_fact_count) return facts_[static_cast<model::RunFact>(slot)];
  if (slot >= slots::other_domain || slot < slots::fact) return std::nullopt;
  if (slot < slots::threshold) return fact(program_, slot - slots::fact);
  if (slot < slots::label) return thresholds_.of_slot(slot - slots::threshold);
  return label_state(diagnosis_.findings, diagnosis_.others, names_.labels(Domain::run)[(slot - slots::label) / 2],
                     (slot - slots::label) % 2 != 0);
}

}  // namespace frx::advise
