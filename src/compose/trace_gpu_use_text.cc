#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "report/time_parts.h"

namespace frx::compose {
namespace {

using report::GpuUse;
using report::TraceReport;

constexpr std::size_t products_shown = 5, copy_rates_shown = 3, rates_of_collectives_shown = 4, bars_shown = 16, bar_width = 40;
// What takes less than a thousandth of the time of kernels is not shown.
constexpr std::int64_t least_share = 1000;
// Below it the question is what the GPU waits for, not what it does.
constexpr double busy_enough = 0.5;

std::string duration(std::int64_t ns) { return format_quantity(static_cast<double>(ns), "ns"); }

std::string percent(std::int64_t part, std::int64_t whole) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1)));
}

std::string rate_text(std::optional<double> gb_per_s) {
  return gb_per_s ? fmt::format("{} GB/s", format_number(std::round(*gb_per_s * 100) / 100)) : "n/a";
}

// "at least 41.2 % of kernel time; FP32 matrix kernels 12.0 %, other matrix kernels 3.1 %".
std::string tensor_text(const GpuUse& use) {
  const derive::trace::KernelUse& k = use.kernels;
  const std::int64_t all = k.computing_ns();
  std::string text = fmt::format("{} of kernel time by name", percent(k.tensor_core_ns, all));
  if (k.fp32_matrix_ns * least_share >= all) text += fmt::format("; FP32 matrix kernels {}", percent(k.fp32_matrix_ns, all));
  if (k.other_matrix_ns * least_share >= all)
    text += fmt::format("; matrix kernels whose names do not say {}", percent(k.other_matrix_ns, all));
  return text;
}

std::string queue_text(const derive::trace::LaunchQueue& queue) {
  return fmt::format("{} launched and not begun (median over time), {} at most, none for {} of the time", queue.median, queue.longest,
                     percent(queue.empty_ns, queue.span_ns));
}

std::string products_text(const GpuUse& use) {
  const derive::trace::Products& products = use.products;
  return fmt::format("{} TFLOP/s in {} of matrix products and convolutions",
                     format_number(std::round(products.flops / static_cast<double>(products.gpu_ns) / 10) / 100),
                     duration(products.gpu_ns));
}

void add_use_facts(Document& page, const GpuUse& use) {
  if (use.kernels.computing_ns() > 0 && use.has_tensor_cores.value_or(false)) page.fact("Tensor cores", tensor_text(use));
  if (use.kernels.occupancy_pct) {
    page.fact("Occupancy", fmt::format("{:.0f} % of the warp slots, weighted by time (estimate of the profiler for {} of kernel time)",
                                       *use.kernels.occupancy_pct, percent(use.kernels.occupancy_ns, use.kernels.all_ns)));
  }
  if (!use.queues.empty()) page.fact("Launch queue", queue_text(use.queues.front()));
  if (use.products.gpu_ns > 0) page.fact("Products", products_text(use));
}

std::string roof_text(const report::ProductRate& rate) {
  if (!rate.peak_share) return "n/a";
  return fmt::format("{:.1f} %", 100 * *rate.peak_share);
}

void add_products(Document& page, const GpuUse& use) {
  if (use.products.products.empty()) return;
  page.blank();
  Table table{{number_column("GPU time", 9),
               number_column("calls", 7, 1),
               number_column("TFLOP/s", 8, 1),
               number_column("of peak", 8, 1),
               {"roof", 6, false, 2, true, Fit::cut},
               names_column("product")}};
  for (std::size_t i = 0; i < std::min(products_shown, use.products.products.size()); ++i) {
    const derive::trace::Product& product = use.products.products[i];
    const report::ProductRate& rate = use.rates[i];
    table.add({duration(product.gpu_ns), fmt::format("{}x", product.calls), fmt::format("{:.2f}", rate.tflops), roof_text(rate),
               !rate.memory_limited   ? "?"
               : *rate.memory_limited ? "memory"
                                      : "math",
               product.name + " " + product.shapes});
  }
  page.add(std::move(table));
}

void add_copies(Document& page, const GpuUse& use) {
  std::vector<const derive::trace::CopyRate*> shown;
  for (const derive::trace::CopyRate& rate : use.copies) {
    if (rate.bytes > 0 && rate.ns * least_share >= use.kernels.all_ns && shown.size() < copy_rates_shown) shown.push_back(&rate);
  }
  if (shown.empty()) return;
  page.blank();
  Table table{{number_column("GPU time", 9), number_column("count", 7, 1), number_column("GB/s", 10, 1), number_column("largest", 11, 1),
               names_column("copy")}};
  for (const derive::trace::CopyRate* rate : shown) {
    table.add({duration(rate->ns), fmt::format("{}x", rate->count), rate_text(derive::trace::gigabytes_per_second(rate->bytes, rate->ns)),
               rate_text(derive::trace::gigabytes_per_second(rate->largest_bytes, rate->largest_ns)), rate->name});
  }
  page.add(std::move(table));
}

