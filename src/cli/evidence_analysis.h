// frx analyze on files of several layers at once: source, PTX, cubins, Nsight Compute profiles, training runs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/code_analysis.h"
#include "cli/io.h"
#include "report/analyse.h"

namespace frx::cli {

// Brings together what each of them says; all of them are about the same program. Of `code` everything counts but what lists findings.
Result<int> analyse_layers(const std::vector<std::string>& targets, const CodeOptions& code, const report::AnalysisOptions& analysis,
                           Io& io);

}  // namespace frx::cli
