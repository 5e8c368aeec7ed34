// The collectives of one rank: kind, order, and duration on this rank.
//
// Newer writers store a collective, its type, its elements and its group beside the kernel. Older ones store only the name of the kernel
// and its stream: PyTorch keeps one stream per communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interner.h"
#include "derive/trace/attribution.h"
#include "derive/trace/steps.h"
#include "model/rank_summary.h"
#include "model/timeline.h"

namespace frx::derive::ranks {

struct Collective {
  std::uint32_t what = 0;              // "allreduce of 100 Float", of the words
  std::uint32_t group = 0;             // who takes part, of the words
  std::int64_t step = 0;               // number of the step that launched it
  std::int64_t duration = 0, end = 0;  // ns, of the clock of this rank
  std::int64_t stream = -1;            // on which it ran; -1: not said
};

struct Sequence {
  std::vector<Collective> calls;     // by start
  std::uint64_t outside_steps = 0;   // launched in no step: left out
  std::uint64_t point_to_point = 0;  // sends and receives: no collectives, left out
  bool described = false;            // by arguments beside the kernels
  // Those sends and receives that a step launched, by start: time in which this rank may wait, too. They have no group.
  std::vector<Collective> sends;
  std::vector<model::CollectiveShape> shapes;  // of the described ones, by `what`
};

// `rank`: of the tracks that name it; -1: of all. `words` is shared by the ranks, so that equal texts have equal numbers.
Sequence sequence_of(const model::Timeline& timeline, const trace::Attribution& attribution, const trace::Steps& steps, std::int64_t rank,
                     Interner& words);

}  // namespace frx::derive::ranks
