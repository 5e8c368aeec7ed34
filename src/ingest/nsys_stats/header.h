// What a table of `nsys stats` is, told by its titles:
//
//   kernels  Time (%)  Total Time (ns)  Instances  Avg (ns)  ...  Name                 gpukernsum, cuda_gpu_kern_sum
//   shapes   the same with  GridXYZ  BlockXYZ  before the name                         cuda_gpu_kern_gb_sum
//   work     the same with  Category  Operation  instead of the name                   cuda_gpu_sum, cuda_api_gpu_sum
//   trace    Start (ns)  Duration (ns)  CorrId  GrdX ... Reg/Trd  StcSMem (MB)  ...    gputrace, cuda_gpu_trace
//   other    tables about something else than kernels: calls, copies, ranges
//
// Titles carry the units of their columns, which `--timeunit` chooses; until 2020 the line above the table names them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frx::ingest::nsys_stats {

enum class Shape { other, work, kernels, shapes, trace };  // the later ones tell more of the same

struct Header {
  Shape shape = Shape::other;
  std::string_view what;           // of `other`: "calls"
  std::vector<std::string> names;  // as the titles spell them, without units
  std::vector<std::string> units;  // in the words of parse_unit() as far as we know them, "" where there is none
  int name = -1, category = -1, share = -1, total = -1, instances = -1, average = -1, shortest = -1, longest = -1;
  int calls = -1;  // how often, of tables about something else than kernels
  int range = -1;  // the name of a range
  int size = -1;   // bytes of all copies
  int start = -1, duration = -1, device = -1, registers = -1, static_shared = -1, dynamic_shared = -1, bytes = -1;
  int grid_text = -1, block_text = -1;  // "16 16 1" in one cell
  std::array<int, 3> grid{-1, -1, -1}, block{-1, -1, -1};

  // nullopt when these are not the titles of a table of `nsys stats`. `unit` is that of times whose titles have none.
  static std::optional<Header> of(const std::vector<std::string_view>& titles, std::string_view unit);
};

}  // namespace frx::ingest::nsys_stats
