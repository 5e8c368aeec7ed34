// Kernels of CUDA graphs, and where their nodes were captured.
//
// A kernel that a graph launched names its node. Nodes are copied when a graph is instantiated, and each copy names the node it was made
// from; the first of such a chain was made where the program captured the kernel, inside the ranges that were open there.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ingest/nsys/database.h"

namespace frx::ingest::nsys {

class GraphNodes {
 public:
  using Process = std::int64_t;
  // Where a node was made.
  struct Capture {
    std::int64_t time = 0, thread = 0;  // globalTid
    friend auto operator<=>(const Capture&, const Capture&) = default;
  };

  // `row`: of the timeline.
  void add_kernel(std::uint32_t row, Process process, std::int64_t node) { kernels_.push_back({row, {process, node}}); }
  bool has_kernels() const { return !kernels_.empty(); }

  // Columns of CUDA_GRAPH_NODE_EVENTS: start, globalTid, graphNodeId, originalGraphNodeId.
  void add_node(const Row& row);

  // Kernels whose capture was recorded, with where that was; ascending by row. O(n log n).
  std::vector<std::pair<std::uint32_t, Capture>> captures() const;

 private:
  using Node = std::pair<Process, std::int64_t>;
  struct Made {
    Capture capture;
    std::int64_t original = 0;  // 0: it is no copy
  };
  struct Kernel {
    std::uint32_t row;
    Node node;
  };
  const Made* first_of(Node node) const;

  std::vector<Kernel> kernels_;
  std::map<Node, Made> nodes_;
};

}  // namespace frx::ingest::nsys