void add_collectives(Document& page, const GpuUse& use) {
  if (use.collectives.rates.empty()) return;
  page.blank();
  Table table{{number_column("GPU time", 9), number_column("calls", 6, 1), number_column("message", 9, 1), number_column("ranks", 6, 1),
               number_column("bus", 10, 1), number_column("best", 11, 1), names_column("collective")}};
  for (const derive::trace::CollectiveRate& rate :
       std::span(use.collectives.rates).first(std::min(rates_of_collectives_shown, use.collectives.rates.size()))) {
    const auto bus = [&](std::uint64_t bytes, std::int64_t ns) {
      const std::optional<double> of = derive::trace::gigabytes_per_second(bytes, ns);
      return rate_text(of ? std::optional(*of * rate.factor) : std::nullopt);
    };
    table.add({duration(rate.ns), fmt::format("{}x", rate.calls), format_quantity(static_cast<double>(rate.bytes), "byte"),
               std::to_string(rate.ranks), bus(rate.bytes * rate.calls, rate.ns), bus(rate.bytes, rate.shortest_ns),
               rate.name + " " + rate.type});
  }
  page.add(std::move(table));
  page.paragraph(
      "Bus bandwidth is what crosses the links of a rank. A rank that waits for others in a collective lowers it; the best call shows the "
      "links.");
}

// One character for each fortieth of the longest step.
std::string bar_of(const model::GpuTime& time, std::int64_t longest) {
  const std::pair<char, std::int64_t> parts[] = {{'#', time.compute},
                                                 {'+', time.communication},
                                                 {'=', time.copy},
                                                 {'L', time.idle_because(model::IdleCause::input)},
                                                 {'.', time.idle - time.idle_because(model::IdleCause::input)}};
  std::string bar;
  std::int64_t sum = 0;
  for (const auto& [letter, ns] : parts) {
    sum += ns;
    const auto until = static_cast<std::size_t>(static_cast<double>(sum) / static_cast<double>(longest) * bar_width + 0.5);
    bar.resize(std::max(bar.size(), std::min(until, bar_width)), letter);
  }
  return bar;
}

// The steps that are shown: all, or the longest of them in their order.
std::vector<std::size_t> chosen_steps(const model::GpuSteps& gpu, std::size_t skipped) {
  std::vector<std::size_t> rows;
  for (std::size_t row = skipped; row < gpu.steps.size(); ++row) {
    if (gpu.steps[row].span > 0) rows.push_back(row);
  }
  if (rows.size() <= bars_shown) return rows;
  std::ranges::stable_sort(rows, std::ranges::greater{}, [&](std::size_t row) { return gpu.steps[row].span; });
  rows.resize(bars_shown);
  std::ranges::sort(rows);
  return rows;
}

}  // namespace

void add_gpu_use(Document& page, const TraceReport& report) {
  if (!report.use || report.scope().facts[model::RunFact::gpu_busy_fraction].value_or(0) < busy_enough) return;
  page.section("What the GPU does");
  add_use_facts(page, *report.use);
  add_products(page, *report.use);
  add_copies(page, *report.use);
  add_collectives(page, *report.use);
  for (const std::string& missing : report.use->missing) page.hanging("- not told: ", missing);
}

void add_step_chart(Document& page, const TraceReport& report, std::size_t skipped) {
  if (!report.has_step_boundaries() || report.processes.front().gpus.empty()) return;
  const model::StepTable& steps = report.processes.front();
  const model::GpuSteps& gpu = steps.gpus.front();
  const std::vector<std::size_t> rows = chosen_steps(gpu, skipped);
  if (rows.size() < 2) return;
  std::int64_t longest = 1;
  for (const std::size_t row : rows) longest = std::max(longest, gpu.steps[row].span);
  const std::size_t all = gpu.steps.size() - std::min(skipped, gpu.steps.size());
  answer::Section section{
      rows.size() < all ? fmt::format("Steps (the {} longest of {})", rows.size(), all) : fmt::format("Steps ({})", rows.size()), ""};
  section.drawn_as = "steps";
  page.add(std::move(section));
  Table table{{number_column("step", 8), number_column("time", 9, 1), {"GPU", 0, false, 2, true, Fit::cut}}};
  for (const std::size_t row : rows)
    table.add({std::to_string(steps.ids[row]), duration(gpu.steps[row].span), bar_of(gpu.steps[row], longest)});
  page.add(std::move(table));
  page.paragraph("# computing, + exposed communication, = exposed copies, L idle for the loader, . idle otherwise");
}

}  // namespace frx::compose
