// Files made of the recordings of several processes, which number their calls alike.
#include "derive/trace/launches.h"

#include <gtest/gtest.h>

#include <random>

#include "ingest/chrome_trace/testing.h"

namespace frx::derive::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;

// The recording of one process. Its operators have its name, and so have their kernels.
struct Process {
  std::string name, pid, gpu = "0", more;  // gpu: pid of the tracks of its GPU; more: of the arguments of kernels and calls

  std::string call(int correlation, double start_us) const {
    return event("cpu_op", "op of " + name, pid + "/1", start_us - 2, 20, fmt::format(R"("External id": {}{})", correlation, more)) +
           event("cuda_runtime", "cudaLaunchKernel", pid + "/1", start_us, 5, fmt::format(R"("correlation": {}{})", correlation, more));
  }
  std::string kernel(int correlation, double start_us, std::string_view kernel_name) const {
    return event("kernel", kernel_name, gpu + "/7", start_us, 10,
                 fmt::format(R"("device": {}, "stream": 7, "correlation": {}{})", gpu, correlation, more));
  }
  std::string launched(int correlation, double start_us, double delay_us) const {
    return call(correlation, start_us) + kernel(correlation, start_us + delay_us, "k of " + name);
  }
};

// How many kernels "k of NAME" have the operator "op of NAME", another one, and none.
struct Joined {
  int own = 0, foreign = 0, none = 0;
  friend bool operator==(const Joined&, const Joined&) = default;
};

Joined joined(const std::string& events) {
  const model::Timeline timeline = trace_of(trace_with(events));
  Joined found;
  for (const GpuWork& one : attribute(timeline).work) {
    if (one.op == trace::none)
      ++found.none;
    else if (timeline.name_of(one.op).substr(3) == timeline.name_of(one.event).substr(2))
      ++found.own;
    else
      ++found.foreign;
  }
  return found;
}

void PrintTo(const Joined& joined, std::ostream* out) {
  *out << joined.own << " own, " << joined.foreign << " foreign, " << joined.none << " none";
}

const Process first_process{"a", "100", "0", ""}, second_process{"b", "200", "1", ""};

TEST(Launches, OfProcessesThatNumberTheirCallsAlikeAreKeptApart) {
  std::string events;
  for (int i = 1; i <= 20; ++i) events += first_process.launched(i, 100 * i, 8) + second_process.launched(i, 100 * i + 700, 8);
  EXPECT_EQ(joined(events), (Joined{40, 0, 0}));
}

// All calls of either process come before the work of the other one; one process runs far ahead of its GPU.
TEST(Launches, AreTheOnesThatComeLeastBeforeTheWork) {
  std::string events;
  for (int i = 1; i <= 20; ++i)
    events += first_process.launched(i, 100 * i, i < 3 ? 8 : 5000) + second_process.launched(i, 100 * i + 700, i < 3 ? 8 : 900);
  EXPECT_EQ(joined(events), (Joined{40, 0, 0}));
}

TEST(Launches, WorkThatWasLaunchedBeforeTheRecordingIsNotThatOfAnotherProcess) {
  std::string events = second_process.kernel(1, 900, "k of b");
  for (int i = 1; i <= 20; ++i) events += first_process.launched(i, 100 * i, 8);
  for (int i = 2; i <= 20; ++i) events += second_process.launched(i, 100 * i + 700, 8);
  EXPECT_EQ(joined(events), (Joined{39, 0, 1}));
}

TEST(Launches, OfTwoProcessesOnOneGpuAreEachUsedOnce) {
  const Process beside{"b", "200", "0", ""};
  std::string events;
  for (int i = 1; i <= 20; ++i)
    events += first_process.call(i, 100 * i) + first_process.kernel(i, 100 * i + 8, "k") + beside.call(i, 100 * i + 40) +
              beside.kernel(i, 100 * i + 48, "k");
  const model::Timeline timeline = trace_of(trace_with(events));
  for (const GpuWork& one : attribute(timeline).work) EXPECT_EQ(timeline.start[one.event] - timeline.start[one.launch], 8'000);
}

// Every kernel of a graph has the correlation of its one launch.
TEST(Launches, OfGraphsHaveAllTheirKernels) {
  std::string events;
  for (const Process& process : {first_process, second_process}) {
    events += event("cpu_op", "op of " + process.name, process.pid + "/1", 0, 60) +
              event("cuda_runtime", "cudaGraphLaunch", process.pid + "/1", process.pid == "100" ? 5 : 35, 3, R"("correlation": 9)");
    for (int i = 0; i < 5; ++i) events += process.kernel(9, (process.pid == "100" ? 20 : 50) + 20 * i, "k of " + process.name);
  }
  EXPECT_EQ(joined(events), (Joined{10, 0, 0}));
}

// A merged file may say the rank of its events: then nothing is concluded from times.
TEST(Launches, AreOfTheRankOfTheWork) {
  const Process first{"a", "100", "0", R"(, "rank": 0)"}, second{"b", "200", "1", R"(, "rank": 1)"};
  std::string events;
  for (int i = 1; i <= 5; ++i) {
    events += first.call(i, 100 * i) + second.call(i, 100 * i + 50);
    events += first.kernel(i, 100 * i + 900, "k of a") + second.kernel(i, 100 * i + 900, "k of b");
  }
  EXPECT_EQ(joined(events), (Joined{10, 0, 0}));
}

TEST(Launches, ExternalIdsCountInTheirProcess) {
  std::string events;
  for (const Process& process : {second_process, first_process}) {
    for (int i = 1; i <= 30; ++i) {
      const std::string ids = fmt::format(R"("correlation": {0}, "External id": {0})", i);
      const double start = 100 * i + (process.pid == "100" ? 0 : 40);
      events +=
          event("cpu_op", "op of " + process.name, process.pid + "/1", start, 20, fmt::format(R"("External id": {})", i)) +
          event("cuda_runtime", "cudaLaunchKernel", process.pid + "/1", start + 5, 5, ids) +
          event("kernel", "k of " + process.name, process.gpu + "/7", start + 12, 5, fmt::format(R"("device": {}, {})", process.gpu, ids));
    }
    events +=
        event("kernel", "k of " + process.name, process.gpu + "/7", 1, 5, fmt::format(R"("device": {}, "External id": 3)", process.gpu));
  }
  EXPECT_EQ(joined(events), (Joined{62, 0, 0}));
}

// Two to eight ranks of one program, which started up to 50 ms apart, each with its own backlog. Each has synchronised with its GPU some
// time, after which work begins at once.
TEST(Launches, OfGeneratedRanksAreAllTheirOwn) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto from = [&](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
    std::string events;
    const int ranks = 2 + static_cast<int>(seed % 7);
    for (int rank = 0; rank < ranks; ++rank) {
      const Process process{fmt::format("r{}", rank), fmt::format("{}", 4000 + 13 * rank), fmt::format("{}", rank), ""};
      const double began = from(0, 50'000), most_backlog = from(0, 20'000);
      double now = began;
      for (int i = 0; i < 120; ++i) {
        now += from(20, 200);
        const bool synchronised = i % 40 == 0;
        events += process.launched(i + 1, now, synchronised ? from(4, 8) : from(4, 8) + from(0, most_backlog));
      }
    }
    EXPECT_EQ(joined(events), (Joined{ranks * 120, 0, 0})) << "seed " << seed;
  }
}

}  // namespace
}  // namespace frx::derive::trace
