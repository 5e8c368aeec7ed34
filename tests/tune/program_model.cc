#include "tune/program_model.h"

#include <algorithm>
#include <cmath>

namespace frx::testing::tune {
namespace {

// The longer of two that run beside each other, and a little of the other where they are about equal.
double beside(double a, double b) {
  constexpr double sharpness = 8;
  return std::pow(std::pow(a, sharpness) + std::pow(b, sharpness), 1 / sharpness);
}

}  // namespace

ProgramChoice ProgramModel::choice_of(const Settings& settings) const {
  ProgramChoice choice = baseline;
  for (const auto& [name, value] : settings) {
    if (name == "FRX_NUM_WORKERS") choice.workers = std::stoi(value);
    if (name == "FRX_PREFETCH_FACTOR") choice.prefetch = std::stoi(value);
    if (name == "FRX_PIN_MEMORY") choice.is_pinned = value == "true";
    if (name == "FRX_BATCH_SIZE") choice.batch = std::stoi(value);
    if (name == "FRX_AMP_DTYPE") choice.has_half = true, choice.is_bf16 = value == "bfloat16";
    if (name == "FRX_TORCH_COMPILE") choice.is_compiled = true;
    if (name == "FRX_TORCH_COMPILE_MODE") choice.reduces_overhead = true;
    if (name == "FRX_CUDA_GRAPHS") choice.has_graphs = true;
    if (value == "max_split_size_mb:128") choice.splits_less = true;
    if (value == "expandable_segments:True") choice.expands_segments = true;
  }
  return choice;
}

double ProgramModel::sample_ms(const ProgramChoice& choice) const {
  const double batch = choice.batch;
  const double halved = choice.has_half ? 1 - matmul_share + matmul_share / half_factor : 1;
  const double kernels = batch * compute * halved * (choice.is_compiled ? fused : 1);
  double launches = launch;
  if (choice.is_compiled) launches *= choice.reduces_overhead ? reduced_launch : compiled_launch;
  if (choice.has_graphs) launches *= graph_launch;
  const double gpu = beside(kernels, launches);
  const double copying = batch * copy * (choice.is_pinned ? 1 : pageable_factor);
  double loading = batch * load, step = 0;
  if (choice.workers == 0) {
    step = loading + copying + gpu;
  } else {
    loading /= std::min(choice.workers, plateau);
    loading *= 1 + oversubscription * std::max(0, choice.workers - cliff);
    if (choice.prefetch > 2) loading *= 1 - prefetch_gain;
    // A pinned batch is copied while the batch before is computed.
    step = choice.is_pinned ? beside(loading, beside(gpu, copying)) : beside(loading, gpu + copying);
  }
  const double relief = choice.splits_less ? split_relief : choice.expands_segments ? expand_relief : 0;
  return (step * (1 + fragmentation * (1 - relief)) + fixed) / batch;
}

double ProgramModel::memory_ratio(const ProgramChoice& choice) const {
  return memory_base + memory_per_sample * choice.batch * (choice.has_half ? half_memory : 1);
}

bool ProgramModel::fails(const ProgramChoice& choice) const {
  return (choice.has_half && !choice.is_bf16 && fails_fp16) || (choice.reduces_overhead && fails_reduced) ||
         (choice.has_graphs && fails_graphs);
}

}  // namespace frx::testing::tune
