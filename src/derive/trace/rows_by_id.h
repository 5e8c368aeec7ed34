// Rows of a timeline by an id, for joins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "model/timeline.h"

namespace frx::derive::trace {

// Rows by an id that each of them has one of; of several with one id, the first by `order`. O(n log n) to make, O(n) where ids are dense.
class RowsById {
 public:
  using Entry = std::pair<std::uint64_t, std::uint32_t>;  // id, row

  static constexpr std::uint64_t no_id = ~std::uint64_t{0};

  // `id_of(row)` of rows below `rows`; no_id: the row is not wanted. `order(row)` is asked for rows with an id that another one has.
  template <typename IdOf, typename Order>
  RowsById(std::size_t rows, IdOf id_of, Order order) {
    std::uint64_t least = no_id, most = 0, count = 0;
    const auto for_each = [&](auto take) {
      for (std::uint32_t row = 0; row < rows; ++row) {
        const std::uint64_t id = id_of(row);
        if (id != no_id) take(id, row);
      }
    };
    for_each([&](std::uint64_t id, std::uint32_t) {
      least = std::min(least, id);
      most = std::max(most, id);
      ++count;
    });
    if (count == 0) return;
    constexpr std::uint64_t sparse = 8;
    if (most - least <= sparse * count) {
      first_ = least;
      table_.resize(most - least + 1, no_row);
      for_each([&](std::uint64_t id, std::uint32_t row) {
        std::uint32_t& known = table_[id - first_];
        if (known == no_row || order(row) < order(known)) known = row;
      });
      return;
    }
    list_.reserve(count);
    for_each([&](std::uint64_t id, std::uint32_t row) { list_.emplace_back(id, row); });
    const auto key = [&](const Entry& entry) { return std::tuple(entry.first, order(entry.second), entry.second); };
    if (!std::ranges::is_sorted(list_, {}, key)) std::ranges::sort(list_, {}, key);
    const auto repeated = std::ranges::unique(list_, {}, &Entry::first);
    list_.erase(repeated.begin(), repeated.end());
  }

  // `no_row`: no row has it.
  std::uint32_t with(std::uint64_t id) const {
    if (!table_.empty()) return id - first_ < table_.size() ? table_[id - first_] : no_row;
    const auto found = std::ranges::lower_bound(list_, id, {}, &Entry::first);
    return found == list_.end() || found->first != id ? no_row : found->second;
  }

  // Calls take(row) for the rows whose ids are from `least` to `most`, in the order of the ids, until it returns false.
  template <typename Take>
  void for_each_between(std::uint64_t least, std::uint64_t most, Take take) const {
    for (std::uint64_t id = std::max(least, first_); id <= most && id - first_ < table_.size(); ++id) {
      if (table_[id - first_] != no_row && !take(table_[id - first_])) return;
    }
    for (auto at = std::ranges::lower_bound(list_, least, {}, &Entry::first); at != list_.end() && at->first <= most; ++at) {
      if (!take(at->second)) return;
    }
  }

 private:
  static constexpr std::uint32_t no_row = model::Timeline::no_id;

  // Ids are usually consecutive: a table of them from `first_` on. Otherwise a sorted list.
  std::uint64_t first_ = 0;
  std::vector<std::uint32_t> table_;
  std::vector<Entry> list_;
};

}  // namespace frx::derive::trace
