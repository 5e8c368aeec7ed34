#include "compose/tune_measured.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"
#include "compose/tune_words.h"

namespace frx::compose {
namespace {

using report::TuneReport;
using report::TuneRun;
using report::TuneTrial;

constexpr std::string_view not_measured = "not measured";
constexpr double bytes_of_gib = 1024.0 * 1024.0 * 1024.0;

// Clocks, temperatures and the like of every GPU of every run that counts.
struct SeenRange {
  std::optional<double> low, high;

  void take(const std::optional<double>& value) {
    if (!value) return;
    low = std::min(low.value_or(*value), *value);
    high = std::max(high.value_or(*value), *value);
  }
  // "1980 MHz", "1755 to 1980 MHz", "".
  std::string text(std::string_view unit) const {
    if (!low) return "";
    const std::string first = fmt::format("{:.0f}", *low), last = fmt::format("{:.0f}", *high);
    const std::string behind = unit.empty() ? "" : fmt::format(" {}", unit);
    return first == last ? first + behind : fmt::format("{} to {}{}", first, last, behind);
  }
};

struct SeenGpus {
  SeenRange clock, temperature, memory_peak;
  std::optional<double> memory_total;
  bool tells_slowing = false;
  std::vector<std::string> slowed_by;

  explicit SeenGpus(const TuneTrial& trial) {
    for (const TuneRun& run : trial.runs) {
      for (const model::GpuInterval& gpu : run.gpus) take(gpu);
    }
  }

