#include "compose/hot_lines.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/ncu_words.h"

namespace frx::compose {
namespace {

using report::HotCode;
using report::HotLine;
using report::Kernel;
using report::LineWaste;
using report::NcuReport;

constexpr std::size_t max_kernels = 3, lines_of_focus = 5, lines_of_others = 3;
constexpr double notable_waste_pct = 10;  // of the line
constexpr double notable_waste_of_kernel_pct = 1;
constexpr double wasteful_of_kernel_pct = 5;  // shown though no warp waits there
constexpr std::size_t max_wasteful = 2;
constexpr double notable_stall_pct = 15;  // of the line
constexpr double few_threads = 16;        // of 32: the other half of the work is thrown away

// "3.3", "8", "25".
std::string few_digits(double value) {
  const std::string text = fmt::format("{:.{}f}", value, value < 10 ? 1 : 0);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string source_place_text(const report::SourcePlace& place) { return fmt::format("{}:{}", file_name_in(place.file), place.line); }

// "loads take 32 sectors where 4 would do".
std::string waste_text(const LineWaste& waste, std::string_view unit) {
  const std::string access(waste.access);
  const bool tells = waste.each && *waste.each >= 1.05 * std::max(1.0, *waste.ideal_each);
  return tells ? fmt::format("{} take {} {} where {} would do", access, few_digits(*waste.each), unit, few_digits(*waste.ideal_each))
               : fmt::format("{} take {} {} too many", access, format_number(waste.excess), unit);
}

bool notable(const std::optional<LineWaste>& waste) {
  return waste && waste->of_line_pct >= notable_waste_pct && waste->of_kernel_pct >= notable_waste_of_kernel_pct;
}

std::vector<std::string> stall_facts(const HotLine& line, std::set<std::string_view>& explained) {
  std::vector<std::string> facts;
  for (const report::LineStall& stall : line.stalls) {
    if (facts.size() == 2 || stall.pct < notable_stall_pct) break;
    std::string fact = fmt::format("{:.0f} % {}", stall.pct, stall.reason);
    if (facts.empty() && explained.insert(stall.reason).second && !stall.words.empty()) fact += fmt::format(": {}", stall.words);
    facts.push_back(std::move(fact));
  }
  return facts;
}

void add_line(Document& page, const HotLine& line, bool by_samples, std::set<std::string_view>& explained) {
  constexpr std::size_t head_width = 10, indent = 2 + head_width;
  page.hanging(pad_left(hot_share(line, by_samples), head_width - 2) + "  ", as_name(hot_place(line)), 2, Tone::plain, Tone::bold);
  if (!line.text.empty()) page.source_line(line.text, indent);
  for (const std::string& fact : hot_facts(line, by_samples, explained)) page.hanging("- ", fact, indent);
}

void add_kernel(Document& page, const NcuReport& report, const Kernel& kernel, std::size_t hottest, std::set<std::string_view>& explained) {
  const auto number = static_cast<std::size_t>(&kernel - report.kernels.data());
  if (report.kernels.size() > 1) page.paragraph(as_name(kernel_names(report)[number], Fit::shorten), 2, Tone::bold);
  page.paragraph("Share of " + hot_basis(kernel.hot), 2, Tone::dim);
  for (const HotLine* line : lines_to_show(kernel.hot, hottest)) add_line(page, *line, kernel.hot.by_samples, explained);
}

}  // namespace

std::string hot_place(const HotLine& line) {
  if (line.place.line > 0) {
    std::string text = source_place_text(line.place);
    if (!line.called_from.empty()) text += ", inlined at " + source_place_text(line.called_from.back());
    return text;
  }
  const std::string function = !line.in_callee ? "" : line.function.empty() ? " of a called function" : " of " + shorten(line.function, 60);
  if (line.offset) return fmt::format("instruction at 0x{:x}{}", *line.offset, function);
  return fmt::format("{}{} without line information", count_text(line.instructions, "instruction"), function);
}

std::string hot_share(const HotLine& line, bool by_samples) { return percent_text(line.share(by_samples)); }

std::vector<std::string> hot_facts(const HotLine& line, bool by_samples, std::set<std::string_view>& explained) {
  std::vector<std::string> facts;
  if (by_samples) facts = stall_facts(line, explained);
  if (notable(line.sectors)) {
    facts.push_back(fmt::format("{}; {:.0f} % of the kernel's global traffic is wasted here", waste_text(*line.sectors, "sectors"),
                                line.sectors->of_kernel_pct));
  }
  if (notable(line.wavefronts)) {
    facts.push_back(fmt::format("bank conflicts: {}; {:.0f} % of the kernel's passes through shared memory are wasted here",
                                waste_text(*line.wavefronts, "passes"), line.wavefronts->of_kernel_pct));
  }
  if (line.active_threads && *line.active_threads < few_threads) {
    facts.push_back(fmt::format("{} of 32 threads work", few_digits(*line.active_threads)));
  }
  return facts;
}

std::string hot_basis(const HotCode& code) {
  const std::string samples = fmt::format("{} sample{}", format_number(static_cast<double>(code.samples)), code.samples == 1 ? "" : "s");
  if (code.by_samples) return samples + " of its warps";
  return code.samples > 0 ? fmt::format("executed instructions; {} cannot say where warps wait", samples)
                          : "executed instructions; no warps were sampled";
}

std::string hot_remark(const std::vector<const HotCode*>& codes) {
  const auto any = [&](auto holds) { return std::any_of(codes.begin(), codes.end(), [&](const HotCode* code) { return holds(*code); }); };
  std::string text;
  if (any([](const HotCode& code) { return code.by_samples; })) {
    text = "A warp is counted where it waits: often a little behind what it waits for.";
  }
  if (any([](const HotCode& code) { return !code.has_places; })) {
    text += fmt::format("{}Compiled with -lineinfo the program would show source lines instead of instructions.", text.empty() ? "" : " ");
  }
  return text;
}

std::vector<const HotLine*> lines_to_show(const HotCode& code, std::size_t hottest) {
  std::vector<const HotLine*> lines;
  std::size_t wasteful = 0;
  for (const HotLine& line : code.lines) {
    const auto wastes = [](const std::optional<LineWaste>& waste) {
      return notable(waste) && waste->of_kernel_pct >= wasteful_of_kernel_pct;
    };
    const bool first = lines.size() < hottest;
    if (!first && !wastes(line.sectors) && !wastes(line.wavefronts)) continue;
    if (!first && wasteful++ == max_wasteful) break;
    lines.push_back(&line);
  }
  return lines;
}

void add_hot_lines(Document& page, const NcuReport& report) {
  const Kernel* const focus = focus_kernel(report);
  std::vector<const Kernel*> kernels;
  if (focus && !focus->hot.lines.empty()) kernels.push_back(focus);
  for (const Kernel& kernel : report.kernels) {
    if (&kernel != focus && !kernel.hot.lines.empty() && kernels.size() < max_kernels) kernels.push_back(&kernel);
  }
  if (kernels.empty()) return;
  page.section("Hot lines");
  std::set<std::string_view> explained;
  std::vector<const HotCode*> codes;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i > 0) page.blank();
    add_kernel(page, report, *kernels[i], kernels[i] == focus ? lines_of_focus : lines_of_others, explained);
    codes.push_back(&kernels[i]->hot);
  }
  const std::string remark = hot_remark(codes);
  if (remark.empty()) return;
  page.blank();
  page.paragraph(remark, 2, Tone::dim);
}

}  // namespace frx::compose
