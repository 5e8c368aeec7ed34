#include "tune/candidate_pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace frx::testing::tune {
namespace {

PoolEntry data_loader(int workers, bool is_pinned, int prefetch) {
  PoolEntry entry;
  entry.label = fmt::format("dl_nw{}_{}", workers, prefetch == 2 ? fmt::format("pin{}", is_pinned ? 1 : 0) : fmt::format("pf{}", prefetch));
  entry.settings = {{"FRX_NUM_WORKERS", std::to_string(workers)}};
  if (workers > 0) entry.settings.emplace_back("FRX_PERSISTENT_WORKERS", "true");
  entry.settings.emplace_back("FRX_PIN_MEMORY", is_pinned ? "true" : "false");
  if (workers > 0) entry.settings.emplace_back("FRX_PREFETCH_FACTOR", std::to_string(prefetch));
  return entry;
}

PoolEntry combined(const PoolEntry& first, const PoolEntry& second) {
  PoolEntry entry{first.label + "+" + second.label, first.settings, false};
  entry.settings.insert(entry.settings.end(), second.settings.begin(), second.settings.end());
  std::ranges::sort(entry.settings);
  return entry;
}

}  // namespace

Family data_loaders(bool only_pinned) {
  Family family;
  for (const int workers : {0, 2, 4, 8, 12, 16}) {
    family.push_back(data_loader(workers, true, 2));
    if (workers > 0 && !only_pinned) family.push_back(data_loader(workers, false, 2));
  }
  for (const int prefetch : {4, 8}) family.push_back(data_loader(8, true, prefetch));
  return family;
}

Family batch_sizes(int baseline) {
  Family family;
  for (const double factor : {1.25, 1.5, 2.0}) {
    const int size = static_cast<int>(baseline * factor);
    family.push_back({fmt::format("bs_{}", size), {{"FRX_BATCH_SIZE", std::to_string(size)}}});
  }
  return family;
}

Family precisions() { return {{"amp_bf16", {{"FRX_AMP_DTYPE", "bfloat16"}}}, {"amp_fp16", {{"FRX_AMP_DTYPE", "float16"}}}}; }

Family runtimes() {
  return {{"compile_default", {{"FRX_TORCH_COMPILE", "1"}}},
          {"compile_reduce_overhead", {{"FRX_TORCH_COMPILE", "1"}, {"FRX_TORCH_COMPILE_MODE", "reduce-overhead"}}},
          {"cuda_graphs_try_static", {{"FRX_CUDA_GRAPHS", "try_if_static_shapes"}}}};
}

Family allocators() {
  return {{"allocator_max_split_128", {{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128"}}},
          {"allocator_expandable_segments", {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"}}}};
}

std::vector<PoolEntry> pool_of(const std::vector<Family>& families) {
  std::vector<PoolEntry> pool, combinations;
  for (const Family& family : families) {
    // What combines members of the families before with one of this.
    std::vector<PoolEntry> more;
    for (const PoolEntry& member : family) {
      for (const PoolEntry& before : pool) more.push_back(combined(before, member));
      for (const PoolEntry& before : combinations) more.push_back(combined(before, member));
    }
    pool.insert(pool.end(), family.begin(), family.end());
    combinations.insert(combinations.end(), more.begin(), more.end());
  }
  pool.insert(pool.end(), combinations.begin(), combinations.end());
  return pool;
}

}  // namespace frx::testing::tune
