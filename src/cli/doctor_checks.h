// What the facts about a machine mean for its user: one line each, with the step that helps.
#pragma once

#include <string>
#include <vector>

#include "capture/environment.h"

namespace frx::cli {

struct Check {
  enum class Status { ok, warn, fail, skip };

  Status status = Status::ok;
  std::string label;
  std::string detail;
  std::vector<std::string> remedy;  // lines; one for every WARN and FAIL
};

std::string_view word(Check::Status status);

std::vector<Check> machine_checks(const capture::Environment& environment);

// How collect would sample the GPUs.
Check sampling_check(const capture::Host& host, const capture::Environment& environment);

// Of this program itself. Only these can fail: without a GPU, ncu or PyTorch much still works.
Check collector_check(const capture::Host& host);
Check engine_check();

}  // namespace frx::cli
