// What is known of the traces of the corpus, and how our answers compare.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace frx::corpus {

// What was measured in a trace by other means, from its line in MANIFEST-torch.tsv.
struct MeasuredGpu {
  int device = 0;
  double busy_pct = 0;
  std::optional<double> exposed_communication_pct;
};
struct Measured {
  std::optional<double> step_ms, dataloader_pct;
  std::vector<MeasuredGpu> gpus;
};

struct TraceCheck {
  std::string name;
  std::string refused;  // why, "" when it was read
  std::uint64_t events = 0, kernels = 0, kernels_with_launch = 0, kernels_with_op = 0;
  std::size_t steps = 0;
  std::string user_facing;            // "" without a diagnosis
  double largest_idle = 0;            // share of a step: the largest part of the time in which the GPU is idle, by cause
  bool speaks_of_gpu = false;         // any label that only a recorded GPU can have
  std::vector<std::string> accepted;  // labels that agree with what is known; empty: nothing is known
  std::vector<std::string> notes;
  Measured measured;
  std::optional<double> step_ms, dataloader_pct;
  std::optional<double> shape_changes, shape_pairs;  // of steps that follow each other; none: shapes do not tell
  std::vector<MeasuredGpu> gpus;                     // ours

  bool agrees() const;
  // Of numbers that both have: how many, and how many are equal as far as they were rounded.
  std::pair<int, int> numbers() const;
  std::optional<double> attributed_pct() const;
};

// Every trace of the corpus, in the order of the manifest.
std::vector<TraceCheck> check_traces(const std::filesystem::path& corpus);

}  // namespace frx::corpus
