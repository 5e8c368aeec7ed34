// frx analyze on code: one file or many, folders too, with every output format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "cli/syntax.h"
#include "report/analyse.h"
#include "report/code_analyst.h"
#include "report/evidence.h"

namespace frx::cli {

struct CodeOptions {
  std::string format = "text";  // text, json, sarif, github
  std::string fail_on;          // low, medium, high, or ""
  bool with_ptx = false;
  std::vector<std::string> build_flags;
  bool with_ptxas = false;
  std::string ptxas_log;  // path, or ""
};

void describe_code(Syntax& syntax, CodeOptions& options);

enum class CodeKind : std::uint8_t { other, ptx, cuda, device };
// By its suffix, else by its first bytes.
CodeKind code_kind_of(const std::string& path);

// By its suffix, or when it begins like PTX; a folder is code.
bool is_code(const std::string& path);

// By its suffix alone, without looking into it; a folder is none.
bool has_code_suffix(const std::string& path);

// Prints the answer; fails when no file could be read, or when a finding reaches `fail_on`.
Result<int> analyse_code(const std::vector<std::string>& targets, const CodeOptions& options, const report::AnalysisOptions& analysis,
                         Io& io);

// What the files say, for a reconciliation with other layers. Files of one folder are one program.
Result<> add_code(const std::vector<std::string>& targets, const CodeOptions& options, const report::CodeAnalyst& analyst, Io& io,
                  report::Evidence& evidence);

// Runs ptxas on the PTX at `path` when asked.
report::PtxCompiler ptxas_for(const std::string& path, const capture::Host& host);
// low, medium, high.
model::Severity severity_named(std::string_view name);

}  // namespace frx::cli
