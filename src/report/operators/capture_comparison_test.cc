#include "report/operators/capture_comparison.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/operators/capture_metadata.h"

namespace frx::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using derive::compare::Answer;
using Counters = knowledge::OperatorCounters;
using How = knowledge::OperatorCounter::How;

const Counters& counters() {
  static const Counters all{{{"dram_throughput_pct", {}, How::mean, {}}, {"total_dram_bytes_read", {}, How::sum, {}}}, {}};
  return all;
}

// What a kernel of an operator takes in each iteration, with a little noise of its own.
struct Launch {
  std::string name, shapes;
  std::int64_t ns = 0;
  std::string kernel = "kernel";
};

OperatorCapture capture(const std::vector<Launch>& launches, int iterations = 6) {
  OperatorCapture made;
  made.source = "a.json";
  made.kind = "trace of the PyTorch profiler";
  CaptureBuilder builder;
  for (int i = 0; i < iterations; ++i) {
    for (const Launch& one : launches) {
      const std::uint32_t row = one.name.empty() ? builder.row_of_kernel(one.kernel) : builder.row(one.name, one.shapes);
      builder.add(row, i, one.ns + one.ns * ((i * 7) % 5) / 1000);
    }
  }
  builder.finish(made, IterationSource::window);
  return made;
}

// Of every case: the rows of each side add up to all of its kernels.
void expect_all_counted(const CaptureComparison& comparison) {
  double before = 0, after = 0, remaining = 0, kernels = 0;
  for (const CaptureRow& row : comparison.rows) {
    before += row.before_ns.value_or(0);
    after += row.after_ns.value_or(0);
    kernels += row.after_kernels.value_or(0);
    double parts_before = 0, parts_after = 0;
    for (const RowPart& part : row.parts_before) parts_before += part.ns;
    for (const RowPart& part : row.parts_after) parts_after += part.ns;
    if (!row.parts_before.empty()) EXPECT_NEAR(parts_before, *row.before_ns, 1e-6);
    if (!row.parts_after.empty()) EXPECT_NEAR(parts_after, *row.after_ns, 1e-6);
  }
  for (const RowPart& part : comparison.remaining) remaining += part.ns;
  EXPECT_NEAR(before, comparison.before_ns(), 1e-6);
  EXPECT_NEAR(after, comparison.after_ns(), 1e-6);
  EXPECT_NEAR(remaining, comparison.after_ns(), 1e-6);
  EXPECT_NEAR(kernels * comparison.after.iterations(), static_cast<double>(comparison.after.kernels), 1e-6);
}

CaptureComparison compared(OperatorCapture before, OperatorCapture after, bool allow_different_batch = false) {
  Result<CaptureComparison> comparison = compare_captures(std::move(before), std::move(after), counters(), allow_different_batch);
  if (!comparison) {
    ADD_FAILURE() << to_string(comparison.error());
    return {};
  }
  expect_all_counted(*comparison);
  return std::move(*comparison);
}

std::string refusal(OperatorCapture before, OperatorCapture after) {
  const Result<CaptureComparison> comparison = compare_captures(std::move(before), std::move(after), counters());
  if (!comparison) EXPECT_EQ(comparison.error().kind, ErrorKind::not_enough);
  return comparison ? "no error" : to_string(comparison.error());
}

const CaptureRow& row_of(const CaptureComparison& comparison, std::string_view name) {
  const auto found = std::ranges::find(comparison.rows, name, &CaptureRow::name);
  static const CaptureRow none;
  if (found == comparison.rows.end()) ADD_FAILURE() << "no row " << name;
  return found == comparison.rows.end() ? none : *found;
}

std::vector<std::string_view> ids(const CaptureComparison& comparison) {
  std::vector<std::string_view> found;
  for (const Caveat& caveat : comparison.caveats) found.push_back(caveat.id);
  return found;
}

TEST(CaptureComparison, TheTotalDecidesAndNewKernelsCountAgainstIt) {
  const CaptureComparison found =
      compared(capture({{"aten::mm", "", 100000}, {"aten::relu", "", 50000}, {"", "", 10000}}),
               capture({{"aten::mm", "", 50000}, {"aten::relu", "", 50000}, {"aten::copy_", "", 60000}, {"", "", 25000}}));
  EXPECT_EQ(found.judgement.answer, Answer::worse) << "aten::mm alone would say better";
  EXPECT_EQ(row_of(found, "aten::mm").status, RowStatus::faster);
  EXPECT_EQ(row_of(found, "aten::relu").status, RowStatus::same);
  EXPECT_EQ(row_of(found, "aten::copy_").status, RowStatus::added);
  EXPECT_EQ(row_of(found, "").status, RowStatus::slower);
  EXPECT_EQ(row_of(found, "aten::copy_").before_ns, std::nullopt) << "what is not there is not zero";
  EXPECT_EQ(found.rows.front().name, "aten::copy_") << "largest change first";
  EXPECT_EQ(found.remaining.front().name, "aten::copy_");
}

