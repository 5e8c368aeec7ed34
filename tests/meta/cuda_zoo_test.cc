// demos/cuda_zoo: each bad.cu shows the rule of its expected.txt and nothing else, each good.cu shows nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/ptx_compiler.h"
#include "detect/testing.h"
#include "meta/repository.h"
#include "report/code_analyst.h"
#include "report/confirm_with_ptx.h"
#include "report/implementation_comparison.h"

namespace frx::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> pairs() {
  std::vector<std::string> names;
  for (const fs::path& file : files_below("demos/cuda_zoo", "expected.txt")) names.push_back(file.parent_path().filename());
  return names;
}

fs::path folder(const std::string& pair) { return repository() / "demos/cuda_zoo" / pair; }

class CudaZoo : public ::testing::TestWithParam<std::string> {};

TEST_P(CudaZoo, TheBadOneShowsItsRuleAndTheGoodOneNothing) {
  const std::string rule(trim(content(folder(GetParam()) / "expected.txt")));
  const detect::testing::Inspected bad = detect::testing::inspected(content(folder(GetParam()) / "bad.cu"));
  EXPECT_THAT(bad.codes(), ElementsAre(rule));
  EXPECT_EQ(bad.sources[0].errors, 0u);
  const detect::testing::Inspected good = detect::testing::inspected(content(folder(GetParam()) / "good.cu"));
  EXPECT_THAT(good.codes(), IsEmpty());
  EXPECT_EQ(good.sources[0].errors, 0u);
}

TEST_P(CudaZoo, Compiles) {
  if (std::system("nvcc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no nvcc in the path";
  const TemporaryDirectory out = TemporaryDirectory::make(::testing::TempDir()).value();
  for (const char* file : {"bad.cu", "good.cu"}) {
    const std::string source = folder(GetParam()) / file;
    const std::string command = "nvcc -arch=sm_80 -ptx -o " + shell_quote(out.file("k.ptx")) + " " + shell_quote(source);
    EXPECT_EQ(std::system(command.c_str()), 0) << source;
  }
}

// What is wrong in the source is still wrong when it is compiled.
TEST_P(CudaZoo, PtxDoesNotWithdrawWhatTheBadOneShows) {
  const std::string source = folder(GetParam()) / "bad.cu";
  const Result<capture::CompiledPtx> ptx = capture::compile_to_ptx(source, "", {}, capture::this_machine());
  if (!ptx) GTEST_SKIP() << "no compiler here makes PTX of it: " << ptx.error().message;
  const std::unique_ptr<report::CodeAnalyst> analyst = report::CodeAnalyst::create({.pedantic = true}).value();
  const std::unique_ptr<report::CudaReport> report = analyst->inspect_cuda({{source, content(source)}}).value();
  report::confirm_with_ptx(*report, *analyst->analyse_ptx("bad.ptx", ptx->text).value());
  ASSERT_EQ(report->findings.size(), 1u) << join(report->notes, "\n");
  EXPECT_EQ(report->findings[0].id(), trim(content(folder(GetParam()) / "expected.txt")));
}

// One side of a pair, from its source and, when `compiles`, its PTX.
struct ZooSide {
  std::unique_ptr<report::CudaReport> cuda;
  std::unique_ptr<report::PtxReport> ptx;
  bool is_by_nvcc = false;

  ZooSide(const report::CodeAnalyst& analyst, const std::string& path) : cuda(analyst.inspect_cuda({{path, content(path)}}).value()) {}
  Result<> compile(const report::CodeAnalyst& analyst, const std::string& path) {
    TRY_ASSIGN(capture::CompiledPtx compiled, capture::compile_to_ptx(path, "", {}, capture::this_machine()));
    is_by_nvcc = compiled.compiler.starts_with("nvcc");
    ptx = analyst.analyse_ptx("k.ptx", std::move(compiled.text)).value();
    report::confirm_with_ptx(*cuda, *ptx);
    return {};
  }
  report::Implementation implementation(std::string label) const { return {std::move(label), "k.cu", cuda.get(), ptx.get(), nullptr}; }
};

const std::set<std::string> not_told_by_source_alone = {
    "04_register_pressure",  // how many registers the compiler needs is not in the source
    "12_narrow_loads",       // a finding that is neither grave nor sure makes no winner
};

void expect_answer(const ZooSide& bad, const ZooSide& good, report::Side expected) {
  static const knowledge::Knowledge knowledge = knowledge::Knowledge::load("").value();
  static const report::ComparisonKnowledge known = report::ComparisonKnowledge::load(knowledge).value();
  const report::ImplementationComparison there = report::compare(bad.implementation("bad"), good.implementation("good"), known);
  const report::ImplementationComparison back = report::compare(good.implementation("good"), bad.implementation("bad"), known);
  EXPECT_EQ(there.verdict.winner, expected);
  EXPECT_EQ(back.verdict.winner, expected == report::Side::second ? report::Side::first : expected);
  EXPECT_EQ(there.scores.first, back.scores.second);
  EXPECT_EQ(there.scores.second, back.scores.first);
  EXPECT_EQ(report::compare(bad.implementation("a"), bad.implementation("b"), known).verdict.winner, report::Side::neither);
  EXPECT_EQ(report::compare(good.implementation("a"), good.implementation("b"), known).verdict.winner, report::Side::neither);
}

TEST_P(CudaZoo, ComparedBySourceTheGoodOneWinsWhereTheSourceTells) {
  const std::unique_ptr<report::CodeAnalyst> analyst = report::CodeAnalyst::create({.pedantic = true}).value();
  const ZooSide bad(*analyst, folder(GetParam()) / "bad.cu"), good(*analyst, folder(GetParam()) / "good.cu");
  expect_answer(bad, good, not_told_by_source_alone.contains(GetParam()) ? report::Side::neither : report::Side::second);
}

TEST_P(CudaZoo, ComparedWithPtxTheGoodOneWins) {
  const std::unique_ptr<report::CodeAnalyst> analyst = report::CodeAnalyst::create({.pedantic = true}).value();
  ZooSide bad(*analyst, folder(GetParam()) / "bad.cu"), good(*analyst, folder(GetParam()) / "good.cu");
  for (auto& [side, file] : {std::pair(&bad, "bad.cu"), std::pair(&good, "good.cu")}) {
    if (const Result<> compiled = side->compile(*analyst, folder(GetParam()) / file); !compiled)
      GTEST_SKIP() << "no compiler here makes PTX of it: " << compiled.error().message;
  }
  if (GetParam() == "04_register_pressure" && !bad.is_by_nvcc)
    GTEST_SKIP() << "clang may leave the array in local memory, where it takes no registers";
  expect_answer(bad, good, report::Side::second);
}

INSTANTIATE_TEST_SUITE_P(Demos, CudaZoo, ::testing::ValuesIn(pairs()), [](const auto& one) { return "pair_" + one.param; });

TEST(CudaZoo, HasPairsForADozenRulesAndNamesThemAll) {
  std::set<std::string> rules;
  const std::string readme = content(repository() / "demos/cuda_zoo/README.md");
  for (const std::string& pair : pairs()) {
    const std::string rule(trim(content(folder(pair) / "expected.txt")));
    rules.insert(rule);
    EXPECT_NE(readme.find("[" + pair + "](" + pair + ") | `" + rule + "`"), readme.npos) << pair;
  }
  EXPECT_GE(rules.size(), 12u);
}

}  // namespace
}  // namespace frx::testing
