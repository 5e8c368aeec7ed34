// What is said of GPUs: the list, one by its name, and those of this machine.
#pragma once

#include <memory>

#include "answer/answer.h"
#include "report/gpu_sheet.h"

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const report::GpuList> list);
answer::Answer answer_of(std::shared_ptr<const report::GpuLookup> lookup);
answer::Answer answer_of(std::shared_ptr<const report::GpusHere> here);

// "Peak Memory Bandwidth: 3,350 GB/s"; "N/A", without the unit, of what is absent.
std::string value_text(const report::SheetNumber& number);

}  // namespace frx::compose
