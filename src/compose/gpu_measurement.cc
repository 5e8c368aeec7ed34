#include "compose/gpu_measurement.h"

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using answer::unless_empty;
using model::GpuInterval;
using model::Joules;
using model::SharedEnergy;
using report::GpuMeasurementReport;

constexpr std::size_t quantity_width = 24;
constexpr double bytes_per_gib = 1024.0 * 1024.0 * 1024.0;

std::string quantity(const std::optional<double>& value, std::string_view unit) {
  return value ? fmt::format("{} {}", format_number(*value), unit) : "n/a";
}

// "1.23e-09" where a fixed number would show nothing of it.
std::string joules_text(const Joules& energy) {
  const bool is_small = energy.joules != 0 && std::abs(energy.joules) < 1e-3;
  return is_small ? fmt::format("{:.3e} J +- {:.1e} J", energy.joules, energy.uncertainty_joules)
                  : fmt::format("{} J +- {} J", format_number(energy.joules), format_number(energy.uncertainty_joules));
}

std::string shared_text(const SharedEnergy& shared) {
  const std::string net = shared.net ? fmt::format("; {} without idle power", joules_text(*shared.net)) : "";
  return joules_text(shared.gross) + net;
}

void add_shared(Document& page, std::string_view label, const GpuInterval& gpu, const std::optional<std::uint64_t>& count) {
  if (!count) return;
  const std::optional<SharedEnergy> shared = energy_per(gpu, static_cast<double>(*count));
  page.fact(label, shared ? shared_text(*shared) : "n/a: the run is too short for what could be sampled", quantity_width);
}

void add_measured_energy(Document& page, const GpuInterval& gpu, const GpuMeasurementReport& report) {
  if (!gpu.energy) {
    page.fact("Energy", gpu.notes.empty() ? "n/a: the driver tells neither energy nor power" : "n/a: the notes say why", quantity_width);
    return;
  }
  page.fact("Energy",
            fmt::format("{}, by {}{}", joules_text(gpu.energy->gross), gpu.energy->source == model::EnergySource::counter ? "the " : "",
                        to_string(gpu.energy->source)),
            quantity_width);
  page.fact("Idle power",
            gpu.idle ? fmt::format("{} W +- {} W, {}", format_number(gpu.idle->watts), format_number(gpu.idle->uncertainty_watts),
                                   gpu.idle->found)
                     : "n/a",
            quantity_width);
  if (const std::optional<Joules> net = net_of_idle(gpu)) page.fact("Without idle power", joules_text(*net), quantity_width);
  add_shared(page, "Per launch", gpu, report.launches);
  add_shared(page, "Per step", gpu, report.steps);
  add_shared(page, "Per operation", gpu, report.flops);
}

std::string memory_text(const GpuInterval& gpu) {
  const auto gib = [](const std::optional<double>& bytes) { return bytes ? format_number(*bytes / bytes_per_gib) : std::string("n/a"); };
  return fmt::format("{} GiB at its peak, {} at the end, {} in all", gib(gpu.memory_peak_bytes), gib(gpu.memory_used_bytes),
                     gib(gpu.memory_total_bytes));
}

void add_measured_gpu(Document& page, const GpuInterval& gpu, const GpuMeasurementReport& report) {
  page.section(fmt::format("GPU {}", gpu.index), printable(gpu.name));
  page.fact("UUID", answer::as_name(gpu.uuid), quantity_width);
  page.fact("Measured", fmt::format("{}, {} by {}", quantity(gpu.seconds, "s"), count_text(gpu.samples, "sample"), gpu.source),
            quantity_width);
  add_measured_energy(page, gpu, report);
  page.fact("Power",
            gpu.power_watts ? fmt::format("{} W on average, {} to {} W; limit {}", format_number(gpu.power_watts->mean),
                                          format_number(gpu.power_watts->min), format_number(gpu.power_watts->max),
                                          quantity(gpu.power_limit_watts, "W"))
                            : "n/a",
            quantity_width);
  page.fact("Temperature", quantity(gpu.mean_temperature_c, "degrees Celsius on average"), quantity_width);
  page.fact("SM clock", quantity(gpu.mean_sm_clock_mhz, "MHz on average"), quantity_width);
  page.fact("Memory clock", quantity(gpu.mean_memory_clock_mhz, "MHz on average"), quantity_width);
  page.fact("Memory", memory_text(gpu), quantity_width);
  page.fact("Slowed down by", !gpu.slowed_by ? "n/a" : gpu.slowed_by->empty() ? "nothing" : join(*gpu.slowed_by, ", "), quantity_width);
}

