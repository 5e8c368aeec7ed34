// The audit log of layout trials: one line a decision, added and never changed.
#pragma once

#include <string>

#include "cli/io.h"
#include "report/layout/layout_trial.h"

namespace frx::cli {

// Adds a line to the file, which is made where there is none, while its folder is locked. A last line that was cut by a crash is left as it
// is, and ended first. Unreadable: it cannot be written.
Result<> add_to_audit_log(const std::string& path, const report::LayoutTrial& trial, Io& io);

}  // namespace frx::cli
