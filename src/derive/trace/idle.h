// The causes of idle time of a GPU.
#pragma once

#include <span>
#include <vector>

#include "derive/trace/attribution.h"
#include "derive/trace/host_ranges.h"
#include "model/gpu_time.h"

namespace frx::derive::trace {

// Attributes the idle time of one GPU to its causes.
class IdleAttribution {
 public:
  // `order`: the work of this GPU, by start, as indices into `work`. All arguments must outlive the object.
  IdleAttribution(const model::Timeline& timeline, std::span<const GpuWork> work, std::span<const std::uint32_t> order,
                  const HostRanges& host)
      : timeline_(timeline), work_(work), order_(order), host_(host) {}

  // The intervals by cause; together they are `idle`, which lies after all earlier calls: millions of gaps are attributed some
  // thousands at a time.
  std::array<Intervals, model::idle_cause_count> causes_of(std::span<const Interval> idle);

 private:
  struct Gap;
  Gap divided(Interval gap);
  static Intervals ended_before_work(std::span<const Gap> gaps, std::span<const Interval> ranges);

  const model::Timeline& timeline_;
  std::span<const GpuWork> work_;
  std::span<const std::uint32_t> order_;
  const HostRanges& host_;
  std::size_t next_ = 0;  // in order_: the first that may begin behind the next gap
};

}  // namespace frx::derive::trace