TEST(CaptureComparison, RowsAreOfNameAndShapesThenOfNameInTheirOrder) {
  const CaptureComparison found = compared(
      capture({{"aten::mm", "[[8, 8]]", 100},
               {"aten::mm", "[[4, 4]]", 200},
               {"aten::bmm", "[[2, 8, 8]]", 300},
               {"aten::mul", "[[3]]", 10},
               {"aten::mul", "[[4]]", 10}}),
      capture(
          {{"aten::mm", "[[8,8]]", 100}, {"aten::mm", "[[4, 16]]", 200}, {"aten::bmm", "[[2, 8, 9]]", 300}, {"aten::mul", "[[5]]", 15}}));
  EXPECT_TRUE(found.by_shapes);
  ASSERT_THAT(found.rows, SizeIs(4));
  const auto row = [&](std::string_view shapes) { return *std::ranges::find(found.rows, shapes, &CaptureRow::shapes); };
  EXPECT_EQ(row("[[8, 8]]").shapes_after, "") << "the blanks of different writers are no difference";
  EXPECT_EQ(row("[[4, 4]]").shapes_after, "[[4, 16]]");
  EXPECT_EQ(row("[[2, 8, 8]]").shapes_after, "[[2, 8, 9]]");
  EXPECT_EQ(row_of(found, "aten::mul").shapes, "") << "two became one: all of that name together";
  EXPECT_NEAR(row_of(found, "aten::mul").before_ns.value_or(0), 20, 0.1);
}

TEST(CaptureComparison, ShapesOfOneSideOnlyAreNotCompared) {
  const CaptureComparison found =
      compared(capture({{"aten::mm", "[[8, 8]]", 100}, {"aten::mm", "[[4, 4]]", 200}}), capture({{"aten::mm", "", 250}}));
  EXPECT_FALSE(found.by_shapes);
  EXPECT_THAT(found.rows, SizeIs(1));
  EXPECT_EQ(found.batch, BatchCheck::unknown);
}

TEST(CaptureComparison, TheBaselinesOfAFusedOperatorAreSummed) {
  const std::vector<Launch> eager = {{"aten::add", "", 50000}, {"aten::relu", "", 45000}, {"aten::mul", "", 10000}, {"aten::mm", "", 9000}};
  const std::vector<Launch> compiled = {{"triton_poi_fused_add_relu_0", "", 20000},
                                        {"", "", 19000, "triton_poi_fused_add_relu_1"},
                                        {"aten::mul", "", 10000},
                                        {"aten::mm", "", 9000}};
  const CaptureComparison fused = compared(capture(eager), capture(compiled));
  ASSERT_THAT(fused.rows, SizeIs(3)) << "kernels that a compiler made count as operators, with and without a range around them";
  EXPECT_EQ(fused.rows[0].name, "triton_poi_fused_add_relu");
  EXPECT_EQ(fused.rows[0].status, RowStatus::fused);
  EXPECT_EQ(fused.rows[0].judgement.answer, Answer::better);
  EXPECT_THAT(fused.rows[0].parts_before, SizeIs(2));
  EXPECT_NEAR(*fused.rows[0].before_ns, 95000, 500);
  const CaptureComparison split = compared(capture(compiled), capture(eager));
  EXPECT_EQ(split.rows[0].status, RowStatus::split);
  EXPECT_EQ(split.rows[0].judgement.answer, Answer::worse);
  EXPECT_THAT(split.rows[0].parts_after, SizeIs(2));
}

// A part that is still launched elsewhere, but less often, belongs to the row with what is left of it; one that is launched as often does
// not.
TEST(CaptureComparison, WhatIsLeftOfAFusedOperatorCountsInItsRow) {
  const CaptureComparison found =
      compared(capture({{"aten::add", "", 50}, {"aten::add", "", 50}, {"aten::relu", "", 45}, {"aten::sum", "", 20}}),
               capture({{"triton_red_fused_add_sum_2", "", 40}, {"aten::add", "", 50}, {"aten::relu", "", 45}, {"aten::sum", "", 20}}));
  const CaptureRow& fused = row_of(found, "triton_red_fused_add_sum");
  EXPECT_EQ(fused.status, RowStatus::fused);
  EXPECT_THAT(fused.parts_after, SizeIs(2));
  EXPECT_THAT(fused.parts_before, SizeIs(1));
  EXPECT_EQ(row_of(found, "aten::sum").status, RowStatus::same);
}

