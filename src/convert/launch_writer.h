// The view of a report for the writer of one text format.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convert/convert.h"
#include "ingest/ncu_report/identity.h"
#include "ingest/ncu_report/report.h"

namespace frx::convert {

namespace nsight = ingest::nsight;

// A name of the report's table, made printable, with its unit: "" for a plain number, absent when unknown.
struct Counter {
  std::string name;
  std::optional<std::string> unit;
};

struct ChosenLaunch {
  const nsight::Launch& launch;
  std::uint64_t id = 0;  // from 0, in the order of the file
  std::uint64_t process = 0;
  const nsight::Identity& identity;
  // Those that have a name, each name once. MetricResult::name is an index into `counters`.
  const std::vector<const nsight::MetricResult*>& metrics;
  const std::vector<Counter>& counters;

  // "axpy(float *, int)", as in the rest of the program.
  std::string kernel() const;
};

class LaunchWriter {
 public:
  virtual ~LaunchWriter() = default;
  // Each appends to `text`. begin() comes before anything else, finish() last.
  virtual void begin(std::string& text) = 0;
  virtual void launch(const ChosenLaunch& launch, std::string& text) = 0;
  virtual void source(const nsight::SourceData& source) = 0;
  virtual void finish(const nsight::ReportSummary& summary, std::string& text) = 0;
};

std::unique_ptr<LaunchWriter> csv_writer(const Request& request);
std::unique_ptr<LaunchWriter> json_writer(const Request& request);

}  // namespace frx::convert
