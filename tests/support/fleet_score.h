// What frx finds in a made-up cluster beside what was planted.
#pragma once

#include <string>
#include <vector>

#include "report/fleet_report.h"
#include "support/made_cluster.h"

namespace frx::testing {

struct FleetCount {
  std::string what;  // "late ranks"
  std::size_t planted = 0, found = 0, named = 0, false_names = 0;
};

// Ranks late all the time, ranks late at times, late nodes, slow links of nodes, slow links of pairs. Named as something else than it is
// counts as not found, and as false only where nothing was planted.
std::vector<FleetCount> score_of(const report::FleetReport& report, const ClusterTruth& truth);

// The ranks of a cluster as one file. `plan`: members of ClusterPlan as YAML. Errors: there is no such member; its value is no number.
Result<std::string> summaries_from_plan(std::string_view name, std::string_view plan);

// Summaries of all ranks below a folder, `per_file` ranks a file. `analyst`: for the recording that all are like.
Result<std::uint64_t> write_summaries(const MadeCluster& cluster, const report::TraceAnalyst& analyst, const std::string& folder,
                                      int per_file);

}  // namespace frx::testing
