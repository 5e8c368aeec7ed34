// An Nsight Compute report as text for other programs: measured values only, no conclusions.
//
// Written launch by launch while the report is read, so that a 1 GB report needs the memory of its largest launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "knowledge/counter_units.h"
#include "knowledge/metrics.h"

namespace frx::convert {

enum class Format { csv, json };

struct Request {
  Format format = Format::csv;
  bool instances = false;               // also values per code address, opcode ...
  std::string kernel;                   // part of the names of the selected launches; "": all
  std::optional<std::uint64_t> launch;  // only this one, counted from 0 in the order of the file
  std::string source;                   // the name of the report in the text
};

// The units of counters.
struct Counters {
  knowledge::CounterUnits units;
  knowledge::MetricCatalogue metrics;

  static Result<Counters> load(const knowledge::Library& library);
  // The base unit of a counter as the tool spells it: "ns", "byte/s", "" for a plain number; absent when unknown.
  std::optional<std::string> unit_of(std::string_view counter) const;
};

// Takes the next piece of text; false: the receiver has stopped, and the rest need not be made.
using Write = std::function<bool(std::string_view)>;

struct Outcome {
  std::uint64_t launches = 0;  // in the report
  std::uint64_t written = 0;   // launches that are in the text
  std::uint64_t values = 0;    // their metrics
  bool stopped = false;        // the receiver stopped
};

// Errors: of the report, naming the byte; `negative` when no launch is as requested, and then nothing is written.
// After any other error the text is cut off.
Result<Outcome> convert_ncu_report(ByteSource& report, const Request& request, const Counters& counters, const Write& write,
                                   const std::function<void(std::uint64_t)>& progress = {});

}  // namespace frx::convert