 private:
  void take(const model::GpuInterval& gpu) {
    clock.take(gpu.mean_sm_clock_mhz);
    temperature.take(gpu.mean_temperature_c);
    memory_peak.take(gpu.memory_peak_bytes);
    if (gpu.memory_total_bytes) memory_total = gpu.memory_total_bytes;
    if (!gpu.slowed_by) return;
    tells_slowing = true;
    for (const std::string& reason : *gpu.slowed_by) {
      if (std::ranges::find(slowed_by, reason) == slowed_by.end()) slowed_by.push_back(reason);
    }
  }
};

std::string slowing_text(const TuneTrial& trial, const SeenGpus& seen) {
  const auto slowed = static_cast<std::size_t>(std::ranges::count_if(trial.runs, &TuneRun::was_throttled));
  if (slowed > 0)
    return fmt::format("{} throttled by {}", slowed == 1 ? "1 run was" : fmt::format("{} runs were", slowed),
                       join_with_and(seen.slowed_by));
  if (!seen.slowed_by.empty()) return "clocks held by " + join_with_and(seen.slowed_by);
  return seen.tells_slowing ? "not throttled" : "";
}

// "final loss" of final_loss.
std::string quality_words(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string against_text(std::string_view name, double value, const std::optional<double>& baseline) {
  const std::string beside = baseline ? fmt::format(" (baseline {:.4g})", *baseline) : "";
  return fmt::format("{} {:.4g}{}", quality_words(name), value, beside);
}

// A column of the table of measurements.
struct TuneColumn {
  std::string_view heading;
  std::string (*text)(const TuneTrial&);  // "" where it was not measured
};

std::string number_or_nothing(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}

constexpr TuneColumn measured_columns[] = {
    {"Runs", [](const TuneTrial& trial) { return fmt::to_string(trial.runs.size()); }},
    {"Steps/s", [](const TuneTrial& trial) { return number_or_nothing(trial.throughput, 2); }},
    {"Samples/s", [](const TuneTrial& trial) { return number_or_nothing(trial.samples_per_s, 1); }},
    {"Step ms", [](const TuneTrial& trial) { return number_or_nothing(trial.step_time_ms, 1); }},
    {"GPU %", [](const TuneTrial& trial) { return number_or_nothing(trial.gpu_utilization_pct, 1); }},
    {"Mem %", [](const TuneTrial& trial) { return trial.peak_memory_ratio ? fmt::format("{:.1f}", 100 * *trial.peak_memory_ratio) : ""; }},
    {"MHz", [](const TuneTrial& trial) { return number_or_nothing(SeenGpus(trial).clock.low, 0); }},
    {"Temp", [](const TuneTrial& trial) { return number_or_nothing(SeenGpus(trial).temperature.high, 0); }},
    {"Loss", [](const TuneTrial& trial) { return trial.quality.final_loss ? fmt::format("{:.4g}", *trial.quality.final_loss) : ""; }},
};

std::string window_text(const report::TuneWindow& window) {
  return fmt::format("{} to warm up, {} measured, at most {:.4g} s a run", count_text(window.warmup_steps, "step"),
                     window.measurement_steps, window.timeout_s);
}

std::string focus_text(const TuneReport& report) {
  const std::string from = report.focus_from == "baseline" ? "the bottleneck of the baseline" : "--bottleneck";
  if (report.focus.empty()) return "none: no bottleneck is known";
  return report.focus == "other" ? "other: no candidates are made for " + from : report.focus + ", from " + from;
}

std::string machine_text(const report::TuneEnvironment& machine) {
  const std::string gpu = machine.gpu_name.empty() ? "no GPU was seen" : printable(machine.gpu_name);
  return fmt::format("{}, {}", count_text(machine.cpus, "CPU"), gpu);
}

std::string search_text(const report::TuneSettings& settings) {
  const std::string tier = settings.safe ? "tier 0 (--safe)" : settings.allow_risky_actions ? "all tiers" : "tiers 0 and 1 (--no-safe)";
  return fmt::format("{}, {}, at most {}", settings.search, tier, count_text(settings.max_trials, "candidate"));
}

}  // namespace

std::string tuned_throughput(const TuneTrial& trial) {
  if (!trial.throughput) return std::string(not_measured);
  const std::string steps = fmt::format("{:.2f} steps/sec", *trial.throughput);
  return trial.samples_per_s ? fmt::format("{} ({:.1f} samples/sec)", steps, *trial.samples_per_s) : steps;
}

std::string tuned_step_time(const TuneTrial& trial) {
  return trial.step_time_ms ? fmt::format("{:.1f} ms", *trial.step_time_ms) : std::string(not_measured);
}

std::string tuned_gpu_use(const TuneTrial& trial) {
  return trial.gpu_utilization_pct ? fmt::format("{:.1f} %", *trial.gpu_utilization_pct) : std::string(not_measured);
}

std::string tuned_memory(const TuneTrial& trial) {
  const SeenGpus seen(trial);
  std::string bytes;
  if (seen.memory_peak.high && seen.memory_total)
    bytes = fmt::format("{:.1f} of {:.1f} GiB", *seen.memory_peak.high / bytes_of_gib, *seen.memory_total / bytes_of_gib);
  if (!trial.peak_memory_ratio) return bytes.empty() ? std::string(not_measured) : bytes + " at its peak";
  return fmt::format("{:.1f} % at its peak{}", 100 * *trial.peak_memory_ratio, bytes.empty() ? "" : ", " + bytes);
}

std::string tuned_gpu_state(const TuneTrial& trial) {
  const SeenGpus seen(trial);
  std::vector<std::string> parts = {seen.clock.text("MHz"), seen.temperature.text("C"), slowing_text(trial, seen)};
  std::erase(parts, "");
  if (!trial.repeated.empty())
    parts.push_back(fmt::format("{} while it was throttled {} left out", count_text(trial.repeated.size(), "earlier run"),
                                trial.repeated.size() == 1 ? "is" : "are"));
  return parts.empty() ? std::string(not_measured) : join(parts, ", ");
}

std::string tuned_quality(const TuneTrial& trial, const TuneTrial& baseline) {
  std::vector<std::string> parts;
  const report::TuneQuality& quality = trial.quality;
  if (const std::size_t bad = quality.nan_count + quality.inf_count; bad > 0)
    parts.push_back(fmt::format("NaN or infinite losses: {}", bad));
  if (quality.final_loss) parts.push_back(against_text("final_loss", *quality.final_loss, baseline.quality.final_loss));
  for (const auto& [name, value] : quality.reported) {
    const auto beside = baseline.quality.reported.find(name);
    const bool is_known = beside != baseline.quality.reported.end();
    parts.push_back(against_text(name, value, is_known ? std::optional(beside->second) : std::nullopt));
  }
  return parts.empty() ? "not reported by the program" : join(parts, ", ");
}

void add_tuned_measurements(answer::Document& page, const TuneReport& report) {
  std::vector<const TuneTrial*> shown = {&report.baseline};
  for (const std::size_t i : in_order_of_display(report)) {
    if (report.trials[i].stage == report::TuneStage::full && !report.trials[i].runs.empty()) shown.push_back(&report.trials[i]);
  }
  page.section("Measurements", answer::Part::evidence);
  Table table{{{"Configuration"}}};
  table.rows.resize(shown.size());
  std::size_t taken = 2;  // cells of a line
  for (const TuneColumn& column : measured_columns) {
    std::vector<std::string> texts;
    std::size_t width = column.heading.size();
    for (const TuneTrial* trial : shown) {
      texts.push_back(column.text(*trial));
      width = std::max(width, texts.back().size());
    }
    if (std::ranges::all_of(texts, &std::string::empty)) continue;
    for (std::size_t i = 0; i < shown.size(); ++i) table.rows[i].cells.emplace_back(texts[i].empty() ? "n/a" : texts[i]);
    table.columns.push_back(number_column(column.heading, width, 1));
    taken += width + 1;
  }
  // Labels get what is left of a narrow terminal.
  constexpr std::size_t narrow = 80, least = 13;
  const std::size_t most = std::max(narrow - std::min(taken, narrow), least);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string name = shorten(i == 0 ? "baseline" : std::string_view(shown[i]->candidate.label), most);
    table.rows[i].cells.insert(table.rows[i].cells.begin(), name);
    table.columns[0].width = std::max({table.columns[0].width, least, display_width(name)});
  }
  page.add(std::move(table));
  page.paragraph(
      "Medians of the runs; of memory and temperature (degrees Celsius) the largest, of the clock of the multiprocessors (MHz) the least.");
}

void add_tuning_conditions(answer::Document& page, const TuneReport& report) {
  constexpr std::size_t width = 14;
  page.section("Conditions", answer::Part::closing);
  page.fact("Machine", machine_text(report.environment), width);
  page.fact("Focus", focus_text(report), width);
  page.fact("Search", search_text(report.settings), width);
  page.fact("Full trial", window_text(report.settings.window), width);
  if (report.settings.race) page.fact("Race", window_text(report.settings.race_window), width);
  page.fact("Intervals", confidence_text() + ", valid also where a run was ended as soon as the answer was clear", width);
}

}  // namespace frx::compose
