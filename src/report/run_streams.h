// The event streams of a run bundle: one per rank, and the samples of the GPUs beside them.
#pragma once

#include <string>
#include <vector>

#include "ingest/run_bundle/open_bundle.h"
#include "report/run_judge.h"
#include "report/run_report.h"

namespace frx::report {

// raw/trace.jsonl, which is rank 0, and raw/trace.rankN.jsonl; by rank. Streams of other processes (forked workers) are left out with a
// note. Every rank has the samples of all GPUs: the samples do not name their rank.
Result<std::vector<StreamOfRank>> read_streams(const ingest::RunBundle& bundle, std::vector<std::string>& notes);

// Diagnoses each stream, and selects the one that represents the run: of those with the most common label that names a cause, the one with
// the middle step time. 0 when there is only one.
std::size_t judge_streams(const RunJudge& judge, std::vector<StreamOfRank>& streams);

}  // namespace frx::report
