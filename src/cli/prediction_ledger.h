// The ledger of predictions: a file with one scored prediction a line (`prediction_v1`), kept from comparison to comparison.
//
//   {"schema":"prediction_v1","id":"0f3c...","card":"rec_ncu_improve_coalescing",...,"outcome":"held","why_not":null}
#pragma once

#include <set>
#include <string>
#include <vector>

#include "answer/json.h"
#include "base/result.h"
#include "report/prediction_scores.h"

namespace frx::cli {

struct Ledger {
  std::string path;
  std::string bytes;                  // as the file has them
  std::vector<answer::Json> entries;  // each prediction once, in the order of the file
  std::set<std::string> ids;
};

// Whether it is a scored prediction; one whose id is there already counts once. What is none is not added.
bool add_entry(Ledger& ledger, answer::Json entry);

// Unreadable or larger than 64 MiB; malformed, with file and line.
Result<Ledger> read_ledger(const std::string& path);

struct Appended {
  std::size_t added = 0, known = 0;
};
// Adds what is not there yet. A file that is missing is made; one that cannot be read as a ledger stays as it is.
Result<Appended> append_to_ledger(const std::string& path, const report::PredictionScores& scores);

std::string ledger_text(const Ledger& ledger);
answer::Json ledger_json(const Ledger& ledger);

}  // namespace frx::cli
