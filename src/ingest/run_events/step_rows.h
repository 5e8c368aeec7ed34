// Steps while they are collected, one row each, before they become columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/step_table.h"

namespace frx::ingest {

struct StepRow {
  std::int64_t id = 0;
  std::string status = "unknown";  // it never ended
  std::string kind;
  std::int64_t wall_ns = 0;
  std::optional<std::int64_t> begin_ns, end_ns;
  std::int64_t loader_ns = 0, loader_before_ns = 0, host_to_device_ns = 0, sync_ns = 0;
  std::int64_t forward_ns = 0, backward_ns = 0, optimizer_ns = 0;
  std::optional<std::string> shape;
  std::optional<std::int64_t> batch_size, sequence_length;
  std::uint32_t windows = 0;
  std::optional<double> kernels, median_kernel_ns, small_kernels, loss;
};

struct StepRows {
  std::vector<StepRow> rows;  // in the order of their first events
  // Was anything of this kind recorded? A kind that was not recorded is unknown, not zero.
  bool has_loader = false, has_copies = false, has_waits = false;
};

// Sorts by id; a step changed its shape when its shape differs from that of the last step before it that has one.
model::StepTable table_of(StepRows steps);

}  // namespace frx::ingest
