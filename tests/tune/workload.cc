#include "tune/workload.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "tune/candidate_pool.h"
#include "tune/program_model.h"

namespace frx::testing::tune {
namespace {

using Random = std::mt19937_64;

double between(Random& random, double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
bool chance(Random& random, double probability) { return between(random, 0, 1) < probability; }
int one_of(Random& random, const std::vector<int>& values) { return values[random() % values.size()]; }

// What every program has: each part alone of moderate size. Kernels of a step take 32 ms.
ProgramModel usual_program(Random& random) {
  ProgramModel program;
  program.baseline.workers = one_of(random, {0, 2, 4});
  program.baseline.is_pinned = chance(random, 0.5);
  program.load = between(random, 0.02, 0.4);
  program.plateau = one_of(random, {2, 4, 8, 12});
  program.cliff = one_of(random, {8, 12, 1000});
  program.oversubscription = between(random, 0.03, 0.2);
  program.prefetch_gain = chance(random, 0.5) ? 0 : between(random, 0, 0.1);
  program.copy = between(random, 0.01, 0.08);
  program.pageable_factor = between(random, 1.5, 3);
  program.matmul_share = between(random, 0.2, 0.9);
  program.half_factor = between(random, 1.3, 3);
  program.launch = between(random, 2, 20);
  program.fused = between(random, 0.75, 1.02);
  program.compiled_launch = between(random, 0.6, 1.0);
  program.reduced_launch = between(random, 0.15, 0.4);
  program.graph_launch = between(random, 0.2, 0.6);
  program.memory_base = between(random, 0.05, 0.3);
  program.memory_per_sample = (between(random, 0.3, 0.75) - program.memory_base) / program.baseline.batch;
  program.memory_per_sample = std::max(program.memory_per_sample, 0.003);
  program.fails_fp16 = chance(random, 0.25);
  program.fails_reduced = chance(random, 0.15);
  program.fails_graphs = chance(random, 0.25);
  return program;
}

ProgramModel program_of(WorkloadKind kind, Random& random) {
  ProgramModel program = usual_program(random);
  const int workers = std::max(1, program.baseline.workers);
  switch (kind) {
    case WorkloadKind::loader:
      program.plateau = one_of(random, {2, 4, 8, 12, 16});
      program.load = between(random, 1.1, 4) * workers;
      break;
    case WorkloadKind::copy:
      program.baseline.is_pinned = false;
      program.copy = between(random, 0.1, 0.7);
      break;
    case WorkloadKind::mixed: program.load = between(random, 0.5, 2.5) * workers; break;
    case WorkloadKind::underutilized: program.launch = between(random, 20, 120); break;
    case WorkloadKind::memory:
      program.fragmentation = between(random, 0, 0.35);
      program.split_relief = between(random, -0.2, 0.8);
      program.expand_relief = between(random, 0, 1);
      break;
    case WorkloadKind::launch: program.launch = between(random, 25, 120); break;
    case WorkloadKind::flat:
      program.baseline.workers = 4;
      program.baseline.is_pinned = true;
      program.load = between(random, 0.05, 1.5);
      program.plateau = 4;
      program.matmul_share = between(random, 0, 0.05);
      program.launch = between(random, 0.5, 4);
      program.fused = between(random, 0.98, 1.05);
      program.fragmentation = between(random, 0, 0.03);
      break;
    case WorkloadKind::rugged:
    case WorkloadKind::wide: break;
  }
  return program;
}

std::vector<PoolEntry> pool_for(WorkloadKind kind, Random& random) {
  const Family loaders = data_loaders(false);
  const Family first_loaders(loaders.begin(), loaders.begin() + 8);
  const std::vector<Family> mixed = {first_loaders, batch_sizes(32), precisions()}, whole = {batch_sizes(32), precisions(), runtimes()};
  switch (kind) {
    case WorkloadKind::loader: return pool_of({loaders});
    case WorkloadKind::copy: return pool_of({data_loaders(true)});
    case WorkloadKind::mixed: return pool_of(mixed);
    case WorkloadKind::underutilized: return pool_of(whole);
    case WorkloadKind::memory: return pool_of({allocators(), precisions()});
    case WorkloadKind::launch: return pool_of({runtimes()});
    case WorkloadKind::flat:
      switch (random() % 4) {
        case 0: return pool_of({loaders});
        case 1: return pool_of(mixed);
        case 2: return pool_of(whole);
        default: return pool_of({allocators(), precisions()});
      }
    case WorkloadKind::rugged: {
      const std::vector<std::vector<Family>> small = {
          {precisions(), runtimes()}, {batch_sizes(32), precisions()}, {allocators(), precisions()}, {allocators(), runtimes()}};
      return pool_of(small[random() % small.size()]);
    }
    case WorkloadKind::wide: return pool_of(chance(random, 0.5) ? mixed : whole);
  }
  return {};
}

// Effects without a mechanism: each member of a family has one, and each pair of members of two families one more.
std::vector<double> random_speeds(const std::vector<std::string>& labels, Random& random) {
  std::map<std::string, double> single;
  std::map<std::pair<std::string, std::string>, double> paired;
  std::normal_distribution<double> normal;
  const double size = between(random, 0.05, 0.2), interaction = between(random, 0.2, 0.8) * size;
  std::vector<double> speeds;
  for (const std::string& label : labels) {
    std::vector<std::string> members;
    std::istringstream words(label);
    for (std::string member; std::getline(words, member, '+');) members.push_back(member);
    double log_speed = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      log_speed += single.try_emplace(members[i], size * normal(random)).first->second;
      for (std::size_t j = 0; j < i; ++j)
        log_speed += paired.try_emplace({members[j], members[i]}, interaction * normal(random)).first->second;
    }
    speeds.push_back(std::exp(log_speed));
  }
  return speeds;
}

// Of standard deviation 1.
double scatter(Random& random, double degrees) {
  if (degrees <= 2) return std::normal_distribution<double>()(random);
  return std::student_t_distribution<double>(degrees)(random) / std::sqrt(degrees / (degrees - 2));
}

// The documented flow takes about as many launches; the drift is as large as it gets after them.
constexpr double usual_launches = 16;

}  // namespace

std::string_view name_of(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::loader: return "bound by loading";
    case WorkloadKind::copy: return "bound by copies";
    case WorkloadKind::mixed: return "loading and computing";
    case WorkloadKind::underutilized: return "underutilized";
    case WorkloadKind::memory: return "memory pressure";
    case WorkloadKind::launch: return "bound by launches";
    case WorkloadKind::flat: return "nothing helps";
    case WorkloadKind::rugged: return "random interactions";
    case WorkloadKind::wide: return "random, many combinations";
  }
  return {};
}

