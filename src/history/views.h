// What the commands of a history answer, as values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "history/change_points.h"
#include "history/store.h"

namespace frx::history {

// What became of answers that were to be recorded.
struct Recorded {
  struct One {
    std::string id, series, verdict, from;  // `from`: the file it was read from
    bool is_new = false;
  };
  std::string store;
  std::vector<One> records;
  std::size_t predictions = 0;  // that are new
  std::size_t added() const;
};

struct Listing {
  std::string store;
  Filter filter;
  bool by_series = false;
  std::vector<Summary> records;
  std::vector<SeriesSummary> series;
};

struct Shown {
  std::string store;
  Record record;
  std::vector<std::string> baselines;  // names that stand for it
};

// One metric of one series over time, and where its level changed.
struct Trend {
  std::string store, series, metric;
  std::vector<std::string> metrics;  // that the series has
  std::vector<TrendPoint> points;    // oldest first
  ChangePoints changes;              // indices into `points`
  // Median of the values from the last change on, or of all.
  std::optional<double> level() const;
};
// `most`: of the newest points. Not enough: no such series, or it has no such metric. `metric`: "" for the one that is shown first.
Result<Trend> trend_of(Store& store, const std::string& series, const std::string& metric, std::size_t most);

struct Baselines {
  std::string store, changed, removed;  // names that were set or removed, or ""
  std::vector<Baseline> all;
};

// Of an export, an import or a removal.
struct Moved {
  std::string store, file;
  std::uint64_t records = 0, known = 0, baselines = 0, predictions = 0;
};

struct Health {
  std::string store;
  Store::Checked checked;
};

}  // namespace frx::history
