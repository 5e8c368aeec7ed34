// The hot lines of kernels as words, for the report, the brief and the prompt.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compose/parts.h"
#include "report/report.h"

namespace frx::compose {

// "kernel.cu:42", "tool.h:7, inlined at kernel.cu:42", "instruction 0x4a0 of helper".
std::string hot_place(const report::HotLine& line);

// "34.2 %": of the samples or of the executed instructions, as the lines are ranked by; "n/a".
std::string hot_share(const report::HotLine& line, bool by_samples);

// Why warps wait there and what is wrong. A reason in `explained` has been told before; the others are explained
// and added.
std::vector<std::string> hot_facts(const report::HotLine& line, bool by_samples, std::set<std::string_view>& explained);

// "3,629 samples of its warps": what the shares are shares of.
std::string hot_basis(const report::HotCode& code);
// How to read the shares and what is missing; "" when there is nothing to say.
std::string hot_remark(const std::vector<const report::HotCode*>& codes);

// The first `hottest` lines, and those behind them that waste much of a kernel's traffic.
std::vector<const report::HotLine*> lines_to_show(const report::HotCode& code, std::size_t hottest);

// HOT LINES of the kernels that take most time. No section when no instruction was measured.
void add_hot_lines(Document& page, const report::NcuReport& report);

}  // namespace frx::compose
