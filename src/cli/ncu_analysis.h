// What the commands that read Nsight Compute exports share: options, reading with progress, and --why.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/io.h"
#include "cli/syntax.h"
#include "render/style.h"
#include "report/analyse.h"

namespace frx::cli {

// --gpu-model, --arch-profile, --data.
void describe_analysis(Syntax& syntax, report::AnalysisOptions& options);

render::Style style_of(const Io& io);

// Reports how far a long file has been read, on a terminal only. Erases itself.
class Progress {
 public:
  Progress(Io& io, std::string name, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  std::function<void(std::uint64_t)> callback();

 private:
  Io& io_;
  std::string name_;
  std::uint64_t total_;
  int shown_ = -1;
};

// Refuses what is no Nsight Compute export with the way that leads there, before reading a byte.
Result<> expect_ncu_file(const std::string& path);

Result<const report::NcuReport*> analyse_file(report::Analyst& analyst, const std::string& path, Io& io);

// The counters of a preset such as "full"; none for an unknown name.
Result<std::vector<std::string>> counters_of_preset(const std::string& preset, const report::Analyst& analyst);

// Prints where a number or a label of the report came from; the exit code.
Result<int> tell_why(const report::NcuReport& report, const std::string& field, const knowledge::Knowledge& knowledge, bool as_json, Io& io);

}  // namespace frx::cli
