// How our diagnosis agrees with the expert labels of the corpus (ncu-labels.tsv).
//
// A label file says per kernel which verdicts an expert accepts, which must not lead and which must be
// found. Everything else is neutral: neither right nor wrong.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/analyse.h"

namespace frx::corpus {

struct LabelRow {
  std::string file;    // "ncu/csv_....csv"
  std::string kernel;  // "*": the kernel that takes most time
  std::vector<std::string> accepted, forbidden, must_find;
  bool sure = false;
};

std::vector<LabelRow> read_labels(const std::filesystem::path& corpus);

struct Judged {
  LabelRow row;
  std::string primary;               // what we say leads; "" when the file or kernel was not read
  std::vector<std::string> missing;  // of must_find
  bool accepted = false;
  bool only_as_younger = false;  // accepted although the list does not name latency_bound or fp64_pipe_bound, which it is older than
  bool forbidden = false;
};

// Judges the rows of one report.
Judged judge(const LabelRow& row, const report::NcuReport& report);

// For the cells of a Markdown table.
std::string cell(std::string text);
// "2/3; sure axpy: inconclusive is not accepted", "" without rows.
std::string agreement(const std::vector<Judged>& judged);

struct Score {
  int sure = 0, sure_accepted = 0, sure_forbidden = 0;
  int likely = 0, likely_accepted = 0;
  int sure_as_younger = 0, likely_as_younger = 0;  // of those accepted
  int must_find = 0, found = 0;                    // of the sure rows

  std::vector<std::string> refused;  // labelled files that were not read, with the reason

  void add(const Judged& judged);
};

// Judges every row of the files under `folder` ("ncu/").
Score score_labels(const std::filesystem::path& corpus, std::string_view folder);

}  // namespace frx::corpus
