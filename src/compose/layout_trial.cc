#include "compose/layout_trial.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::Gate;
using report::GateNumber;
using report::GateOutcome;
using report::LayoutTrial;
using report::TrialDecision;
using report::TrialRun;

Tone tone_of_decision(TrialDecision decision) {
  return decision == TrialDecision::promoted ? Tone::green : decision == TrialDecision::rejected ? Tone::red : Tone::yellow;
}

Tone tone_of_gate(GateOutcome outcome) {
  if (outcome == GateOutcome::passed) return Tone::green;
  if (outcome == GateOutcome::failed) return Tone::red;
  return outcome == GateOutcome::not_applicable || outcome == GateOutcome::not_reached ? Tone::dim : Tone::yellow;
}

std::string outcome_words(GateOutcome outcome) {
  std::string words(report::name_of(outcome));
  std::ranges::replace(words, '_', ' ');
  return words;
}

// "REJECTED by Numerics", "PROMOTED: validated, and not applied".
std::string decision_words(const LayoutTrial& trial) {
  const std::string name = to_upper(report::name_of(trial.decision));
  if (trial.decision == TrialDecision::promoted) return name + ": validated; nothing was applied";
  const auto gate = std::ranges::find(trial.gates, trial.decided_by, &Gate::id);
  if (gate != trial.gates.end()) return name + " by gate " + std::string(gate->title);
  if (trial.decided_by == "run") return name + ": a run failed";
  return name + (trial.decided_by == "policy" ? " by the policy" : ": the runs cannot be compared");
}

// With a capital letter and a full stop.
std::string sentence_of(std::string_view reason) {
  if (reason.empty()) return {};
  return to_upper(reason.substr(0, 1)) + printable(reason.substr(1)) + ".";
}

std::string number_text(const std::optional<double>& value, const std::string& unit) {
  if (!value) return "";
  if (unit == "bytes") return fmt::format("{:.1f} MiB", *value / (1 << 20));
  if (unit == "ns") return format_quantity(*value, unit);
  return fmt::format("{:.4g}{}{}", *value, unit.empty() ? "" : " ", unit);
}

void add_gates(Document& page, const LayoutTrial& trial) {
  page.section("Gates");
  Table table{{number_column("#", 2), {"Gate", 22}, {"Outcome", 14}, words_column("Why", Fit::wrap)}};
  for (std::size_t i = 0; i < trial.gates.size(); ++i) {
    const Gate& gate = trial.gates[i];
    table.add({fmt::to_string(i + 1), gate.title, outcome_words(gate.outcome), gate.why}, tone_of_gate(gate.outcome));
  }
  page.add(std::move(table));
  page.blank();
}

void add_numbers(Document& page, const LayoutTrial& trial) {
  Table table{{{"What", 38}, number_column("Value", 15), number_column("Limit", 15)}};
  for (const Gate& gate : trial.gates) {
    for (const GateNumber& one : gate.numbers) table.add({one.name, number_text(one.value, one.unit), number_text(one.limit, one.unit)});
  }
  if (table.rows.empty()) return;
  page.section("Numbers");
  page.add(std::move(table));
  page.blank();
}

// "1980 MHz, 54 C, slowed by power", "no GPU that tells".
std::string gpu_words(const TrialRun& run) {
  if (run.gpus.empty()) return "no GPU that tells";
  std::vector<std::string> parts;
  const model::GpuInterval& gpu = run.gpus.front();
  if (gpu.mean_sm_clock_mhz) parts.push_back(fmt::format("{:.0f} MHz", *gpu.mean_sm_clock_mhz));
  if (gpu.mean_temperature_c) parts.push_back(fmt::format("{:.0f} C", *gpu.mean_temperature_c));
  if (gpu.slowed_by && !gpu.slowed_by->empty()) parts.push_back("slowed by " + join_with_and(*gpu.slowed_by));
  return parts.empty() ? "clocks not measured" : join(parts, ", ");
}

