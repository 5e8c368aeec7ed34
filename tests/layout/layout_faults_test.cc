// Recordings of simulated programs (tests/layout/faulty_trace.h): what is wrong with their layouts is found, and nothing else is reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "cli/test_io.h"
#include "layout/faulty_trace.h"
#include "layout/layout_answer.h"

namespace frx::testing::layout {
namespace {

constexpr std::uint64_t quick_count = 400;

TEST(LayoutFaults, AreFoundAndNothingElseIs) {
  const std::optional<LayoutScore> score = score_layout_faults(0, quick_count);
  if (!score) GTEST_SKIP() << "frx has no command `layout analyze`";
  EXPECT_EQ(score->unread, 0);
  EXPECT_GE(score->all().truths, 200);
  for (const std::string_view detector : detectors()) {
    const DetectorScore one = score->of_detector(detector);
    EXPECT_GE(one.recall(), 0.97) << detector << " misses " << one.truths - one.found << " of " << one.truths << ", the first in "
                                  << ::testing::PrintToString(one.missed_in);
    EXPECT_GE(one.precision(), 0.97) << detector << " reports " << one.wrong << " that are none, the first in "
                                     << ::testing::PrintToString(one.wrong_in);
  }
}

// The recording and a copy of it as that of another process, which numbers its calls alike, uses another GPU and is `later_us` later. All
// events of the one come first, or the events of both take turns.
std::string with_another_process(const nlohmann::json& recording, double later_us, bool in_turns) {
  nlohmann::json both = recording;
  both["traceEvents"] = nlohmann::json::array();
  std::vector<nlohmann::json> others;
  for (const nlohmann::json& event : recording["traceEvents"]) {
    both["traceEvents"].push_back(event);
    nlohmann::json other = event;
    const bool on_gpu = event["pid"] == 0;
    other["pid"] = event["pid"].get<int>() + (on_gpu ? 1 : 77);
    if (on_gpu && event.contains("args") && event["args"].contains("device")) other["args"]["device"] = 1;
    if (event.contains("ts")) other["ts"] = event["ts"].get<double>() + later_us;
    if (in_turns)
      both["traceEvents"].push_back(std::move(other));
    else
      others.push_back(std::move(other));
  }
  for (nlohmann::json& other : others) both["traceEvents"].push_back(std::move(other));
  return both.dump();
}

// What is said of the layouts of a process does not depend on what else is in the file.
TEST(LayoutFaults, OfAProcessAreTheSameBesideAnother) {
  int compared = 0;
  for (std::uint64_t number = 0; number < 48; ++number) {
    const FaultyTrace trace = faulty_trace(number);
    if (trace.recording.is_truncated) continue;
    const nlohmann::json recording = nlohmann::json::parse(trace.json);
    const double later_us =
        trace.recording.has_whole_microseconds ? 10 + static_cast<double>(97 * number) : 10 + 97.3 * static_cast<double>(number);
    nlohmann::json alone = nlohmann::json::parse(layout_json(recording.dump()).value())["result"];
    nlohmann::json beside =
        nlohmann::json::parse(layout_json(with_another_process(recording, later_us, number % 2 == 0)).value())["result"];
    EXPECT_NE(beside["notes"].dump().find("several processes"), std::string::npos) << number;
    for (nlohmann::json* one : {&alone, &beside}) {
      for (const char* of_the_file : {"name", "sha256"}) (*one)["trace"].erase(of_the_file);
      one->erase("notes");
    }
    EXPECT_EQ(nlohmann::json::diff(alone, beside).dump(1), "[]") << number;
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

// --- The generator ---

TEST(FaultyTraces, AreTheSameForTheSameNumber) {
  for (std::uint64_t number = 0; number < 24; ++number) EXPECT_EQ(faulty_trace(number).json, faulty_trace(number).json) << number;
}

TEST(FaultyTraces, AreTracesThatFrxReads) {
  const TemporaryDirectory folder = TemporaryDirectory::make(std::filesystem::temp_directory_path().string()).value();
  for (std::uint64_t number = 0; number < 24; ++number) {
    std::ofstream(folder.file("trace.json"), std::ios::binary) << faulty_trace(number).json;
    cli::TestIo io;
    EXPECT_EQ(io.run({"analyze", folder.file("trace.json"), "--json"}), 0) << number << io.err();
    EXPECT_NE(io.out().find("steps"), std::string::npos) << number;
  }
}

TEST(FaultyTraces, AreJsonAsKinetoWritesIt) {
  for (std::uint64_t number = 0; number < 64; ++number) {
    const FaultyTrace trace = faulty_trace(number);
    const nlohmann::json json = nlohmann::json::parse(trace.json, nullptr, false);
    EXPECT_EQ(json.is_discarded(), trace.recording.is_truncated) << number;
    if (json.is_discarded()) continue;
    for (const nlohmann::json& event : json["traceEvents"]) {
      if (event["cat"] != "cpu_op" || !event["args"].contains("Input Dims")) continue;
      // As many of each: readers go through them side by side.
      EXPECT_EQ(event["args"]["Input Dims"].size(), event["args"]["Input type"].size());
      if (event["args"].contains("Input Strides")) EXPECT_EQ(event["args"]["Input Dims"].size(), event["args"]["Input Strides"].size());
    }
  }
}

// What each block was written for follows from the simulation, and what was written as a near miss has nothing to be found.
TEST(FaultyTraces, BlocksHaveTheFaultsTheyWereWrittenFor) {
  std::map<std::string_view, int> planted, derived, clean;
  for (std::uint64_t number = 0; number < 800; ++number) {
    const FaultyTrace trace = faulty_trace(number);
    const bool is_clean = std::ranges::none_of(trace.blocks, [](const std::string& block) { return block.starts_with('!'); });
    if (is_clean) {
      ++clean[trace.recording.name];
      for (const Expectation& one : trace.expectations) {
        EXPECT_FALSE(one.is_required) << number << ' ' << one.detector << ' ' << one.why;
      }
    }
    for (const Expectation& one : trace.expectations) derived[one.detector] += one.is_required;
  }
  EXPECT_EQ(clean.size(), recordings().size());
  for (const std::string_view detector : detectors()) EXPECT_GE(derived[detector], 60) << detector;
}

TEST(FaultyTraces, SayWhatARecordingShows) {
  for (std::uint64_t number = 0; number < 80; ++number) {
    const FaultyTrace trace = faulty_trace(number);
    EXPECT_EQ(trace.assessable.contains(channels_last), trace.recording.has_shapes);
    EXPECT_TRUE(trace.assessable.contains(contiguous_churn));
    EXPECT_EQ(trace.json.find("Input Strides") != std::string::npos, trace.recording.has_strides) << number;
    EXPECT_EQ(trace.json.find("python_function") != std::string::npos, trace.recording.has_stacks) << number;
    EXPECT_EQ(trace.json.find("CallFrom") != std::string::npos, trace.recording.has_calls) << number;
  }
}

// --- The comparison, with answers by hand ---

FaultyTrace one_truth() {
  FaultyTrace trace;
  trace.recording = recordings().front();
  trace.assessable = {non_contiguous, channels_last};
  trace.expectations = {{non_contiguous, {{"Network_0.Attention_0", "model.py", 430}}, {"aten::matmul"}, false, true, 2, 4096, ""},
                        {memory_bound, {{"Network_0.Attention_0", "model.py", 430}}, {}, false, true, 0, 0, ""}};
  return trace;
}

constexpr const char* right_answer =
    R"({"findings": [{"detector": "non_contiguous", "freq_per_step": 2, "bytes_per_step": 4000, "site": )"
    R"({"module": "Network_0/Attention_0", "file": "/home/me/model.py", "line": 430, "op_path": "aten::matmul > aten::reshape"}}]})";

TEST(LayoutAnswers, CountWhatIsRight) {
  LayoutScore score;
  score.add(7, one_truth(), layout_findings(right_answer));
  const DetectorScore all = score.all();
  EXPECT_EQ(all.truths, 1);  // the other cannot be seen in this recording
  EXPECT_EQ(all.found, 1);
  EXPECT_EQ(all.right, 1);
  EXPECT_EQ(all.wrong, 0);
  EXPECT_EQ(all.right_counts, 1);
  EXPECT_EQ(all.sizes, 1);
  EXPECT_EQ(all.right_sizes, 0);  // 4000 bytes are not 4096
}

TEST(LayoutAnswers, CountWhatIsWrong) {
  for (const char* change : {"430", "Attention_0", "aten::matmul > aten::reshape", "non_contiguous"}) {
    std::string answer = right_answer;
    const std::string other = std::string(change) == "non_contiguous" ? "channels_last" : std::string(change) == "430" ? "431" : "Other";
    answer.replace(answer.find(change), std::string_view(change).size(), other);
    LayoutScore score;
    score.add(7, one_truth(), layout_findings(answer));
    EXPECT_EQ(score.all().wrong, 1) << change;
    EXPECT_EQ(score.all().found, 0) << change;
    EXPECT_EQ(score.all().missed_in, std::vector<std::uint64_t>{7}) << change;
  }
}

TEST(LayoutAnswers, CountWhatIsNoAnswer) {
  LayoutScore score;
  score.add(7, one_truth(), layout_findings("Traceback"));
  EXPECT_EQ(score.unread, 1);
  EXPECT_EQ(score.all().truths, 1);
  EXPECT_EQ(score.all().found, 0);
}

TEST(LayoutAnswers, AllowedFindingsAreNeitherRightNorWrong) {
  FaultyTrace trace = one_truth();
  trace.expectations[0].is_required = false;
  LayoutScore score;
  score.add(7, trace, layout_findings(right_answer));
  EXPECT_EQ(score.all().neutral, 1);
  EXPECT_EQ(score.all().right + score.all().wrong + score.all().truths, 0);
}

TEST(LayoutAnswers, ThePageNamesEveryDetectorAndRecording) {
  LayoutScore score;
  score.add(7, one_truth(), layout_findings(right_answer));
  const std::string page = layout_faults_page(score);
  for (const std::string_view detector : detectors()) EXPECT_NE(page.find(detector), std::string::npos);
  for (const Recording& recording : recordings()) EXPECT_NE(page.find(recording.name), std::string::npos);
  EXPECT_NE(page.find("| `non_contiguous` | 1 | 1 | 100.0 % | 1 | 0 | 100.0 %"), std::string::npos) << page;
}

}  // namespace
}  // namespace frx::testing::layout
