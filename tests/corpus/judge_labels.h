// How the two bottlenecks of frx judge run agree with the experts, and what becomes of replies of a language model, by one script.
//
// The experts named labels (ncu-labels.tsv), a judge names categories. A label is of the category that data/judge lists it under; the
// documented indicators name the stalls of memory for both, memory-bound and latency-bound, so `warp_stall_memory` may be either. A row
// names two bottlenecks when its labels are of two categories; both are named when the two of an answer fit two different labels of it.
//
// The counters of KernelAgent have no expert labels. Those here were read from the numbers by hand; the answers were known by then, so the
// agreement with them shows that nothing broke, and proves nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/judge/testing.h"

namespace frx::corpus {

struct JudgedRow {
  std::string file, kernel;
  std::vector<std::string> labels;      // of the experts
  std::vector<std::string> categories;  // of the answer, most important first
  bool sure = false;
  bool names_two = false;   // the experts do
  bool first_fits = false;  // the first category is of an accepted label
  bool both_fit = false;    // of rows that name two
};

struct JudgedReply {
  std::string file;
  std::string expected;  // the coarse category of the experts
  std::string said;
  std::size_t citations = 0, wrong = 0;  // quoted values, and those that are not of the profile
  std::vector<std::string> errors;
  bool category_fits = false, is_valid = false;
  std::vector<std::string> ours;  // the two of frx judge run on the same counters
  bool ours_fit = false;
};

// Numbers of the replies that are values of their profile, each changed by about a third, one at a time: how many of the changes the check
// finds.
struct ChangedNumbers {
  int in_evidence = 0, found_in_evidence = 0;  // values beside the name of a counter
  int in_prose = 0, found_in_prose = 0;        // in sentences
};
ChangedNumbers change_numbers_of_replies(const std::filesystem::path& corpus);

std::vector<JudgedRow> judge_labels(const std::filesystem::path& corpus);
std::vector<JudgedReply> judge_replies(const std::filesystem::path& corpus);

}  // namespace frx::corpus
