// Nsight Systems: recording a program with it, and exporting its reports (.nsys-rep), whose format is not documented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capture/host.h"
#include "capture/program_run.h"

namespace frx::capture {

// Writes the report at `report` as a database at `database`; `nsys` is the path of the program. Ten minutes at most. Fails, naming the
// report: it ended with an error, whose first line is told; frx was told to stop.
Result<> export_with_nsys(const std::string& nsys, const std::string& report, const std::string& database, const Host& host);

struct NsysRequest {
  ProgramRun program;
  std::string traces = "cuda";              // of --trace: "cuda,nvtx,osrt"
  std::optional<std::uint64_t> duration_s;  // records only so long, and ends the program then
  std::string output;                       // the report is OUTPUT.nsys-rep
};

std::vector<std::string> record_command(const std::string& nsys, const NsysRequest& request);

struct NsysRun {
  std::string report;  // its path
  int code = 0;        // of the program, which nsys hands on
};

// Runs the program under nsys, its output on our standard error. Errors name what ended how: nsys wrote no report (environment), the
// program did not end in time, frx was told to stop (negative).
Result<NsysRun> record_with_nsys(const std::string& nsys, const NsysRequest& request, const Host& host);

}  // namespace frx::capture
