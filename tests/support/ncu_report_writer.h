// Writes Nsight Compute reports (.ncu-rep) for tests: what one wishes a profiler had written.
//
//   NcuReportWriter writer;
//   writer.add(ReportBlock{.results = {launch}});
//   write_file("report.ncu-rep", writer.bytes());
//
// A report is a header and blocks in the order of `add`. Names of metrics stand in one table that is spread
// over the blocks: a block declares those its results are the first to use, but may leave some to the next
// one, as real files do. Field numbers and meanings: src/ingest/ncu_report.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace frx::testing {

// monostate: the tool could not collect it ("n/a").
using ReportValue = std::variant<std::monostate, std::string, float, double, std::uint32_t, std::uint64_t>;

// Of a code address, an opcode, a device ...
struct ReportInstance {
  ReportValue correlation;
  ReportValue value;
};

struct ReportMetric {
  std::string name;
  ReportValue value = {};
  std::vector<ReportInstance> instances = {};
  std::uint32_t kind = 0;                     // 1: a series over time
  std::optional<std::uint32_t> name_id = {};  // a number of the table of names, instead of the name
};

struct ReportSection {
  std::string identifier;                                        // "SpeedOfLight"
  std::string name;                                              // "GPU Speed Of Light Throughput"
  std::vector<std::pair<std::string, std::string>> header = {};  // metric, label
};

struct ReportMessage {
  enum Type : std::uint32_t { none, information, warning, error, optimization };
  std::string text;
  Type type = optimization;
  std::string title = {};
};

struct ReportFocus {
  std::string metric;
  double value = 0;
  std::uint32_t severity = 2;  // 0 default, 1 low, 2 high
  std::string advice = {};     // "14.948 < 80.000"
};

struct ReportMarker {
  std::uint64_t address = 0;
  std::string text;
};

// One that did not fire has no messages.
struct ReportRule {
  std::string identifier;    // "SOLBottleneck"
  std::string name = {};     // "Bottleneck"
  std::string section = {};  // identifier of a section
  std::vector<ReportMessage> messages = {};
  enum Speedup : std::uint32_t { unknown, local, global } speedup = unknown;
  double speedup_pct = 0;
  std::vector<ReportFocus> focus = {};
  std::vector<ReportMarker> markers = {};
};

// The ranges that are open at the launch, outermost first, per domain; "" is the default domain.
struct ReportNvtx {
  using Ranges = std::vector<std::pair<std::string, std::vector<std::string>>>;
  Ranges pushed = {};
  Ranges started = {};
};

struct ReportFrame {
  std::string function;
  std::string module = {};
};

struct ReportLaunch {
  // cuBLAS, NVRTC and extern "C" kernels have no demangled name.
  std::string mangled = {}, function = {}, demangled = {};
  std::array<std::uint64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};  // all 0: a launch that failed
  bool grid_in_threads = false;                                      // as written up to 2020.2
  std::uint64_t thread = 0, call = 0, created = 0;
  std::optional<std::uint32_t> context = 1, stream = 7;  // none in 2019
  std::uint64_t source = 0;                              // ReportSource::reference; 0: none
  std::vector<ReportMetric> metrics = {};
  std::vector<ReportSection> sections = {};
  std::vector<ReportRule> rules = {};
  std::optional<ReportNvtx> nvtx = {};  // empty, not absent, when profiled with --nvtx
  std::vector<ReportFrame> host_stack = {};
  bool unknown_fields = false;  // what a later version may add
};

struct ReportSource {
  std::uint64_t reference = 0;
  std::string cubin = {};  // ELF
  std::string ptx = {};
  std::uint32_t sm_major = 0, sm_minor = 0;                           // 8.6; not written when 0
  std::vector<std::pair<std::string, std::uint64_t>> functions = {};  // mangled name, address
  std::vector<std::pair<std::string, std::string>> files = {};        // path, text
};

struct ReportDevice {
  std::uint32_t id = 0;
  std::string name;
  std::vector<std::pair<std::string, ReportValue>> attributes = {};  // "device__attribute_..."
};

// A part of what is known about the session; the parts of all blocks together are the whole.
struct ReportSession {
  std::uint64_t process = 0, created = 0;
  std::string host_os = {}, host_name = {};  // private data that no output may repeat
  std::vector<ReportDevice> devices = {};
  std::vector<std::pair<std::string, std::string>> versions = {};  // "CUDA Version" -> "12.6"
  std::string command_line = {};
  bool empty() const;
};

struct ReportProcess {
  std::uint64_t id = 0;
  std::string host = "127.0.0.1";
  std::string name = {};  // ends with a NUL byte on Windows
};

struct ReportBlock {
  std::vector<ReportSource> sources = {};
  std::vector<ReportLaunch> results = {};
  std::vector<ReportLaunch> ranges = {};  // counted apart in 2022
  std::vector<std::string> names = {};    // declared besides those the results use
  ReportSession session = {};
  std::optional<ReportProcess> process = {};  // none in 2019
  // Names that its results use and that the next block declares.
  std::vector<std::string> late_names = {};
  bool names_come_later = false;  // all of them, and what earlier blocks left
  bool unknown_fields = false;
  std::optional<std::uint32_t> payload_size = {};  // a lie about the size
};

class NcuReportWriter {
 public:
  NcuReportWriter();

  void add(const ReportBlock& block);

  // What is written so far; names that are still to come are declared in a last block.
  std::string bytes();
  // The same and forgets it: to write a large report piece by piece.
  std::string take();

 private:
  void give_number(const std::string& name);
  std::vector<std::string> declare(const ReportBlock& block);

  std::string bytes_;
  std::map<std::string, std::uint32_t, std::less<>> ids_;
  std::vector<std::string> undeclared_;  // have an id, and stand in no table yet
};

}  // namespace frx::testing
