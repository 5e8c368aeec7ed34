#include "report/layout/layout_diff.h"

#include <gmock/gmock.h>

namespace frx::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LayoutRecordFinding churn(std::string file = "model.py", std::uint64_t line = 42, double count = 38, double bytes = 1e6, double us = 100) {
  LayoutRecordFinding finding;
  finding.id = fmt::format("churn@{}({})", file, line);
  finding.detector = "contiguous_churn";
  finding.pattern = "loop";
  finding.title = "contiguous() copies";
  finding.severity = LayoutSeverity::high;
  finding.site.module = "Model.Block";
  finding.site.file = std::move(file);
  finding.site.function = "forward";
  finding.site.line = line;
  finding.site.op_path = "aten::contiguous";
  finding.freq = count;
  finding.bytes = bytes;
  finding.time_us = us;
  return finding;
}

LayoutRecord record_with(std::vector<LayoutRecordFinding> findings) {
  LayoutRecord record;
  record.file = "a.json";
  record.model = "resnet50";
  record.trace = "trace.json";
  record.gpu = "NVIDIA A100";
  record.level = "L4";
  record.findings = std::move(findings);
  return record;
}

LayoutFindingChange only(const LayoutDiff& diff) {
  EXPECT_THAT(diff.findings, SizeIs(1));
  return diff.findings.empty() ? LayoutFindingChange() : diff.findings.front();
}

TEST(LayoutDiff, TheSameFinding) {
  const LayoutFindingChange one = only(diff_layouts(record_with({churn()}), record_with({churn()})));
  EXPECT_EQ(one.change, LayoutOutcome::same);
  EXPECT_FALSE(one.has_moved);
}

TEST(LayoutDiff, ALineThatMovedIsTheSameSite) {
  const LayoutFindingChange one = only(diff_layouts(record_with({churn()}), record_with({churn("model.py", 57)})));
  EXPECT_EQ(one.change, LayoutOutcome::same);
  EXPECT_TRUE(one.has_moved);
  EXPECT_EQ(only(diff_layouts(record_with({churn()}), record_with({churn("blocks.py", 7)}))).change, LayoutOutcome::same);  // by module
}

// Of two findings in one function the one at the same line is taken first.
TEST(LayoutDiff, EqualLinesComeBeforeMovedOnes) {
  const LayoutDiff diff = diff_layouts(record_with({churn("model.py", 10, 4), churn("model.py", 20, 8)}),
                                       record_with({churn("model.py", 20, 8), churn("model.py", 11, 4)}));
  ASSERT_THAT(diff.findings, SizeIs(2));
  EXPECT_EQ(diff.findings[0].before, 1u);
  EXPECT_FALSE(diff.findings[0].has_moved);
  EXPECT_EQ(diff.findings[1].before, 0u);
  EXPECT_TRUE(diff.findings[1].has_moved);
  EXPECT_EQ(diff.count(LayoutOutcome::same), 2u);
}

TEST(LayoutDiff, AnotherModuleOrPassIsAnotherSite) {
  LayoutRecordFinding other = churn("other.py");
  other.site.module = "Model.Head";
  EXPECT_EQ(diff_layouts(record_with({churn()}), record_with({other})).count(LayoutOutcome::added), 1u);
  LayoutRecordFinding backward = churn();
  backward.site.backward = true;
  const LayoutDiff diff = diff_layouts(record_with({churn()}), record_with({backward}));
  EXPECT_EQ(diff.findings[0].change, LayoutOutcome::added);
  EXPECT_EQ(diff.findings[1].change, LayoutOutcome::gone);
  EXPECT_THAT(diff.notes, Contains(HasSubstr("same program")));
}

// Without frames, operators beside and shapes are the site; either may differ.
TEST(LayoutDiff, SitesWithoutAPlaceInTheProgram) {
  const auto nameless = [](std::string beside, std::string shapes) {
    LayoutRecordFinding finding = churn();
    finding.site = {};
    finding.site.op_path = "aten::contiguous";
    finding.site.beside = std::move(beside);
    finding.site.shapes = std::move(shapes);
    return finding;
  };
  const LayoutRecord before = record_with({nameless("between a and b", "[8, 4]")});
  EXPECT_EQ(only(diff_layouts(before, record_with({nameless("between a and b", "[16, 4]")}))).change, LayoutOutcome::same);
  EXPECT_EQ(only(diff_layouts(before, record_with({nameless("between a and c", "[8, 4]")}))).change, LayoutOutcome::same);
  EXPECT_EQ(diff_layouts(before, record_with({nameless("between a and c", "[16, 4]")})).count(LayoutOutcome::added), 1u);
}