Workload::Workload(std::uint64_t seed, const Noise& noise, std::optional<WorkloadKind> only)
    : kind(only.value_or(static_cast<WorkloadKind>(seed % workload_kinds))), seed_(seed), noise_(noise) {
  Random random(seed * 2 + 1);
  const ProgramModel program = program_of(kind, random);
  for (PoolEntry& entry : pool_for(kind, random)) {
    labels.push_back(entry.label);
    pool.push_back({std::move(entry.settings), entry.is_documented});
  }
  const double baseline_ms = program.sample_ms(program.baseline);
  baseline_memory_ = program.memory_ratio(program.baseline);
  for (const Configuration& configuration : pool) {
    const ProgramChoice choice = program.choice_of(configuration.settings);
    const double memory = program.memory_ratio(choice);
    truths.push_back({baseline_ms / program.sample_ms(choice), memory <= 0.9 && !program.fails(choice), memory > 1, std::min(1.0, memory)});
  }
  if (kind == WorkloadKind::rugged || kind == WorkloadKind::wide) {
    const std::vector<double> speeds = random_speeds(labels, random);
    for (std::size_t i = 0; i < pool.size(); ++i) truths[i].speed = speeds[i];
  }
  run_shift_ = between(random, noise.lowest_run, noise.highest_run);
  drift_ = between(random, -noise.drift, noise.drift);
  if (chance(random, 0.5)) drift_step_ = 1 + random() % static_cast<std::size_t>(usual_launches - 1);
}

double Workload::best_speed() const {
  double best = 1;
  for (const Truth& truth : truths) {
    if (truth.is_usable) best = std::max(best, truth.speed);
  }
  return best;
}

RunOutcome Workload::run(std::optional<std::size_t> configuration, std::size_t launch, std::size_t steps) const {
  RunOutcome outcome;
  outcome.peak_memory_ratio = baseline_memory_;
  if (configuration) {
    const Truth& truth = truths[*configuration];
    outcome.is_usable = truth.is_usable;
    outcome.ran_out_of_memory = truth.runs_out_of_memory;
    outcome.peak_memory_ratio = truth.memory_ratio;
    if (!truth.is_usable) return outcome;
  }
  Random random(seed_ * 1'000'003 + launch * 7919 + 17);
  constexpr double baseline_ms = 1;
  const double share = drift_step_ ? (launch >= *drift_step_ ? 1 : 0) : std::min(1.0, static_cast<double>(launch) / usual_launches);
  const double speed = configuration ? truths[*configuration].speed : 1;
  const double mean = baseline_ms / speed * std::exp(-drift_ * share + run_shift_ * std::normal_distribution<double>()(random));
  double deviation = scatter(random, noise_.degrees);
  for (std::size_t step = 0; step < steps; ++step) {
    outcome.times.push_back(mean * std::max(0.2, 1 + noise_.step * deviation));
    const double rho = noise_.autocorrelation;
    deviation = rho * deviation + std::sqrt(1 - rho * rho) * scatter(random, noise_.degrees);
  }
  return outcome;
}

}  // namespace frx::testing::tune
