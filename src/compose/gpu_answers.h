// What is said of GPUs: the list, one by its name, those of this machine, and what fits on one.
#pragma once

#include <memory>

#include "answer/answer.h"
#include "report/gpu_occupancy.h"
#include "report/gpu_sheet.h"

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const report::GpuList> list);
answer::Answer answer_of(std::shared_ptr<const report::GpuLookup> lookup);
answer::Answer answer_of(std::shared_ptr<const report::GpusHere> here);
answer::Answer answer_of(std::shared_ptr<const report::GpuOccupancy> occupancy);

// "Peak Memory Bandwidth: 3,350 GB/s"; "N/A", without the unit, of what is absent.
std::string value_text(const report::SheetNumber& number);

}  // namespace frx::compose
