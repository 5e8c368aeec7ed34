// The results of frx gpu for programs (gpu_list_v1, gpu_v1, gpu_detection_v1).
#pragma once

#include "answer/json_object.h"
#include "report/gpu_sheet.h"

namespace frx::compose {

using answer::JsonObject;

void put_gpu_list(JsonObject& out, const report::GpuList& list);
void put_gpu_lookup(JsonObject& out, const report::GpuLookup& lookup);
void put_gpus_here(JsonObject& out, const report::GpusHere& here);

}  // namespace frx::compose
