// How the values behind one (section, name, unit) of a file are to be read.
//
// Worked out once per distinct spelling: which metric it is, what its unit multiplies by, or why it
// cannot be used. Units are never assumed: a duration without one is left alone and noted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/numbers.h"
#include "ingest/launch_table.h"
#include "knowledge/metrics.h"
#include "model/session.h"

namespace frx::ingest {

struct ValuePlan {
  // other: a counter without a definition, of a session that keeps those; `column` is of Session::others.
  enum class Kind : std::uint8_t { unknown, reading, other, refused, device_name, device_cc_major, device_cc_minor };

  bool has_value() const { return kind == Kind::reading || kind == Kind::other; }

  Kind kind = Kind::unknown;
  std::uint32_t column = 0;
  double scale = 1.0;      // value in the file x scale = value in the metric's unit
  double largest = 1e300;  // above it the value is impossible (percentages)
  std::string label;       // for notes
};

// Notes, each once with the number of times it occurred.
class NoteBook {
 public:
  // `text` is shown with "(n times)" appended when n > 1.
  void add(std::uint64_t line, std::string text);
  void write_to(model::Session& session) const;

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint64_t count = 0;
    std::size_t order = 0;
  };
  std::map<std::string, Entry> entries_;
};

// True for "n/a", "nan", "(!) nan", "": the value was requested and is missing.
bool is_absent_value(std::string_view text);

class ValueReader {
 public:
  ValueReader(model::Session& session, const knowledge::MetricCatalogue& catalogue, LaunchTable& table)
      : session_(session), catalogue_(catalogue), table_(table) {}

  // `has_unit` is false where the format has no field for units.
  ValuePlan plan(std::string_view section, std::string_view name, std::string_view unit, bool has_unit, std::uint64_t line);
  ValuePlan plan_for(std::optional<model::Metric> metric, std::string_view name, std::string_view unit, bool has_unit, std::uint64_t line);

  // For reports, which store values in base units: ns, bytes, per second, percent, counts.
  ValuePlan plan_in_base_unit(std::string_view name);
  void take_number(const ValuePlan& plan, double value, std::uint64_t line);

  // Reads one cell into the current launch.
  void take(const ValuePlan& plan, std::string_view text, NumberStyle style, std::uint64_t line);

  // Takes the measured numbers that a rule of the profiler quotes, where the launch lacks them.
  void take_quoted(std::string_view rule_text, std::uint64_t line) { take_quoted(catalogue_.quoted_in(rule_text), line); }
  void take_quoted(std::span<const knowledge::MetricCatalogue::Quoted> numbers, std::uint64_t line);

  // After the whole file: numbers that do not fit the style of the others make the file ambiguous.
  Result<> verdict() const;

  NoteBook& notes() { return notes_; }
  void finish() { notes_.write_to(session_); }

 private:
  ValuePlan reading(const knowledge::MetricDefinition& definition, double scale, std::string_view name);
  ValuePlan unknown(std::string_view name, std::string_view unit = {});
  void not_a_number(const ValuePlan& plan, std::string_view text, std::uint64_t line);

  model::Session& session_;
  const knowledge::MetricCatalogue& catalogue_;
  LaunchTable& table_;
  NoteBook notes_;
  NumberEvidence misfits_;
  std::string first_misfit_;
  std::uint64_t first_misfit_line_ = 0;
};

}  // namespace frx::ingest
