// Running ncu on a program and reading what it counted, for frx profile and frx bench.
#pragma once

#include <string>

#include "capture/ncu_command.h"
#include "cli/io.h"
#include "report/analyse.h"

namespace frx::cli {

struct LiveProfile {
  std::string preset = "full";  // whose counters are asked for
  std::string gpu_model;        // whose own counters are asked for, too; or ""
  capture::NcuRequest request;
  std::string keep_as;    // file for the CSV, or ""
  bool is_quiet = false;  // says nothing of the command on standard error
};

// The report lives as long as the analyst.
Result<const report::NcuReport*> profile_now(const LiveProfile& live, report::Analyst& analyst, Io& io);

}  // namespace frx::cli
