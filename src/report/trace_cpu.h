// What a recording of the CPU alone says.
#pragma once

#include "report/trace_report.h"

namespace frx::report {

// After the diagnosis of a trace with `cpu`: its reasons begin with what was recorded and which operators take the time themselves.
void explain_cpu(TraceReport& report);

// "the CPU alone was recorded ...", and how to record a GPU where there may be one.
std::string cpu_note(const CpuTimes& cpu);

// What takes the time, where operators take less than half of it on any thread; "" elsewhere.
std::string uncovered_note(const CpuTimes& cpu);

}  // namespace frx::report
