// Ranks for tests: the arrival of each at each collective. All leave it together, each by its own clock.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "derive/ranks/match.h"

namespace frx::testing {

class MadeRanks {
 public:
  explicit MadeRanks(std::size_t count) : sequences_(count) {}

  // `late_us`: how long after the first moment each rank comes. The collective itself takes 50 us.
  void collective(std::int64_t step, const std::vector<std::int64_t>& late_us, std::string_view what = "allreduce of 8 Float") {
    std::int64_t last = 0;
    for (const std::int64_t late : late_us) last = std::max(last, late);
    now_ns_ += (last + 1000) * 1000;
    for (std::size_t rank = 0; rank < late_us.size(); ++rank) call(rank, step, what, (last - late_us[rank] + 50) * 1000, now_ns_);
  }

  // One kernel of one rank, which ended at `end_ns` of the common time.
  void call(std::size_t rank, std::int64_t step, std::string_view what, std::int64_t duration_ns, std::int64_t end_ns,
            std::string_view group = "group 0") {
    const std::int64_t clock = static_cast<std::int64_t>(rank) * 1'000'000'007;
    steps_.insert(step);
    sequences_[rank].calls.push_back({words.add(what), words.add(group), step, duration_ns, end_ns + clock});
  }

  std::vector<derive::ranks::Participant> participants() const {
    std::vector<derive::ranks::Participant> all;
    for (std::size_t i = 0; i < sequences_.size(); ++i)
      all.push_back({static_cast<std::int64_t>(i), &sequences_[i], {steps_.begin(), steps_.end()}});
    return all;
  }
  derive::ranks::Matching match() const { return derive::ranks::match(participants(), words); }
  std::int64_t now_ns() const { return now_ns_; }

  Interner words;

 private:
  std::vector<derive::ranks::Sequence> sequences_;
  std::set<std::int64_t> steps_;
  std::int64_t now_ns_ = 0;
};

}  // namespace frx::testing
