// A training run on a cluster that is made up, with late ranks and nodes and slow links in known places, as traces or as summaries.
//
// Ranks are numbered as Megatron does: tensor parallel within a node, then data parallel, then pipeline. A step is layers of work, each
// followed by an all-reduce of the tensor-parallel group; every fourth by an all-gather between the two nodes of a pair; at its end an
// all-reduce of the data-parallel group (every second node of a stage) and one of a single number among all ranks. A collective begins when
// its last member arrives. Work and transfers vary, single steps of single ranks are disturbed without a reason, and each node has a clock
// of its own. Nothing of how frx concludes is used.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/rank_recording.h"

namespace frx::testing {

struct ClusterPlan {
  int tensor = 8, data = 4, pipeline = 2;  // sizes; data is even. Ranks: their product
  int steps = 24, layers = 8;              // the first two steps are warm-up
  std::uint64_t seed = 1;
  int late_ranks = 0, late_nodes = 0, ranks_at_times = 0;  // that are planted, each on a node of its own
  int slow_nodes = 0, slow_pairs = 0;                      // at most one a stage of the pipeline
  double least_late = 0.02, most_late = 0.10;              // share of a step; of ranks at times in those steps twice as much
  double least_slow = 1.3, most_slow = 2.0;                // times the usual transfer
  double work_noise = 0.01, transfer_noise = 0.02;         // deviation, as a share of each piece of work and of each transfer
};

// What was planted. Nodes by their names, pairs in order.
struct ClusterTruth {
  std::set<std::int64_t> late_ranks;
  std::map<std::int64_t, int> ranks_at_times;  // every so many steps; 0: at random
  std::set<std::string> late_nodes, slow_nodes;
  std::set<std::pair<std::string, std::string>> slow_pairs;
};

class MadeCluster {
 public:
  explicit MadeCluster(const ClusterPlan& plan);

  int ranks() const { return plan_.tensor * plan_.data * plan_.pipeline; }
  const ClusterTruth& truth() const { return truth_; }
  std::string node_of(int rank) const;
  // "node0003_17.1700000000000000000.pt.trace.json".
  std::string trace_name(int rank) const;

  // As the profiler of PyTorch writes it.
  std::string trace(int rank) const;
  // As frx summarise writes it, but for the parts of a step, which are those of `like`: the recording of a trace of this cluster.
  frx::model::RankSummary summary(int rank, const report::RankRecording& like) const;

 private:
  struct Call {
    std::int64_t start = 0;  // ns, of the clock of the node
    std::int32_t duration = 0;
  };
  enum class Kind : std::uint8_t { tensor, pair, data, all };

  void plant();
  void simulate();
  void simulate_step(int step, std::vector<double>& time);
  void work(int step, std::vector<double>& time, double share);
  void meet(Kind kind, std::vector<double>& time);
  std::vector<Kind> kinds_of_step() const;
  std::vector<int> members_of(int rank, Kind kind) const;
  std::string group_text(int rank, Kind kind) const;
  std::int64_t on_clock(int rank, double time) const;
  bool is_disturbed(int rank, int step) const;

  ClusterPlan plan_;
  ClusterTruth truth_;
  std::map<std::int64_t, double> late_by_;    // by rank: ns of a step
  std::map<std::string, double> slow_times_;  // by node: of its transfers to others
  std::map<std::pair<std::string, std::string>, double> pair_times_;
  std::vector<std::vector<Call>> calls_;               // by rank
  std::vector<std::vector<std::int64_t>> boundaries_;  // by rank: begin of each step and end of the last
  std::uint64_t draws_ = 0;
  double uniform();
  double gaussian();
};

}  // namespace frx::testing
