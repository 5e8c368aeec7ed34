// The event stream of the SDK (raw/trace.jsonl of a run bundle) and the samples of its GPUs (gpu_metrics.csv):
//
//   {"event_type": "step_end", "step_id": 3, "duration_ns": 100250, "payload": {"status": "ok"}, ...}
//
//   timestamp,index,name,utilization.gpu,utilization.memory,memory.used,memory.total,...
//   2026-01-01T00:00:00+00:00,0,NVIDIA A100,41,12,20480,40960
#pragma once

#include "base/files.h"
#include "model/run_record.h"

namespace frx::ingest {

// The content of the events: steps, and samples of GPUs among them. Lines that are no event are counted and left out, blank ones too. Times
// of equal phases add up, the last end of a step counts. Fails only when the source does.
Result<> read_run_events(ByteSource& source, model::RunRecord& into);

// Adds the samples. Memory is in MiB there. Cells that are no number are missing.
Result<> read_gpu_samples(ByteSource& source, model::RunRecord& into);

}  // namespace frx::ingest
