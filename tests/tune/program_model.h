// How long a step of a simulated training program takes, and how much memory it needs.
#pragma once

#include "tune/workload.h"

namespace frx::testing::tune {

// What a configuration amounts to.
struct ProgramChoice {
  int workers = 4, prefetch = 2, batch = 32;
  bool is_pinned = false, has_half = false, is_bf16 = false, is_compiled = false, reduces_overhead = false, has_graphs = false;
  bool splits_less = false, expands_segments = false;
};

// Times in milliseconds; of one sample where they grow with the batch.
struct ProgramModel {
  ProgramChoice baseline;
  double load = 0.05;                       // by one worker
  int plateau = 8, cliff = 1000;            // workers beyond which more do not help, and beyond which they harm
  double oversubscription = 0.1;            // for each worker beyond the cliff
  double prefetch_gain = 0;                 // of a deeper queue
  double copy = 0.01, pageable_factor = 2;  // pinned; how much slower when it is not
  double compute = 1, matmul_share = 0.5, half_factor = 1.8;
  double launch = 5;  // of a step
  double fused = 0.9, compiled_launch = 0.8, reduced_launch = 0.3, graph_launch = 0.35;
  double fragmentation = 0, split_relief = 0, expand_relief = 0;  // shares of the step
  double fixed = 0.3;                                             // of a step
  double memory_base = 0.2, memory_per_sample = 0.01, half_memory = 0.65;
  bool fails_fp16 = false, fails_reduced = false, fails_graphs = false;

  ProgramChoice choice_of(const Settings& settings) const;
  double sample_ms(const ProgramChoice& choice) const;
  double memory_ratio(const ProgramChoice& choice) const;
  bool fails(const ProgramChoice& choice) const;
};

}  // namespace frx::testing::tune
