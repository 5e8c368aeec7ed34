// Profiles a program with Nsight Compute and keeps the CSV.
//
// The CSV is written to a file of its own, so that it never mixes with the output of the application; that goes live to our standard error,
// so that our standard output stays clean for --json. An application that fails after its kernels ran has still been profiled.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "capture/host.h"
#include "capture/ncu_command.h"

namespace frx::capture {

struct NcuCapture {
  std::string csv_path;              // inside `folder`: copy it before this object is destroyed
  std::vector<std::string> command;  // as it was run in the end
  std::vector<std::string> notes;    // recoverable problems, for the report
  int application_code = 0;
  bool is_cut = false;  // it was ended before the application was
  std::chrono::nanoseconds took{0};
  TemporaryDirectory folder;

  // Copies the CSV to another path, where it appears whole. One that is cut has whole lines, and the last one says that it is.
  Result<> save_as(const std::string& path) const;
};

// Errors are of kind `environment` and name a remedy: no ncu, no permission, no kernels, ... `request.log_file` is set by this function.
// `time_limit` 0: none.
Result<NcuCapture> profile_with_ncu(NcuRequest request, const Host& host,
                                    std::chrono::milliseconds time_limit = std::chrono::milliseconds{0});

// The path of ncu, or why there is none and the workaround for `request`.
Result<std::string> find_ncu(const NcuRequest& request, const Host& host);

}  // namespace frx::capture
