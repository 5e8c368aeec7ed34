// frx analyze on files of several layers at once: source, PTX, cubins, Nsight Compute profiles, training runs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "report/analyse.h"

namespace frx::cli {

// Brings together what each of them says; all of them are about the same program.
Result<int> analyse_layers(const std::vector<std::string>& targets, const std::string& format, const report::AnalysisOptions& analysis, Io& io);

}  // namespace frx::cli
