// Exports of Nsight Systems (`nsys export --type sqlite`), of schema versions 2 (2020) to 3.25 (2026), as the timeline of a program.
//
// Tables and columns come and go with versions and with what was traced, so each is used where it is there: GPU work (kernels, copies,
// fills, CUDA graphs as a whole), calls of CUDA, NVTX ranges, calls of the operating system, synchronisation, overhead of the profiler.
// Ranges of emit_nvtx become operators with their shapes and sequence numbers, other ranges annotations. Times are nanoseconds since the
// session began. What identifies a process or a thread is unique over the file, and correlations become so.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "ingest/run_bundle/random_access.h"
#include "model/timeline.h"

namespace frx::ingest::nsys {

// `progress` is told how many bytes have been read. Damaged tables become notes, and what could be read of them counts. Errors, naming the
// file: it is no database, no export of Nsight Systems, or, unless it `may_be_idle`, holds nothing that happened on a GPU or in a program;
// stopped.
Result<model::Timeline> read_export(std::string name, std::shared_ptr<const RandomAccess> access,
                                    const std::function<void(std::uint64_t)>& progress = {}, std::stop_token stop = {},
                                    bool may_be_idle = false);

}  // namespace frx::ingest::nsys
