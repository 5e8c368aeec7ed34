// A tuning as a page.
#pragma once

#include "answer/document.h"
#include "report/tune/tune_report.h"

namespace frx::compose {

answer::Document document_of(const report::TuneReport& report);

}  // namespace frx::compose