TEST(LayoutDiff, BytesThenCountsThenTimesDecide) {
  const LayoutRecord before = record_with({churn("model.py", 42, 38, 1e6, 100)});
  const auto verdict = [&](double count, double bytes, double us) {
    return only(diff_layouts(before, record_with({churn("model.py", 42, count, bytes, us)})));
  };
  EXPECT_EQ(verdict(38, 1.03e6, 50).change, LayoutOutcome::worse);
  EXPECT_EQ(verdict(38, 1.01e6, 105).change, LayoutOutcome::same);
  EXPECT_EQ(verdict(20, 1.5e6, 100).change, LayoutOutcome::worse);  // fewer, but larger copies
  EXPECT_EQ(verdict(20, 1e6, 120).change, LayoutOutcome::better);
  EXPECT_EQ(verdict(38, 1e6, 115).change, LayoutOutcome::worse);
  EXPECT_THAT(verdict(38, 1e6, 115).reason, HasSubstr("record again"));
  EXPECT_EQ(verdict(38, 1e6, 109).change, LayoutOutcome::same);
  EXPECT_EQ(verdict(38, 1e6, 80).change, LayoutOutcome::better);
}

TEST(LayoutDiff, WhatIsNotKnownDecidesNothing) {
  LayoutRecordFinding unknown = churn();
  unknown.bytes = unknown.time_us = unknown.freq = std::nullopt;
  const LayoutFindingChange one = only(diff_layouts(record_with({churn()}), record_with({unknown})));
  EXPECT_EQ(one.change, LayoutOutcome::inconclusive);
  EXPECT_THAT(one.reason, HasSubstr("known of both sides"));
}

TEST(LayoutDiff, TimesOfTwoGpusAreNotCompared) {
  LayoutRecord after = record_with({churn("model.py", 42, 38, 1e6, 500)});
  after.gpu = "NVIDIA H100";
  LayoutRecordFinding nhwc = churn();
  nhwc.detector = "channels_last";
  after.findings.push_back(nhwc);
  after.totals.layout_time_us = 5;
  after.totals.copies = 3;
  LayoutRecord before = record_with({churn()});
  before.totals.layout_time_us = 4;
  before.totals.copies = 2;
  const LayoutDiff diff = diff_layouts(before, after);
  EXPECT_THAT(diff.inconclusive, ElementsAre(HasSubstr("GPUs are NVIDIA A100 and NVIDIA H100")));
  EXPECT_EQ(diff.count(LayoutOutcome::same), 1u);
  EXPECT_EQ(diff.count(LayoutOutcome::inconclusive), 1u);  // an opportunity that depends on the kernels of a GPU
  for (const LayoutNumberChange& total : diff.totals) {
    if (total.name == "layout_time_us_per_step") EXPECT_FALSE(total.change_pct());
    if (total.name == "copies_per_step") EXPECT_DOUBLE_EQ(*total.change_pct(), 50);
  }
}

TEST(LayoutDiff, WhatOnlyOneSideCanTellIsNeitherNewNorGone) {
  LayoutRecord before = record_with({});
  before.level = "L2";
  before.not_assessed = {"contiguous_churn"};
  const LayoutDiff diff = diff_layouts(before, record_with({churn()}));
  EXPECT_EQ(diff.count(LayoutOutcome::inconclusive), 1u);
  EXPECT_THAT(diff.findings[0].reason, HasSubstr("not assessed, or in part, before (L2)"));
  EXPECT_THAT(diff.inconclusive, ElementsAre(HasSubstr("L2 and L4")));
  before.not_assessed = {"permute_storm"};
  EXPECT_EQ(diff_layouts(before, record_with({churn()})).count(LayoutOutcome::added), 1u);
}

TEST(LayoutDiff, TwoProgramsAreNotCompared) {
  LayoutRecord after = record_with({churn()});
  after.model = "bert";
  EXPECT_EQ(only(diff_layouts(record_with({churn()}), after)).change, LayoutOutcome::inconclusive);
  after.model = after.trace;  // the default, which is no name of a program
  EXPECT_EQ(only(diff_layouts(record_with({churn()}), after)).change, LayoutOutcome::same);
}

