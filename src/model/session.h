// What was observed: the kernels of a profile, how often each was launched, and what was read.
//
// Launches are kept apart while a file is read and folded into groups of equal launches (same kernel,
// device, grid and block), so that a file with a million launches needs memory for its distinct
// groups only. Nothing is merged by name alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/code_profile.h"
#include "model/measured_launches.h"
#include "model/metric.h"
#include "model/other_counters.h"
#include "model/recorded_times.h"

namespace frx::model {

using Dim3 = std::array<std::uint32_t, 3>;

// "8.6" -> {8, 6}.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
  auto operator<=>(const ComputeCapability&) const = default;

  // What two numbers of a file say; none where they are no version that a GPU could have, such as 0.0 of a damaged file.
  static std::optional<ComputeCapability> read(std::int64_t major, std::int64_t minor) {
    if (major < 1 || major > 99 || minor < 0 || minor > 9) return std::nullopt;
    return ComputeCapability{static_cast<int>(major), static_cast<int>(minor)};
  }
};

// What is known about one launch before any metric is read. Everything may be absent.
struct LaunchIdentity {
  std::string kernel;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::optional<int> device;
  std::optional<ComputeCapability> cc;
  std::string process;
  std::optional<std::uint64_t> stream;
  std::string mangled;           // name of the kernel; "" where the file does not say
  bool without_threads = false;  // the file says that its blocks have none: it failed, or is no single launch (a range, a graph)
};

// One metric over the launches of a group. `line` is where the value of the longest launch stands.
struct Spread {
  std::uint32_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  double weighted_sum = 0;  // by duration, ns
  double weight = 0;
  double of_longest = 0;
  std::uint64_t line = 0;
  double longest = -1;  // duration of the launch `of_longest` belongs to

  // Mean over the launches, weighted by their durations when those were measured.
  double mean() const { return weight > 0 ? weighted_sum / weight : sum / count; }
};

// Launches of one kernel that are equal in everything but the moment.
struct LaunchGroup {
  std::optional<Dim3> grid;  // absent also when the group joins several shapes (see `mixed`)
  std::optional<Dim3> block;
  std::optional<int> device;
  std::optional<ComputeCapability> cc;
  bool mixed = false;  // the shapes beyond the limit of distinct ones, together
  std::uint64_t launches = 0;
  std::uint64_t timed_launches = 0;
  std::vector<Spread> spreads;  // by column of the session; count 0 = not read
};

struct Kernel {
  std::string name;  // as the file spells it
  std::vector<LaunchGroup> groups;
  std::uint64_t first_line = 0;
  std::set<std::string> ranges;  // NVTX ranges open at its launches, "domain: outer / inner"; the first few

  std::uint64_t launches() const {
    std::uint64_t total = 0;
    for (const LaunchGroup& group : groups) total += group.launches;
    return total;
  }
};

// A recoverable problem that the reader of the report should know.
struct Note {
  std::uint64_t line = 0;  // 0: the whole file
  std::string text;
};

// A rule of the profiler itself (NVIDIA's), kept apart from our findings.
struct ProfilerRule {
  std::string kernel;
  std::string section;
  std::string name;
  std::string type;  // OPT, WRN, INF
  std::string text;
  std::optional<double> estimated_speedup_pct;
  // Of the part of the hardware that the rule looks at, not of the kernel: estimates of the two kinds cannot be compared.
  bool is_local_estimate = false;
  std::uint64_t line = 0;
};

// A device as the file itself describes it.
struct DeviceFacts {
  std::string name;
  std::optional<ComputeCapability> cc;
};

// What the `line` of a reading counts.
enum class Places : std::uint8_t { lines, launches };

struct Session {
  std::string source;                        // name of the file
  std::string format;                        // what it was recognised as, for people
  std::string_view tool = "Nsight Compute";  // that measured: also "nvprof" and "Nsight Systems"
  Places places = Places::lines;             // launches: a binary report has no lines
  std::vector<Metric> columns;               // the metrics that occur, in order of appearance
  std::vector<Kernel> kernels;               // in order of appearance
  std::map<int, DeviceFacts> devices;
  std::vector<Note> notes;
  std::vector<ProfilerRule> rules;
  std::vector<CodeProfile> code;          // of kernels whose instructions were measured; several when one name ran different code
  std::set<std::string> debug_kernels;    // whose code was compiled for a debugger, without optimisation; as far as code is in the file
  std::set<std::string> unknown_metrics;  // names in the file that the catalogue does not know
  std::uint64_t launches = 0;
  std::uint64_t timed_launches = 0;
  std::uint64_t lines = 0;
  std::uint64_t absent_values = 0;         // n/a, nan, empty: looked for and not there
  std::shared_ptr<MeasuredLaunches> each;  // every launch by itself, where the caller asked for it; else null
  std::shared_ptr<OtherCounters> others;   // those without a definition, where the caller asked for them; else null
  std::vector<TimeTable> time_tables;      // of `nsys stats`: the summary of kernels that counts, and those about other work
  std::vector<std::string> tool_messages;  // ==ERROR== and ==WARNING== lines, first few

  std::optional<std::size_t> column_of(Metric metric) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == metric) return i;
    }
    return std::nullopt;
  }
};

}  // namespace frx::model
