#include "report/tune/tune_needs.h"

#include <cmath>

namespace frx::report {
namespace {

using knowledge::TuningNeed;

bool advertises_bf16(const TuneEnvironment& environment, const knowledge::Tuning& tuning) {
  return environment.supports_bf16.value_or(tuning.has_bf16(environment.gpu_name));
}

// Whether any gate looks at what the program computes.
bool has_quality_gate(const TuneLimits& limits) {
  return limits.finite_loss || std::isfinite(limits.max_final_loss_regression) || std::isfinite(limits.max_loss_divergence) ||
         std::isfinite(limits.output_abs_tolerance);
}

std::string without_headroom(const TuneQuestion& question) {
  const std::optional<double>& headroom = question.environment.memory_headroom;
  const double least = question.settings.limits.memory_headroom;
  if (!headroom || *headroom >= least) return {};
  return fmt::format("{:.0f} % of the GPU memory are free at the peak of the baseline, below the safe threshold of {:.0f} %", 100 * *headroom,
                     100 * least);
}

std::string without_bf16(const TuneQuestion& question) {
  const std::string& gpu = question.environment.gpu_name;
  return (gpu.empty() ? "the GPU" : gpu) + " does not advertise bfloat16";
}

}  // namespace

bool may_offer(TuningNeed need, const TuneQuestion& question, const knowledge::Tuning& tuning) {
  const TuneEnvironment& environment = question.environment;
  if (need == TuningNeed::cuda) return environment.has_cuda.value_or(!environment.gpu_name.empty());
  return reason_against(need, question, tuning).empty();
}

std::string reason_against(TuningNeed need, const TuneQuestion& question, const knowledge::Tuning& tuning) {
  const TuneEnvironment& environment = question.environment;
  const TuneLimits& limits = question.settings.limits;
  switch (need) {
    case TuningNeed::cuda: return environment.has_cuda.value_or(true) ? "" : "CUDA is unavailable";
    case TuningNeed::bf16: return advertises_bf16(environment, tuning) ? "" : without_bf16(question);
    case TuningNeed::static_shapes: return environment.dynamic_shapes.value_or(false) ? "the inputs change their shapes" : "";
    case TuningNeed::compile: return environment.supports_compile.value_or(true) ? "" : "torch.compile is marked unsupported";
    case TuningNeed::memory_headroom: return without_headroom(question);
    case TuningNeed::quality_gates:
      return !limits.quality_checks || has_quality_gate(limits) ? "" : "quality checks are required, and every quality gate is disabled";
  }
  return {};
}

}  // namespace frx::report