std::string median_words(const LayoutTrial& trial, const TrialRun& run) {
  if (run.ranks.empty()) return "n/a";
  std::vector<double> times;
  const std::vector<report::TrialWindow>& windows = run.ranks.front().windows;
  for (std::size_t i = trial.evidence.warmup; i < windows.size(); ++i) times.push_back(windows[i].ns);
  return times.empty() ? "n/a" : format_quantity(derive::compare::median_of(times), "ns");
}

std::string run_words(const TrialRun& run) {
  return fmt::format("{}{}", run.is_candidate ? "B, with" : "A, without", run.is_profiled ? " (profiled)" : "");
}

void add_runs(Document& page, const LayoutTrial& trial) {
  if (trial.evidence.runs.empty()) return;
  page.section("Runs");
  Table table{{{"Side", 22}, number_column("Windows", 8), number_column("Median", 12), words_column("GPU", Fit::wrap)}};
  for (const TrialRun& run : trial.evidence.runs) {
    const std::size_t windows = run.ranks.empty() ? 0 : run.ranks.front().windows.size();
    const std::string state = run.failure.empty() ? gpu_words(run) : "failed: " + run.failure;
    table.add({run_words(run), run.ranks.empty() ? "n/a" : fmt::to_string(windows), median_words(trial, run), state});
  }
  page.add(std::move(table));
  page.paragraph(fmt::format("Left out: the first {} of each run, and the profiled runs.", count_text(trial.evidence.warmup, "window")));
  page.blank();
}

std::vector<std::string> gate_details(const LayoutTrial& trial) {
  std::vector<std::string> lines;
  for (const Gate& gate : trial.gates) lines.insert(lines.end(), gate.details.begin(), gate.details.end());
  return lines;
}

Document page_of(const LayoutTrial& trial) {
  Document page;
  page.headline = decision_words(trial) + ". " + sentence_of(trial.reason);
  page.title("FRX layout trial");
  if (trial.plan) page.fact("Plan", fmt::format("{} (sha256 {})", printable(trial.plan_file), trial.plan_sha256.substr(0, 12)));
  for (const report::LayoutChange& change : trial.plan ? trial.plan->changes : std::vector<report::LayoutChange>{})
    page.fact("Change", printable(report::words_of(change)));
  page.fact("Risk", knowledge::name_of(trial.risk));
  page.blank();
  page.section("Verdict", answer::Part::verdict);
  page.paragraph(decision_words(trial), 2, tone_of_decision(trial.decision));
  page.paragraph(sentence_of(trial.reason));
  if (trial.decision != TrialDecision::promoted)
    page.paragraph("Rollback: the plan lived in FRX_LAYOUT_PLAN of these runs alone; there is nothing to undo.");
  page.blank();
  add_gates(page, trial);
  add_numbers(page, trial);
  add_runs(page, trial);
  add_list(page, "Details", gate_details(trial));
  add_notes(page, trial.notes);
  return page;
}

void put_trial_gate(JsonObject& out, const Gate& gate) {
  out.add("id", gate.id, "title", gate.title, "outcome", report::name_of(gate.outcome), "why", answer::unless_empty(gate.why));
  out.list("numbers", gate.numbers, [](JsonObject& inner, const GateNumber& one) {
    inner.add("name", one.name, "value", answer::exact(one.value), "limit", answer::exact(one.limit), "unit",
              answer::unless_empty(one.unit));
  });
  out.add("details", gate.details);
}

void put_layout_change(JsonObject& out, const report::LayoutChange& change) {
  const bool is_format = change.kind == report::LayoutChange::Kind::memory_format;
  out.add("kind", report::name_of(change.kind), "modules", change.modules, "format", answer::unless_empty(change.format), "inputs",
          answer::when(is_format, change.inputs), "words", report::words_of(change));
}

