// How what we read of real reports agrees with two independent truths:
//
//   oracle.jsonl   names, shapes, values and fired rules, decoded by another program
//   the reports    NVIDIA's own rules quote numbers, in their texts and as focus metrics
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/ncu_report/report.h"

namespace frx::corpus {

// How many of a kind were compared, and how many agree.
struct Agreement {
  std::uint64_t compared = 0, equal = 0;
  void add(bool same) {
    ++compared;
    equal += same;
  }
};

// "86.6" stands for everything that rounds to it.
bool rounds_to(double value, const std::string& printed);

struct ReportCheck {
  ingest::nsight::ReportSummary summary;
  std::uint64_t launches = 0, failed_launches = 0, values = 0, absent_values = 0, instances = 0, fired_rules = 0;
  Agreement oracle_launches;             // every field of the row of this launch
  Agreement oracle_values;               // the metrics of the rows
  Agreement focus;                       // numbers beside a metric's name in a rule result
  Agreement quoted;                      // numbers inside the texts of the rules
  std::vector<std::string> differences;  // the first few, for people
};

using Oracle = std::map<std::string, std::vector<std::string>>;  // file name -> its rows, as JSON text

Oracle read_oracle(const std::filesystem::path& corpus);
// The reports of a corpus folder, in order of their names.
std::vector<std::filesystem::path> report_files(const std::filesystem::path& corpus);

Result<ReportCheck> check_report(const std::filesystem::path& path, const Oracle& oracle);

}  // namespace frx::corpus
