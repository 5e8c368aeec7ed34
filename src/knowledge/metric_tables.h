// The metrics in reports, their names in docs/contract.md, and their typical limits: data/metrics/tables.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {

struct MetricTables {
  // What makes a value past its limit significant.
  enum class Context : std::uint8_t {
    none,      // the limit alone
    by_label,  // only a finding makes it significant
    by_roof,   // it is insignificant while another unit is at its limit
  };
  enum class Shown : std::uint8_t { always, where_measured, where_above_dram };
  enum class Better : std::uint8_t { lower, higher, neither };

  // A row of MEASURED METRICS. `otherwise` is shown where `id` was not measured; it may be "".
  struct Measured {
    std::string_view id, otherwise, name, unit;
    bool high_is_bad = true;
    double warning = 0, critical = 0;
    Context context = Context::none;
    std::vector<std::string_view> labels;  // findings about it
    std::string_view excuse;               // why it is normal when no finding says otherwise
    Shown shown = Shown::always;
  };
  // A key metric of `frx explain`, with the words for good, medium and bad.
  struct Explained {
    std::string_view key, id, otherwise, label, unit;
    Better better = Better::lower;
    double good = 0, bad = 0;
    std::array<std::string_view, 3> words;
    std::string_view caveat;  // shown where the table sees no problem
  };
  struct Compared {
    std::string_view key, id, label, unit;
    Better better = Better::neither;
  };
  struct Named {
    std::string_view key, id;
  };

  std::vector<Measured> measured;
  Measured largest_stall;
  std::vector<Explained> explained;
  std::vector<Compared> compared;
  std::vector<Named> averages, other_names;

  // Fails, naming file and line, on an invalid table or an unknown metric.
  static Result<MetricTables> load(const Library& library, const MetricCatalogue& metrics);

  // The metric with a name of docs/contract.md, "" when there is none.
  std::string_view metric_called(std::string_view name) const;
  // The row of a comparison, nullptr when there is none.
  const Compared* compared_as(std::string_view key) const;
};

}  // namespace frx::knowledge