void put_gpu_state(JsonObject& out, const model::GpuInterval& gpu) {
  out.add("index", gpu.index, "name", gpu.name, "driver", answer::unless_empty(gpu.driver), "mean_sm_clock_mhz", gpu.mean_sm_clock_mhz,
          "mean_memory_clock_mhz", gpu.mean_memory_clock_mhz, "mean_temperature_c", gpu.mean_temperature_c, "slowed_by", gpu.slowed_by);
}

void put_run(JsonObject& out, const TrialRun& run) {
  const report::TrialSide* side = run.ranks.empty() ? nullptr : &run.ranks.front();
  std::vector<double> windows;
  for (const report::TrialWindow& window : side ? side->windows : std::vector<report::TrialWindow>{}) windows.push_back(window.ns);
  out.add("side", run.is_candidate ? "candidate" : "baseline", "profiled", run.is_profiled, "failure", answer::unless_empty(run.failure),
          "seconds", run.seconds, "ranks", run.ranks.size(), "windows_ns", windows);
  out.add("peak_memory_bytes", side ? answer::rounded(side->peak_memory_bytes, 0) : answer::rounded({}, 0), "memory_of",
          answer::unless_empty(side ? side->memory_of : ""));
  out.list("gpus", run.gpus, put_gpu_state);
}

// Of the first process that says anything; null where none does.
void put_environment(JsonObject& out, const LayoutTrial& trial) {
  const report::TrialSide* side = nullptr;
  for (const TrialRun& run : trial.evidence.runs) {
    if (!side && !run.ranks.empty()) side = &run.ranks.front();
  }
  out.object("environment", side, [](JsonObject& inner, const report::TrialSide& one) {
    inner.add("torch", one.torch, "device", one.device_kind, "device_name", answer::unless_empty(one.device_name), "parameters",
              one.precision.parameters, "tf32_matmul", one.precision.tf32_matmul, "tf32_cudnn", one.precision.tf32_cudnn, "compile_mode",
              one.compile.mode, "world_size", one.distributed.world_size, "seed", one.seed);
  });
}

void put_trial(JsonObject& out, const LayoutTrial& trial) {
  out.add("schema", "layout_trial.v1", "decision", report::name_of(trial.decision), "status", trial.status(), "decided_by",
          answer::unless_empty(trial.decided_by), "reason", trial.reason, "risk", knowledge::name_of(trial.risk));
  out.add("plan_file", answer::unless_empty(trial.plan_file), "plan_sha256", answer::unless_empty(trial.plan_sha256));
  out.list("changes", trial.plan ? trial.plan->changes : std::vector<report::LayoutChange>{}, put_layout_change);
  out.add("baseline", trial.baseline, "candidate", trial.candidate, "blocks", trial.blocks, "windows", trial.windows, "warmup",
          trial.evidence.warmup, "seed", trial.seed);
  put_environment(out, trial);
  out.list("gates", trial.gates, put_trial_gate);
  out.list("runs", trial.evidence.runs, put_run);
  out.add("notes", trial.notes);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const LayoutTrial> trial) {
  answer::Answer answer{.what = "a layout trial", .mode = "layout_trial"};
  answer.document = [trial](answer::Detail) { return page_of(*trial); };
  answer.payload = [trial](JsonObject& out) { put_trial(out, *trial); };
  answer.kept = {std::move(trial)};
  return answer;
}

std::string audit_line(const LayoutTrial& trial, const AuditFacts& facts) {
  return answer::compact_json([&](JsonObject& out) {
           out.add("schema", "layout_trial_audit.v1", "time", facts.time, "operator", answer::unless_empty(facts.who), "git_rev",
                   answer::unless_empty(facts.git_rev), "plan_sha256", answer::unless_empty(trial.plan_sha256), "baseline", trial.baseline,
                   "candidate", trial.candidate);
           put_environment(out, trial);
           out.add("decision", report::name_of(trial.decision), "status", trial.status(), "decided_by",
                   answer::unless_empty(trial.decided_by), "reason", trial.reason, "risk", knowledge::name_of(trial.risk));
           out.list("gates", trial.gates, put_trial_gate);
         }) +
         "\n";
}

}  // namespace frx::compose
