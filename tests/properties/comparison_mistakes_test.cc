// What is easily got wrong about comparing two implementations: each case of the list of known mistakes, with our right answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "report/code_analyst.h"
#include "report/confirm_with_ptx.h"
#include "report/implementation_comparison.h"

namespace frx::testing {
namespace {

using report::CodeAnalyst;
using report::Implementation;
using report::ImplementationComparison;
using report::Side;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Basis = report::ImplementationVerdict::Basis;

const CodeAnalyst& analyst() {
  static const std::unique_ptr<CodeAnalyst> one = CodeAnalyst::create({}).value();
  return *one;
}

const report::ComparisonKnowledge& known() {
  static const report::ComparisonKnowledge loaded = report::ComparisonKnowledge::load(analyst().knowledge()).value();
  return loaded;
}

std::unique_ptr<report::CudaReport> source(const std::string& text) { return analyst().inspect_cuda({{"k.cu", text}}).value(); }

// PTX with one kernel that keeps this many values at once.
std::unique_ptr<report::PtxReport> ptx_holding(int values) {
  std::string body;
  for (int i = 0; i < values; ++i) body += fmt::format("ld.global.f32 %f{}, [%rd1+{}];\n", i, 4 * i);
  for (int i = 0; i < values; ++i) body += fmt::format("st.global.f32 [%rd2+{}], %f{};\n", 4 * i, values - 1 - i);
  return analyst()
      .analyse_ptx("k.ptx",
                   ".version 8.4\n.target sm_86\n.address_size 64\n.visible .entry k()\n{\n.reg .f32 %f<200>;\n.reg .b64 %rd<9>;\n" + body +
                       "ret;\n}\n")
      .value();
}

// A profile of one kernel with these metrics: {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "90", "%"}, ...
struct Metric {
  std::string name, unit, value;
};
class Profile {
 public:
  explicit Profile(const std::vector<Metric>& metrics, int launches = 1) : analyst_(report::Analyst::create({}).value()) {
    std::string csv =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
        "Value\"\n";
    for (int id = 0; id < launches; ++id) {
      for (const Metric& metric : metrics)
        csv += fmt::format(
            "\"{}\",\"k\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"0\",\"8.0\",\"Command line profiler metrics\",\"{}\",\"{}\",\"{}\"\n", id,
            metric.name, metric.unit, metric.value);
    }
    const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
    EXPECT_TRUE(write_file(folder.file("p.csv"), csv));
    report_ = analyst_->analyse_file(folder.file("p.csv")).value();
  }
  const report::NcuReport* report() const { return report_; }