TEST(CaptureComparison, FusedOperatorsMayBeListed) {
  OperatorCapture after = capture({{"aten::addmm", "", 100}});
  after.operators[0].fused_with = {"aten::gelu"};
  const CaptureComparison found = compared(capture({{"aten::addmm", "", 90}, {"aten::gelu", "", 30}}), std::move(after));
  ASSERT_THAT(found.rows, SizeIs(1));
  EXPECT_EQ(found.rows[0].status, RowStatus::fused);
  EXPECT_THAT(found.rows[0].parts_before, SizeIs(2));
}

TEST(CaptureComparison, ThreeIterationsHaveAnIntervalAndFiveAnAnswer) {
  const std::vector<Launch> slow = {{"aten::mm", "", 100000}}, fast = {{"aten::mm", "", 50000}};
  const CaptureComparison two = compared(capture(slow, 2), capture(fast, 2)), three = compared(capture(slow, 3), capture(fast, 9)),
                          five = compared(capture(slow, 5), capture(fast, 5));
  EXPECT_EQ(two.judgement.low, std::nullopt);
  EXPECT_TRUE(three.judgement.low.has_value());
  EXPECT_EQ(three.judgement.answer, Answer::cannot_tell);
  EXPECT_EQ(three.why_not, "too_few_iterations");
  EXPECT_EQ(three.rows[0].status, RowStatus::inconclusive);
  EXPECT_EQ(five.judgement.answer, Answer::better);
  EXPECT_EQ(five.why_not, "");
}

TEST(CaptureComparison, EqualTimesAreTheSame) {
  const CaptureComparison found = compared(capture({{"aten::mm", "", 100000}}, 20), capture({{"aten::mm", "", 100200}}, 20));
  EXPECT_EQ(found.why_not, "within_noise");
  EXPECT_EQ(found.rows[0].status, RowStatus::same);
}

// Its times are not those of one kind of work.
TEST(CaptureComparison, AnOperatorOfSomeIterationsIsNotJudged) {
  OperatorCapture before = capture({{"aten::mm", "", 1000}, {"aten::sort", "", 500}}), after = before;
  for (OperatorCapture* side : {&before, &after}) {
    side->iteration_ns[0] -= static_cast<double>(side->operators[1].times[0].gpu_ns);
    side->operators[1].gpu_ns -= side->operators[1].times[0].gpu_ns;
    side->operators[1].times.erase(side->operators[1].times.begin());
    side->operators[1].kernels = 5;
    side->kernels = 11;
  }
  EXPECT_EQ(row_of(compared(std::move(before), std::move(after)), "aten::sort").status, RowStatus::inconclusive);
}

TEST(CaptureComparison, CapturesWithoutIterationsAreOneEach) {
  const auto whole = [](int iterations) {
    OperatorCapture made = capture({{"aten::mm", "", 1000}, {"aten::relu", "", 100}}, 1);
    CaptureBuilder builder;
    for (int i = 0; i < iterations; ++i) {
      builder.add(builder.row("aten::mm", ""), {}, 1000);
      builder.add(builder.row("aten::relu", ""), {}, 100);
    }
    builder.finish(made, IterationSource::none);
    return made;
  };
  const CaptureComparison equal = compared(whole(2), whole(2));
  EXPECT_EQ(equal.why_not, "too_few_iterations");
  EXPECT_THAT(ids(equal), ElementsAre("no_iterations", "batch_not_checked", "clocks_not_recorded"));
  const CaptureComparison more = compared(whole(2), whole(6));
  EXPECT_EQ(more.why_not, "not_comparable");
  EXPECT_THAT(more.not_comparable, ElementsAre(HasSubstr("3 times as often")));
  EXPECT_THAT(refusal(whole(2), capture({{"aten::mm", "", 1000}})), HasSubstr("nothing marks its iterations, while a.json has 6"));
  EXPECT_THAT(refusal(whole(0), whole(1)), HasSubstr("no kernels"));
}

