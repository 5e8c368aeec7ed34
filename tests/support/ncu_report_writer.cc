#include "support/ncu_report_writer.h"

#include <algorithm>

#include "support/ncu_report_messages.h"

namespace frx::testing {
namespace {

void append_size(std::string& bytes, std::size_t size) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(size >> shift & 0xFF);
}

void append_sized(std::string& bytes, std::string_view message) {
  append_size(bytes, message.size());
  bytes += message;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

NcuReportWriter::NcuReportWriter() : bytes_("NVR\0", 4) { append_sized(bytes_, "\x08\x07"); }

void NcuReportWriter::give_number(const std::string& name) {
  if (ids_.try_emplace(name, static_cast<std::uint32_t>(ids_.size())).second) undeclared_.push_back(name);
}

// The table of the block. A name's number is its place in the table of the file, so that what is left to
// a later block stands behind what this one declares.
std::vector<std::string> NcuReportWriter::declare(const ReportBlock& block) {
  const auto each_metric = [&](bool late) {
    for (const auto* results : {&block.results, &block.ranges}) {
      for (const ReportLaunch& launch : *results) {
        for (const ReportMetric& metric : launch.metrics) {
          if (!metric.name_id && contains(block.late_names, metric.name) == late) give_number(metric.name);
        }
      }
    }
  };
  for (const std::string& name : block.names) give_number(name);
  each_metric(false);
  std::vector<std::string> declared;
  if (!block.names_come_later) declared.swap(undeclared_);
  each_metric(true);
  return declared;
}

void NcuReportWriter::add(const ReportBlock& block) {
  const std::vector<std::string> declared = declare(block);
  std::string payload;
  for (const ReportSource& source : block.sources) append_sized(payload, source_message(source));
  for (const auto* results : {&block.results, &block.ranges}) {
    for (const ReportLaunch& launch : *results) {
      append_sized(payload, result_message(launch, [&](const std::string& name) { return ids_.at(name); }));
    }
  }
  append_sized(bytes_, header_message(block, declared, payload.size()));
  bytes_ += payload;
}

std::string NcuReportWriter::bytes() {
  if (!undeclared_.empty()) add({});
  return bytes_;
}

std::string NcuReportWriter::take() {
  if (!undeclared_.empty()) add({});
  return std::exchange(bytes_, {});
}

}  // namespace frx::testing
