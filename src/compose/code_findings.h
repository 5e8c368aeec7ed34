// Findings of static analysis for every reader: terminal, JSON, SARIF 2.1.0 and annotations of GitHub.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compose/json_fwd.h"
#include "compose/page.h"
#include "report/code_report.h"

namespace frx::compose {

// "kernel.cu:12:5", "kernel.ptx:40 (kernel.cu:12)".
std::string place_text(const model::TextPlace& place);

// "FINDINGS (k of n)" with at most `limit`, each with place, message and what to do.
void add_findings(Page& page, std::span<const model::CodeFinding> findings, std::size_t limit);

// One line per label: score, names, how it is proven, evidence.
void add_labels(Page& page, std::span<const diagnose::CodeLabelFinding> labels);

// The documented fields and their aliases (kind, kernel), and where it shows.
Json finding_json(const model::CodeFinding& finding);
Json findings_json(std::span<const model::CodeFinding> findings);

// One run of the tool over all files. `failed`: files that could not be read, with the reason.
struct FailedFile {
  std::string path, message;
};
Json sarif_json(std::span<const model::CodeFinding> findings, std::span<const FailedFile> failed, std::string_view version);

// "::error file=a.cu,line=3,col=5,title=...::..." for each finding and failed file.
std::string github_text(std::span<const model::CodeFinding> findings, std::span<const FailedFile> failed);

}  // namespace frx::compose
