// The audit log of layout trials: one line a decision, added and never changed.
#pragma once

#include <string>

#include "capture/spawn.h"
#include "cli/io.h"
#include "report/layout/layout_trial.h"

namespace frx::cli {

// Opened for adding, and made where there is none, with its folders: before a trial takes an hour. Unreadable: it cannot be written.
Result<capture::Fd> open_audit_log(const std::string& path);

// Adds a line while the folder of the file is locked. A last line that was cut by a crash is left as it is, and ended first. Unreadable:
// the line could not be written.
Result<> add_to_audit_log(const capture::Fd& log, const std::string& path, const report::LayoutTrial& trial, Io& io);

}  // namespace frx::cli