TEST(CaptureComparison, AnotherBatchIsRefused) {
  const auto model = [](int batch, int hidden) {
    const std::string b = fmt::format("{}", batch), h = fmt::format("{}", hidden);
    return capture({{"aten::addmm", "[[" + h + "], [" + b + ", 64], [64, " + h + "]]", 900},
                    {"aten::relu", "[[" + b + ", " + h + "]]", 100},
                    {"aten::addmm", "[[10], [" + b + ", " + h + "], [" + h + ", 10]]", 200},
                    {"aten::_foreach_add_", "[[[64, " + h + "]]]", 50}});
  };
  EXPECT_THAT(refusal(model(8, 128), model(16, 128)), HasSubstr("the batch differs"));
  EXPECT_THAT(refusal(model(8, 128), model(16, 128)), HasSubstr("by the factor 2: aten::addmm has inputs of [[128], [8, 64]"));
  EXPECT_EQ(compared(model(8, 128), model(8, 128)).batch, BatchCheck::same);
  EXPECT_EQ(compared(model(8, 128), model(8, 256)).batch, BatchCheck::unknown) << "another width is no other batch";
  const CaptureComparison allowed = compared(model(8, 128), model(16, 128), true);
  EXPECT_EQ(allowed.why_not, "not_comparable");
  EXPECT_EQ(ids(allowed).front(), "not_comparable");
}

TEST(CaptureComparison, TheInputsOfTheModelDecideWhereTheyAreKnown) {
  OperatorCapture before = capture({{"aten::mm", "[[8, 8]]", 100}}), after = before;
  before.facts.input_shapes = {{"input", {8, 3, 224, 224}}};
  after.facts.input_shapes = {{"input", {16, 3, 224, 224}}};
  EXPECT_THAT(refusal(before, after), HasSubstr("input [8, 3, 224, 224] before and input [16, 3, 224, 224] after"));
  after.facts.input_shapes = before.facts.input_shapes;
  EXPECT_EQ(compared(before, after).batch, BatchCheck::same);
}

TEST(CaptureComparison, WhatElseDiffersIsTold) {
  OperatorCapture before = capture({{"aten::mm", "[[8, 8]]", 100}}), after = before;
  before.facts.clocks = CaptureClocks{"locked", 1410, 1215};
  after.facts.clocks = CaptureClocks{"locked", 1200, 1215};
  before.facts.timestamp_utc = "2026-06-01T00:00:00Z";
  after.facts.timestamp_utc = "2026-06-01T09:30:00.5+02:00";
  before.facts.torch_version = "2.3";
  after.facts.torch_version = "2.4";
  after.facts.compile_mode = "inductor";
  after.flags = {{"high_unattributed", true, 40, 10, "40 % of kernel time belongs to no operator"}};
  EXPECT_THAT(ids(compared(before, after)), ElementsAre("other_torch", "other_clocks", "far_apart", "high_unattributed"));
  after.facts.clocks->status = "not_locked";
  before.facts.device_name = "A100";
  after.facts.device_name = "H100";
  const CaptureComparison other = compared(before, after);
  EXPECT_THAT(ids(other), ElementsAre("not_comparable", "other_torch", "clocks_not_locked", "far_apart", "high_unattributed"));
  EXPECT_EQ(other.judgement.answer, Answer::cannot_tell);
}

TEST(CaptureComparison, TimeAndCountersMustAgree) {
  const auto with = [](OperatorCapture made, double first, std::optional<double> second) {
    made.operators[0].counters = {first, second};
    return made;
  };
  const OperatorCapture slow = capture({{"aten::mm", "", 100000}}), fast = capture({{"aten::mm", "", 50000}});
  EXPECT_EQ(compared(with(slow, 40, 100), with(fast, 60, 100)).rows[0].agreement, Agreement::both_moved);
  EXPECT_EQ(compared(with(slow, 40, 100), with(slow, 60, 100)).rows[0].agreement, Agreement::counters_only);
  EXPECT_EQ(compared(with(slow, 40, 100), with(fast, 40.5, 101)).rows[0].agreement, Agreement::time_only);
  EXPECT_EQ(compared(with(slow, 40, 100), with(slow, 40, 100)).rows[0].agreement, Agreement::neither_moved);
  const CaptureComparison part = compared(with(slow, 40, 100), with(fast, 60, std::nullopt));
  EXPECT_THAT(part.rows[0].counters, SizeIs(1)) << "of one side only it is not compared";
  EXPECT_EQ(compared(slow, fast).rows[0].agreement, Agreement::unknown);
}