TEST(LayoutDiff, WhatCiAsks) {
  LayoutRecordFinding low = churn();
  low.severity = LayoutSeverity::low;
  const LayoutDiff added = diff_layouts(record_with({}), record_with({low}));
  EXPECT_EQ(exit_code_of(added, LayoutFailure::never), 0);
  EXPECT_EQ(exit_code_of(added, LayoutFailure::added), 1);
  EXPECT_EQ(exit_code_of(added, LayoutFailure::worse), 1);
  EXPECT_EQ(exit_code_of(added, LayoutFailure::high), 0);
  EXPECT_EQ(exit_code_of(diff_layouts(record_with({}), record_with({churn()})), LayoutFailure::high), 1);

  const LayoutDiff worse = diff_layouts(record_with({churn()}), record_with({churn("model.py", 42, 50, 2e6)}));
  EXPECT_EQ(exit_code_of(worse, LayoutFailure::added), 0);
  EXPECT_EQ(exit_code_of(worse, LayoutFailure::worse), 1);

  LayoutRecord blind = record_with({});
  blind.not_assessed = {"contiguous_churn"};
  EXPECT_EQ(exit_code_of(diff_layouts(blind, record_with({churn()})), LayoutFailure::added), 3);
  EXPECT_EQ(exit_code_of(diff_layouts(record_with({churn()}), blind), LayoutFailure::added), 0);  // it may be gone, which is no failure
}

TEST(LayoutRecord, ReadsWhatIsThereAndNothingElse) {
  const Result<LayoutRecord> record = read_layout_record("a.json", R"({"schema": "layout.v1", "model": "m", "gpu": null,
    "trace": {"name": "t.json", "sha256": null, "steps": 3, "level": "L2", "cpu_only": false},
    "totals": {"copies_per_step": 38, "bytes_per_step": null},
    "findings": [{"id": "x", "detector": "permute_storm", "severity": "MEDIUM", "site": {"module": null, "op_path": "aten::permute",
                  "line": 7, "backward": true}, "freq_per_step": 12, "bytes_per_step": null,
                  "saving": {"bytes_pct": null, "time_pct": {"low": 1, "best": 8}}}],
    "not_assessed": [{"detector": "channels_last", "reason": "the recording has no shapes"}]})");
  ASSERT_TRUE(record) << to_string(record.error());
  EXPECT_EQ(record->trace, "t.json");
  EXPECT_EQ(record->gpu, "");
  EXPECT_EQ(record->steps, 3u);
  EXPECT_EQ(record->totals.copies, 38);
  EXPECT_FALSE(record->totals.bytes);
  ASSERT_THAT(record->findings, SizeIs(1));
  const LayoutRecordFinding& one = record->findings[0];
  EXPECT_EQ(one.severity, LayoutSeverity::medium);
  EXPECT_EQ(one.site.line, 7u);
  EXPECT_TRUE(one.site.backward);
  EXPECT_EQ(one.freq, 12);
  EXPECT_FALSE(one.bytes);
  EXPECT_FALSE(one.time_us);
  EXPECT_EQ(one.best_time_pct, 8);
  EXPECT_THAT(record->not_assessed, ElementsAre("channels_last"));
  EXPECT_TRUE(read_layout_record("a", R"({"mode": "layout", "result": {"schema": "layout.v1"}})"));
}

struct BadRecord {
  std::string_view json, says;
};

TEST(LayoutRecord, SaysWhatIsWrongInOneLine) {
  const BadRecord rows[] = {
      {"", "\"schema\": \"layout.v1\""},
      {"[]", "\"schema\": \"layout.v1\""},
      {R"({"schema": "kernel_diff_v1"})", "\"schema\": \"layout.v1\""},
      {R"({"schema": "layout.v1", "findings": 7})", "findings: expected a list of objects, found 7"},
      {R"({"schema": "layout.v1", "findings": [7]})", "findings[0]: expected an object, found 7"},
      {R"({"schema": "layout.v1", "findings": [{}]})", "findings[0].detector: expected"},
      {R"({"schema": "layout.v1", "findings": [{"detector": "d", "severity": "BAD"}]})", "found 'BAD'"},
      {R"({"schema": "layout.v1", "findings": [{"detector": "d", "severity": "LOW", "site": {"module": 3}}]})",
       "findings[0].site.module: expected a text"},
      {R"({"schema": "layout.v1", "totals": {"copies_per_step": -1}})", "totals.copies_per_step: expected a number from 0 on, found -1"},
      {R"({"schema": "layout.v1", "totals": {"copies_per_step": "1"}})", "found a text"},
      {R"({"schema": "layout.v1", "trace": {"steps": 1e300}})", "trace.steps: expected a count"},
      {R"({"schema": "layout.v1", "totals": {"copies_per_step": 1e999}})", "expected"},
  };
  for (const BadRecord& row : rows) {
    const Result<LayoutRecord> record = read_layout_record("a.json", row.json);
    ASSERT_FALSE(record) << row.json;
    EXPECT_THAT(record.error().message, HasSubstr(row.says)) << row.json;
    EXPECT_EQ(record.error().message.find('\n'), std::string::npos);
    EXPECT_EQ(record.error().where, "a.json");
  }
}

}  // namespace
}  // namespace frx::report