Document document_of(const GpuMeasurementReport& report) {
  Document page;
  page.headline = count_text(report.gpus.size(), "GPU") + " measured";
  page.title("FRX GPU measurement");
  page.fact("Command", report.command, quantity_width);
  page.fact("Ended", fmt::format("with code {} after {}", report.exit_code, quantity(report.seconds, "s")), quantity_width);
  std::vector<std::string> notes = report.notes;
  for (const GpuInterval& gpu : report.gpus) {
    add_measured_gpu(page, gpu, report);
    for (const std::string& note : gpu.notes) notes.push_back(fmt::format("GPU {}: {}", gpu.index, note));
  }
  add_notes(page, notes);
  return page;
}

void put_joules(JsonObject& out, const Joules& energy) {
  out.add("joules", exact(energy.joules), "uncertainty_joules", exact(energy.uncertainty_joules));
}

void put_measured_energy(JsonObject& out, const model::GpuEnergy& energy) {
  put_joules(out, energy.gross);
  out.add("source", to_string(energy.source), "seconds", exact(energy.seconds));
}

void put_shared_energy(JsonObject& out, const SharedEnergy& shared) {
  put_joules(out, shared.gross);
  out.object("net", shared.net, put_joules);
}

void put_measured_gpu(JsonObject& out, const GpuInterval& gpu, const GpuMeasurementReport& report) {
  const auto per = [&](const std::optional<std::uint64_t>& count) {
    return energy_per(gpu, count ? std::optional(static_cast<double>(*count)) : std::nullopt);
  };
  out.add("index", gpu.index, "uuid", unless_empty(gpu.uuid), "name", unless_empty(gpu.name), "driver", unless_empty(gpu.driver), "source",
          gpu.source, "seconds", exact(gpu.seconds), "samples", gpu.samples, "longest_gap_seconds", exact(gpu.longest_gap_seconds));
  out.object("energy", gpu.energy, put_measured_energy);
  out.object("idle", gpu.idle, [](JsonObject& inner, const model::IdlePower& idle) {
    inner.add("watts", exact(idle.watts), "uncertainty_watts", exact(idle.uncertainty_watts), "found", idle.found);
  });
  out.object("net_energy", net_of_idle(gpu), put_joules);
  out.object("energy_per_launch", per(report.launches), put_shared_energy);
  out.object("energy_per_step", per(report.steps), put_shared_energy);
  out.object("energy_per_flop", per(report.flops), put_shared_energy);
  out.object("power_watts", gpu.power_watts, [](JsonObject& inner, const model::SampledRange& power) {
    inner.add("mean", exact(power.mean), "min", exact(power.min), "max", exact(power.max));
  });
  out.add("power_limit_watts", exact(gpu.power_limit_watts), "mean_temperature_c", exact(gpu.mean_temperature_c), "mean_sm_clock_mhz",
          exact(gpu.mean_sm_clock_mhz), "mean_memory_clock_mhz", exact(gpu.mean_memory_clock_mhz), "memory_used_bytes",
          answer::rounded(gpu.memory_used_bytes, 0), "memory_total_bytes", answer::rounded(gpu.memory_total_bytes, 0), "memory_free_bytes",
          answer::rounded(gpu.memory_free_bytes, 0), "memory_peak_bytes", answer::rounded(gpu.memory_peak_bytes, 0), "slowed_by",
          gpu.slowed_by, "notes", gpu.notes);
}

void put_measurement(JsonObject& out, const GpuMeasurementReport& report) {
  out.add("schema", "gpu_measurement_v1", "command", report.command, "exit_code", report.exit_code, "seconds", exact(report.seconds),
          "launches", report.launches, "steps", report.steps, "flops", report.flops);
  out.list("gpus", report.gpus, [&](JsonObject& inner, const GpuInterval& gpu) { put_measured_gpu(inner, gpu, report); });
  out.add("notes", report.notes);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const GpuMeasurementReport> report) {
  answer::Answer answer{.what = "a measurement of GPUs", .mode = "gpu_measurement"};
  answer.document = [report](answer::Detail) { return document_of(*report); };
  answer.payload = [report](JsonObject& out) { put_measurement(out, *report); };
  answer.kept = {report};
  return answer;
}

}  // namespace frx::compose
