// What an analysis says about one thing it was asked: it fires, it is clear, or it is inconclusive because evidence is missing.
//
// Counters of a kernel, the steps of a run, CUDA source, PTX and cubins all yield this type; advice, reconciliation, comparison and every
// renderer consume it and nothing else. What all findings of a name have in common is declared once, in data/, as its FindingType.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/code_subject.h"
#include "model/readings.h"
#include "model/step_table.h"

namespace frx::model {

// Where evidence comes from.
enum class Layer : std::uint8_t { source, ptx, cubin, ncu, profiler };
inline constexpr std::size_t layer_count = 5;
// "source", "ptx", "cubin", "ncu", "profiler".
std::string_view name_of(Layer layer);
// True for the source and everything compiled from it: all of these together are one independent source of evidence.
constexpr bool is_code(Layer layer) { return layer <= Layer::cubin; }

enum class FindingKind : std::uint8_t {
  cause,    // something that can be changed
  symptom,  // a consequence; leads only when nothing else explains it
  state,    // a statement about the whole: at the limit, not enough data
};
// "cause", "symptom", "state".
std::string_view name_of(FindingKind kind);

enum class Verdict : std::uint8_t { fires, clear, cannot_tell };

enum class Severity : std::uint8_t { low, medium, high };
// "low", "medium", "high".
std::string_view name_of(Severity severity);
// The one of that name; low for any other.
Severity severity_named(std::string_view name);

// Whether a finding in source is worth showing unasked.
enum class Tier : std::uint8_t {
  by_default,
  pedantic,     // style or a guess from the code alone: shown when asked for, or where a compiler confirms it
  unconfirmed,  // too weak a sign to be shown at all before a compiler or another layer confirms it
};

// What a finding in code stands for, and so what it is recognised by in a later run.
enum class Reach : std::uint8_t {
  line,
  file,      // all launches of a file that have it
  analysis,  // all of its rule that are withheld, see is_once_per_analysis
};

// How a finding about code is proven.
enum class Proof : std::uint8_t {
  unproven,   // the sign of the reference implementation is there, but does not prove the finding
  estimated,  // from the code
  proven,     // from the compiler's own numbers
};
// "unproven", "estimated", "proven".
std::string_view name_of(Proof proof);

// What is the same for all findings of a name: a label of a kernel or a run, a label of code, a rule about code. "" where its file in data/
// does not say it.
struct FindingType {
  std::string_view id;        // "memory_bandwidth_bound", "uncoalesced_access"
  std::string_view display;   // "Memory Bandwidth Bound"; "" for rules about code
  std::string_view category;  // of rules about code: "memory"
  Layer layer = Layer::ncu;
  FindingKind kind = FindingKind::cause;
  bool is_risk = false;                        // not a loss of time: never leads over a finding that is
  Tier tier = Tier::by_default;                // of all its findings; they may be of a later one by what was found
  bool is_about_launches = false;              // each of its findings is about a launch
  bool is_once_per_analysis = false;           // one finding of the pedantic tier is shown by default, and says how many more there are
  double order = 0;                            // of docs/contract.md, sections 5.2, 6 and 7; decides ties
  std::vector<std::string_view> explained_by;  // findings whose consequence this is when they hold too
  std::string_view why;
  std::string_view question;                 // for the brief: what to ask about it
  std::string_view suggestion;               // what to do about it
  std::string_view stake_note;               // what the time at stake takes for granted: "the distance to the roof; ..."
  std::string_view refute;                   // what would show that the finding is wrong
  std::string_view preset;                   // of `frx profile`, with the counters that would decide it
  std::string_view rule;                     // the condition, as written
  std::vector<std::string_view> thresholds;  // that the condition mentions, by name
  std::string where;                         // "data/bottlenecks/memory_bandwidth_bound.yaml:1"
};

// A reading, ready to be shown. Views point into the catalogue.
struct NamedReading {
  std::string_view id;       // "dram_throughput_pct"
  std::string_view label;    // "DRAM throughput"
  std::string_view unit;     // "%", as the catalogue has it
  std::string_view counter;  // its name in ncu, or ""
  std::string_view meaning;
  Reading reading;

  double value() const { return reading.value; }
};

struct Evidence {
  NamedReading value;
  std::string_view because = {};
  bool is_known = true;  // false: it was not measured, and `value` holds its name only

  std::optional<double> number() const { return is_known ? std::optional(value.value()) : std::nullopt; }
};

// Views and `type` point into the catalogues, which outlive it.
struct Finding {
  const FindingType* type = nullptr;
  Verdict verdict = Verdict::fires;

  // The subject: a kernel or, where that is "", the whole run or file; for code also where it shows, the most telling place first.
  SharedText kernel;
  std::vector<SharedText> more_kernels;  // that hold the same code, or whose launches are joined here
  std::vector<TextPlace> places;
  SharedText snippet;                  // the line of the first place
  std::vector<StepValue> worst_steps;  // of a run: where it shows most, the worst first

  // How much.
  double score = 0;                     // 0 to 1: the share of the time that it explains
  std::optional<double> time_at_stake;  // ns, summed; an upper bound. Unknown without a duration
  double time_share = 1;                // of the time of the kernel or run, the share in which it holds
  Severity severity = Severity::low;
  Tier tier = Tier::by_default;  // of its type, or of what was found out here
  Reach reach = Reach::line;
  std::string_view consequence_of;  // the finding that explains this one, or ""

  // How sure, and from what.
  std::string_view confidence;  // low, medium, high; "" for labels
  Proof proof = Proof::estimated;
  std::vector<Evidence> evidence;
  std::vector<std::string_view> missing;  // inconclusive: the counters, or what else would decide it
  SharedText message;                     // about this subject, facts filled in
  std::span<const std::string_view> recommendations;

  std::string_view id() const { return type->id; }
  std::string_view display() const { return type->display; }
  bool fires() const { return verdict == Verdict::fires; }
  bool is_clear() const { return verdict == Verdict::clear; }
  // An empty place where there is none.
  const TextPlace& place() const;
  // Besides the first.
  std::span<const TextPlace> more_places() const { return std::span(places).subspan(std::min<std::size_t>(1, places.size())); }
};

// Those with this verdict, in their order.
std::vector<const Finding*> findings_with(std::span<const Finding> findings, Verdict verdict);

// The first finding of that name, or nullptr.
const Finding* find_finding(std::span<const Finding> findings, std::string_view id);

}  // namespace frx::model