 private:
  std::unique_ptr<report::Analyst> analyst_;
  const report::NcuReport* report_ = nullptr;
};

const Metric dram_busy{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "90"}, dram_idle{dram_busy.name, "%", "20"};
const Metric l1{"l1tex__t_sector_hit_rate.pct", "%", "50"}, l2{"lts__t_sector_hit_rate.pct", "%", "60"};
Metric time_of(const std::string& us) { return {"gpu__time_duration.sum", "us", us}; }

ImplementationComparison compared(const Implementation& a, const Implementation& b) { return report::compare(a, b, known()); }

Implementation side(const std::string& label, const report::CudaReport* cuda, const report::PtxReport* ptx = nullptr,
                    const report::NcuReport* ncu = nullptr) {
  return {label, label, cuda, ptx, ncu};
}

std::vector<std::string> codes(const std::vector<const report::FindingChange*>& changes) {
  std::vector<std::string> all;
  for (const report::FindingChange* change : changes) all.emplace_back(change->code);
  return all;
}

const report::DimensionScore& dimension(const ImplementationComparison& c, std::string_view id) {
  return *std::ranges::find(c.scores.dimensions, id, [](const auto& score) { return score.dimension->id; });
}

// Rows of a matrix, by neighbouring threads.
std::string strided(const std::string& name) {
  return "__global__ void " + name +
         "(float* out, const float* in, int n, int k) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
         "  float sum = 0;\n  for (int j = 0; j < k; ++j) sum += in[i * k + j];\n  out[i] = sum;\n}\n";
}

std::string coalesced(const std::string& name) {
  return "__global__ void " + name +
         "(float* out, const float* in, int n, int k) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
         "  float sum = 0;\n  for (int j = 0; j < k; ++j) sum += in[j * n + i];\n  out[i] = sum;\n}\n";
}

TEST(ComparisonMistakes, E1_SourceAloneTellsMoreThanBarriers) {
  const auto bad = source(strided("sums")), good = source(coalesced("sums"));
  const ImplementationComparison c = compared(side("bad", bad.get()), side("good", good.get()));
  EXPECT_EQ(c.verdict.basis, Basis::scorecard);
  EXPECT_EQ(c.verdict.winner, Side::second);
  EXPECT_THAT(codes(c.changes(report::Change::resolved)), ElementsAre("uncoalesced_access"));
  EXPECT_LT(*c.scores.first, *c.scores.second);
  ASSERT_EQ(c.verdict.reasons.size(), 1u);
  EXPECT_THAT(c.verdict.reasons[0], HasSubstr("uncoalesced_access is gone (sums)"));
}

TEST(ComparisonMistakes, E2_TheSameSourceWithPtxOfOneSideIsATie) {
  const auto code = source(coalesced("sums"));
  const auto compiled = ptx_holding(60);
  const ImplementationComparison c = compared(side("a", code.get()), side("b", code.get(), compiled.get()));
  EXPECT_EQ(c.verdict.winner, Side::neither);
  EXPECT_EQ(c.scores.first, c.scores.second);
  EXPECT_FALSE(dimension(c, "register_efficiency").is_comparable());
  EXPECT_FALSE(dimension(c, "register_efficiency").winner(known().card.tie_band));
  EXPECT_THAT(c.still_unknown, Contains("register usage and spills"));
}

TEST(ComparisonMistakes, E2_ASideWithoutAnyEvidenceLosesNothing) {
  const auto nothing = source("int helper(int x) { return x + 1; }\n"), bad = source(strided("sums"));
  const ImplementationComparison c = compared(side("a", nothing.get()), side("b", bad.get()));
  EXPECT_EQ(c.verdict.basis, Basis::nothing);
  EXPECT_EQ(c.verdict.winner, Side::neither);
  EXPECT_FALSE(c.scores.first);
  EXPECT_FALSE(c.scores.second);
}

TEST(ComparisonMistakes, E2_AProfileOfOneSideDoesNotOutweighTheSourceOfBoth) {
  const auto bad = source(strided("sums")), good = source(coalesced("sums"));
  const Profile profile({time_of("100"), dram_busy, l1, l2});
  const ImplementationComparison c = compared(side("bad", bad.get(), nullptr, profile.report()), side("good", good.get()));
  EXPECT_EQ(c.verdict.basis, Basis::scorecard);
  EXPECT_EQ(c.verdict.winner, Side::second);
  EXPECT_EQ(dimension(c, "memory_efficiency").layer, "source");
}

TEST(ComparisonMistakes, E3_LessUseOfDramIsNoVirtueAndTimeDecides) {
  const Profile fast({time_of("100"), dram_busy, l1, l2}), slow({time_of("300"), dram_idle, l1, l2});
  const auto code = source(coalesced("sums"));
  const ImplementationComparison c =
      compared(side("fast", code.get(), nullptr, fast.report()), side("slow", code.get(), nullptr, slow.report()));
  EXPECT_EQ(c.verdict.basis, Basis::kernel_time);
  EXPECT_EQ(c.verdict.winner, Side::first);
  EXPECT_EQ(dimension(c, "memory_efficiency").winner(known().card.tie_band), Side::neither);
  EXPECT_FALSE(c.ncu.number("avg_dram_throughput_pct")->better());
}

TEST(ComparisonMistakes, E3_WithoutTimeAnIdleDramStillWinsNothing) {
  const Profile busy({dram_busy, l1, l2}), idle({dram_idle, l1, l2});
  const ImplementationComparison c = compared(side("busy", nullptr, nullptr, busy.report()), side("idle", nullptr, nullptr, idle.report()));
  EXPECT_EQ(c.verdict.basis, Basis::scorecard);
  EXPECT_EQ(c.verdict.winner, Side::neither);
}

TEST(ComparisonMistakes, E3_TimeOutweighsEveryScore) {
  const auto bad = source(strided("sums")), good = source(coalesced("sums"));
  const Profile fast({time_of("100"), l1, l2}), slow({time_of("300"), l1, l2});
  const ImplementationComparison c =
      compared(side("bad", bad.get(), nullptr, fast.report()), side("good", good.get(), nullptr, slow.report()));
  EXPECT_EQ(c.verdict.winner, Side::first);
}

TEST(ComparisonMistakes, E4_OneFactSeenInSourceAndInItsPtxCountsOnce) {
  const auto bad = source(strided("sums")), good = source(coalesced("sums"));
  const auto compiled = ptx_holding(8);
  const ImplementationComparison alone = compared(side("bad", bad.get()), side("good", good.get()));
  const ImplementationComparison both = compared(side("bad", bad.get(), compiled.get()), side("good", good.get(), compiled.get()));
  EXPECT_EQ(dimension(alone, "memory_efficiency").first, dimension(both, "memory_efficiency").first);
}

// What the layers of one side say together is tested in reconcile_mistakes_test.cc; a comparison has it of both.
TEST(ComparisonMistakes, E4_EachSideHasItsOwnWitnesses) {
  const auto bad = source(strided("sums")), good = source(coalesced("sums"));
  const ImplementationComparison c = compared(side("bad", bad.get()), side("good", good.get()));
  ASSERT_EQ(c.first_evidence->reconciliation.diagnoses.size(), 1u);
  EXPECT_EQ(c.first_evidence->reconciliation.diagnoses[0].diagnosis->id, "inefficient_global_memory_access");
  EXPECT_TRUE(c.second_evidence->reconciliation.diagnoses.empty());
}

TEST(ComparisonMistakes, E7_MendingOneKernelOfTenShows) {
  std::string before, after;
  for (int i = 0; i < 10; ++i) {
    const std::string name = "sums" + std::to_string(i);
    before += strided(name);
    after += i == 3 ? coalesced(name) : strided(name);
  }
  const auto first = source(before), second = source(after);
  const ImplementationComparison c = compared(side("a", first.get()), side("b", second.get()));
  EXPECT_EQ(c.verdict.winner, Side::second);
  ASSERT_EQ(c.changes(report::Change::resolved).size(), 1u);
  EXPECT_EQ(c.changes(report::Change::resolved)[0]->kernel, "sums3");
  EXPECT_EQ(c.changes(report::Change::persistent).size(), 9u);
}

TEST(ComparisonMistakes, E7_ARenamedKernelIsTheSameKernel) {
  const auto bad = source(strided("naive")), good = source(coalesced("tuned"));
  const ImplementationComparison c = compared(side("a", bad.get()), side("b", good.get()));
  ASSERT_EQ(c.changes(report::Change::resolved).size(), 1u);
  EXPECT_EQ(c.changes(report::Change::resolved)[0]->kernel, "naive -> tuned");
  EXPECT_EQ(c.verdict.winner, Side::second);
}

TEST(ComparisonMistakes, E7_AKernelOfOneSideIsListedAndNotScored) {
  const auto one = source(coalesced("sums")), two = source(coalesced("sums") + strided("more"));
  const ImplementationComparison c = compared(side("a", one.get()), side("b", two.get()));
  EXPECT_THAT(codes(c.changes(report::Change::appeared)), ElementsAre("uncoalesced_access"));
  EXPECT_FALSE(c.changes(report::Change::appeared)[0]->is_comparable);
  EXPECT_EQ(c.verdict.winner, Side::neither);
  EXPECT_THAT(c.notes, Contains("only in b, and so not scored: more"));
}

// The findings of a kernel that is nested too deeply are not all found: that they are gone is no merit.
TEST(ComparisonMistakes, AKernelThatWasNotFollowedToItsEndIsNotBetter) {
  std::string endless = strided("sums");
  endless.insert(endless.find("out[i]"), "x = " + std::string(1000, '(') + "n" + std::string(1000, ')') + ";\n  ");
  const auto plain = source(strided("sums")), nested = source(endless);
  ASSERT_EQ(nested->inspection.kernels.size(), 1u);
  ASSERT_FALSE(nested->inspection.kernels[0].is_complete);
  const ImplementationComparison c = compared(side("a", plain.get()), side("b", nested.get()));
  EXPECT_EQ(c.verdict.winner, Side::neither);
  EXPECT_EQ(c.verdict.basis, Basis::nothing);
}

TEST(ComparisonMistakes, AReasonOfManyKernelsIsSaidOnce) {
  std::string before, after;
  for (int i = 0; i < 6; ++i) {
    before += strided("sums" + std::to_string(i));
    after += coalesced("sums" + std::to_string(i));
  }
  const auto first = source(before), second = source(after);
  const ImplementationComparison c = compared(side("a", first.get()), side("b", second.get()));
  ASSERT_EQ(c.verdict.reasons.size(), 1u);
  EXPECT_THAT(c.verdict.reasons[0], HasSubstr("uncoalesced_access is gone in 6 kernels (sums0, sums1, sums2, ...)"));
}

TEST(ComparisonMistakes, AFileWithItselfIsATie) {
  const auto code = source(strided("sums"));
  const auto compiled = ptx_holding(60);
  const Profile profile({time_of("100"), dram_busy, l1, l2});
  const Implementation one = side("k", code.get(), compiled.get(), profile.report());
  const ImplementationComparison c = compared(one, one);
  EXPECT_EQ(c.verdict.winner, Side::neither);
  EXPECT_EQ(c.scores.first, c.scores.second);
  EXPECT_THAT(c.tradeoffs, IsEmpty());
  EXPECT_THAT(c.changes(report::Change::resolved), IsEmpty());
  EXPECT_THAT(c.changes(report::Change::appeared), IsEmpty());
}

TEST(ComparisonMistakes, ExchangedSidesExchangeTheAnswer) {
  const auto bad = source(strided("sums")), good = source(coalesced("sums"));
  const auto few = ptx_holding(20), many = ptx_holding(100);
  const Implementation a = side("a", bad.get(), few.get()), b = side("b", good.get(), many.get());
  const ImplementationComparison there = compared(a, b), back = compared(b, a);
  EXPECT_EQ(there.scores.first, back.scores.second);
  EXPECT_EQ(there.scores.second, back.scores.first);
  EXPECT_NE(there.verdict.winner, back.verdict.winner);
  EXPECT_EQ(codes(there.changes(report::Change::resolved)), codes(back.changes(report::Change::appeared)));
  EXPECT_EQ(there.tradeoffs.size(), back.tradeoffs.size());
}

TEST(ComparisonMistakes, FewerRegistersWinOnlyWhereBothAreKnown) {
  const auto few = ptx_holding(20), many = ptx_holding(100);
  const ImplementationComparison c = compared(side("a", nullptr, many.get()), side("b", nullptr, few.get()));
  EXPECT_EQ(c.verdict.winner, Side::second);
  EXPECT_EQ(dimension(c, "register_efficiency").layer, "ptx");
}

Metric registers(const std::string& count) { return {"launch__registers_per_thread", "register/thread", count}; }
Metric occupancy(const std::string& percent) { return {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", percent}; }

// Of two profiles that differ in registers and achieved occupancy.
std::vector<std::string> tradeoffs(const Profile& first, const Profile& second) {
  std::vector<std::string> labels;
  for (const report::Tradeoff& one :
       compared(side("a", nullptr, nullptr, first.report()), side("b", nullptr, nullptr, second.report())).tradeoffs)
    labels.push_back(one.label);
  return labels;
}

TEST(ComparisonTradeoffs, AreTheDocumentedOnesOfRegistersAgainstOccupancy) {
  const Profile lean({registers("40"), occupancy("50")}), full({registers("80"), occupancy("80")});
  EXPECT_THAT(tradeoffs(full, lean), ElementsAre("register_pressure_improved_but_occupancy_regressed"));
  EXPECT_THAT(tradeoffs(lean, full), ElementsAre("occupancy_improved_but_register_pressure_regressed"));
}

TEST(ComparisonTradeoffs, TellOfALargeShiftOfOccupancyThatRegistersDoNotExplain) {
  const Profile before({registers("40"), occupancy("80")}), slightly({registers("40"), occupancy("70")}),
      far({registers("40"), occupancy("50")});
  EXPECT_THAT(tradeoffs(before, far), ElementsAre("large_occupancy_shift"));
  EXPECT_THAT(tradeoffs(before, slightly), IsEmpty());
}

TEST(ComparisonTradeoffs, AreNoneWhereAllGotBetter) {
  const Profile before({registers("80"), occupancy("50")}), after({registers("40"), occupancy("80")});
  EXPECT_THAT(tradeoffs(before, after), IsEmpty());
}

// An index without a guard reads beyond the array where launches round up, however fast it is.
TEST(ComparisonMistakes, AFasterSideThatMayBeWrongSaysSo) {
  const std::string launch = "void run(float* x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }\n";
  const std::string guarded =
      "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }\n" + launch;
  const std::string unguarded =
      "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] *= 2.0f; }\n" + launch;
  const auto first = source(guarded), second = source(unguarded);
  const Profile slow({time_of("300"), l1, l2}), fast({time_of("100"), l1, l2});
  const ImplementationComparison c =
      compared(side("a", first.get(), nullptr, slow.report()), side("b", second.get(), nullptr, fast.report()));
  EXPECT_EQ(c.verdict.winner, Side::second);
  ASSERT_FALSE(c.tradeoffs.empty());
  EXPECT_EQ(c.tradeoffs[0].label, "winner_may_be_wrong");
}

}  // namespace
}  // namespace frx::testing
