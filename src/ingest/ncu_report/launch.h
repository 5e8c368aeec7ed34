// One profiled launch as it is stored in a report (message ProfileResult). Values only, all views into the message; names of metrics are
// numbers into the file's string table until resolved.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ncu_report/report_file.h"

namespace frx::ingest::nsight {

// Exactly one of the kinds, `absent` when the tool could not collect the metric.
struct MetricValue {
  enum class Kind : std::uint8_t { absent, text, real, integer };
  Kind kind = Kind::absent;
  double real = 0;            // kind real; NaN occurs
  std::uint64_t integer = 0;  // kind integer
  std::string_view text;      // kind text

  bool is_number() const { return kind == Kind::real || kind == Kind::integer; }
  double number() const { return kind == Kind::integer ? static_cast<double>(integer) : real; }
};

struct MetricResult {
  std::uint32_t name = 0;  // index into the string table
  MetricValue value;       // in base units: ns, byte, per second, %, counts
  bool has_instances = false;
  std::uint64_t kind = 0;    // 0 a counter, 1 a series over time (2023.2 and later)
  std::string_view message;  // for instances_of()
};

// The value of one instance of a metric: of a code address, an opcode, a device ...
struct Instance {
  MetricValue correlation;  // absent, a number (address) or a text (opcode)
  MetricValue value;
};

struct RuleMessage {
  std::string_view text;
  std::uint64_t type = 0;  // 0 none, 1 information, 2 warning, 3 error, 4 optimisation
  std::string_view title;
  std::uint64_t speedup_type = 0;    // 1 local, 2 global
  double estimated_speedup_pct = 0;  // meaningful when speedup_type is not 0
};

// The statement of a rule of NVIDIA about one code address.
struct RuleMarker {
  std::uint64_t address = 0;
  std::string_view text;
};

// A metric that a rule used.
struct RuleFocus {
  std::string_view metric;
  double value = 0;
  std::string_view advice;
};

// Message RuleResult. A rule that did not fire has no messages.
struct Rule {
  std::string_view identifier, name, section;
  std::vector<RuleMessage> messages;
  std::vector<RuleFocus> focus;
  std::vector<RuleMarker> markers;
  bool fired() const { return !messages.empty(); }
};

struct Section {
  std::string_view identifier, name;
};

// A frame of the host's call stack at the launch, innermost first.
struct HostFrame {
  std::string_view function;
  std::string_view module;
};

// What a consumer of launches works out about one of them (ReportConsumer::prepare).
struct Prepared {
  virtual ~Prepared() = default;
};

struct Launch {
  std::uint64_t offset = 0;  // of the message in the file
  std::string_view mangled, function, demangled;
  std::array<std::uint64_t, 3> work{};   // grid in blocks; in threads up to 2020.2
  std::array<std::uint64_t, 3> block{};  // threads
  std::uint64_t thread = 0, call = 0, context = 0, stream = 0, created = 0, source = 0;
  bool has_context = false, has_stream = false;
  std::vector<MetricResult> metrics;
  std::vector<std::string_view> rules, sections;  // messages; read them with the functions below
  std::string_view nvtx, host_stack;
  std::uint64_t unknown_fields = 0;  // unknown fields of the message
  std::unique_ptr<Prepared> prepared;

  // "axpy(float *, int)"; cuBLAS, NVRTC and extern "C" kernels have no demangled name.
  std::string_view best_name() const { return !demangled.empty() ? demangled : !function.empty() ? function : mangled; }
};

// Each throws protozero::exception on damaged bytes: call inside decoding().
void read_launch(const Message& message, Launch& into);  // reuses the memory of `into`
std::vector<Instance> instances_of(const MetricResult& metric);
Rule read_rule(std::string_view message);
Section read_section(std::string_view message);
std::vector<HostFrame> read_host_stack(std::string_view message);
// "domain: outer / inner", one for each thread and domain that has open ranges; started ranges after.
std::vector<std::string> read_nvtx(std::string_view message);

}  // namespace frx::ingest::nsight