TEST(CaptureComparison, ProfilesAreReadByIteration) {
  constexpr std::string_view profile =
      R"({"schema_version": "1.1", "units": {}, "capture_metadata": {"device_name": "L4", "input_shapes": {"x": [8, 4]},
    "clocks": {"status": "locked", "graphics_mhz": 1410}}, "operators": [
    {"operator_name": "aten::mm", "nvtx_range": {"text": "aten::mm, sizes = [[8, 4], [4, 4]]"}, "fused_with": ["aten::relu"],
     "aggregated": {"dram_throughput_pct": 30, "total_dram_bytes_read": 100},
     "kernels": [{"kernel_name": "gemm", "duration_ns": 30, "iteration": 1}, {"kernel_name": "gemm", "duration_ns": 10, "iteration": 1}]},
    {"operator_name": "aten::mm", "nvtx_range": {"text": "aten::mm, sizes = [[8, 4], [4, 4]]"},
     "aggregated": {"dram_throughput_pct": 60, "total_dram_bytes_read": 140}, "kernels": [{"kernel_name": "gemm", "duration_ns": 20, "iteration": 0}]}],
    "unattributed_kernels": [{"kernel_name": "fill", "duration_ns": 7, "iteration": 0}, {"kernel_name": "late", "duration_ns": 5, "iteration": null},
                             {"kernel_name": "triton_poi_fused_add_3", "duration_ns": 6, "iteration": 1}],
    "init_kernels": [{"kernel_name": "randn", "duration_ns": 9}]})";
  const Result<OperatorCapture> read = read_operator_capture("profile.json", profile, counters());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->iterations_by, IterationSource::window);
  EXPECT_THAT(read->iteration_ns, ElementsAre(27, 46));
  EXPECT_EQ(read->outside.gpu_ns, 14);
  ASSERT_THAT(read->operators, SizeIs(3));
  const CapturedOperator& mm = read->operators[0];
  EXPECT_EQ(mm.shapes, "[[8, 4], [4, 4]]");
  EXPECT_EQ(mm.gpu_ns, 60);
  ASSERT_THAT(mm.counters, SizeIs(2));
  EXPECT_NEAR(mm.counters[0].value_or(0), 40, 1e-9) << "weighted by time";
  EXPECT_EQ(mm.counters[1], 120) << "in an iteration";
  EXPECT_THAT(mm.fused_with, ElementsAre("aten::relu"));
  EXPECT_EQ(read->operators[2].name, "triton_poi_fused_add");
  EXPECT_EQ(read->facts.clocks->graphics_mhz, 1410);
  EXPECT_THAT(read->facts.input_shapes.at("x"), ElementsAre(8, 4));
}

// Sums of 1.0 may be in kilobytes or megabytes; percentages are what they are.
TEST(CaptureComparison, SumsWithoutUnitsAreLeftOut) {
  constexpr std::string_view profile = R"({"schema_version": "1.0", "operators": [
    {"operator_name": "aten::mm, op_id = 1, sizes = [[2]]", "aggregated": {"dram_throughput_pct": 30, "total_dram_bytes_read": 100}, "kernels": [{"kernel_name": "a", "duration_ns": 30}]},
    {"operator_name": "aten::mm, op_id = 2, sizes = [[2]]", "kernels": [{"kernel_name": "a", "duration_ns": 30}]}]})";
  const Result<OperatorCapture> read = read_operator_capture("profile.json", profile, counters());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->iterations_by, IterationSource::none);
  ASSERT_THAT(read->operators, SizeIs(1));
  EXPECT_THAT(read->operators[0].counters, ElementsAre(std::nullopt, std::nullopt)) << "half of the time has no counters";
  EXPECT_EQ(read->operators[0].shapes, "[[2]]");
  const Result<OperatorCapture> damaged =
      read_operator_capture("p.json", R"({"schema_version": "1.0", "operators": [{"operator_name": "a"}]})", counters());
  ASSERT_FALSE(damaged);
  EXPECT_THAT(to_string(damaged.error()), HasSubstr("p.json: expected a list of kernels as operators[0].kernels"));
}

TEST(CaptureMetadata, MomentsAreReadWithTheirOffset) {
  EXPECT_EQ(seconds_of_utc("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(seconds_of_utc("2026-06-01T02:00:00.175770+02:00"), seconds_of_utc("2026-06-01 00:00:00"));
  EXPECT_EQ(seconds_of_utc(utc_text(1'780'272'000'000'000'000)), 1'780'272'000);
  for (const std::string_view text : {"", "yesterday", "2026-02-30T00:00:00Z", "2026-06-01T25:00:00Z", "2026-06-01T00:00:00+2"})
    EXPECT_EQ(seconds_of_utc(text), std::nullopt) << text;
}

}  // namespace
}  // namespace frx::report
