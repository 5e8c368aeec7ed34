#include "analyse/analyse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analyse/analyzer.h"

namespace frx::analyse {
namespace {

using ingest::Source;
using ::testing::HasSubstr;

constexpr std::string_view kernel = "__global__ void copy(float* a, const float* b) { a[threadIdx.x * 32] = b[threadIdx.x * 32]; }\n";
constexpr std::string_view ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry copy() { ret; }\n";
constexpr std::string_view profile =
    "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"copy\",\"gpu__time_duration.sum\",\"us\",\"12.5\"\n";

std::vector<Source> sources(std::initializer_list<std::pair<const char*, std::string_view>> texts) {
  std::vector<Source> all;
  for (const auto& [name, text] : texts) all.push_back(Source::of(name, std::string(text)));
  return all;
}

// The id of the analyser that answers, or the message of the error.
std::string answered_by(std::vector<Source> given) {
  Context context{Options()};
  const Result<Analysis> analysis = analyse(std::move(given), context);
  return analysis ? std::string(analysis->analyzer) : analysis.error().message;
}

TEST(Analyse, ChoosesTheAnalyserByWhatWasGiven) {
  EXPECT_EQ(answered_by(sources({{"report.csv", profile}})), "profile");
  EXPECT_EQ(answered_by(sources({{"kernel", kernel}})), "code");
  EXPECT_EQ(answered_by(sources({{"kernel.cu", kernel}, {"kernel.cubin.ptx", ptx}})), "code");
  EXPECT_EQ(answered_by(sources({{"kernel.cu", kernel}, {"report.csv", profile}})), "layers");
}

TEST(Analyse, SaysWhatItDoesNotTakeTogether) {
  EXPECT_THAT(answered_by(sources({{"a.csv", profile}, {"b.csv", profile}})), HasSubstr("expected one profile, found 2 files"));
  EXPECT_THAT(answered_by(sources({{"log", "ptxas info    : Used 8 registers\n"}})), HasSubstr("a log of ptxas says nothing alone"));
}

TEST(Analyse, TakesALogOfPtxasBesideItsCode) {
  Context context{Options()};
  const Result<Analysis> analysis =
      analyse(sources({{"k.ptx", ptx},
                       {"log", "ptxas info    : Compiling entry function 'copy' for 'sm_90'\nptxas info    : Used 77 registers\n"}}),
              context);
  ASSERT_TRUE(analysis);
  const CodeReport* report = analysis->as<CodeReport>();
  ASSERT_EQ(report->units.size(), 1u);
  EXPECT_EQ(report->units[0].ptx->max_registers(), 77u);
}

TEST(Analyse, AUnitThatCannotBeReadDoesNotHideTheOthers) {
  Context context{Options()};
  std::vector<Source> given = sources({{"k.ptx", ptx}});
  given.push_back(Source::at("/no/such.cubin"));
  const Result<Analysis> analysis = analyse(std::move(given), context);
  ASSERT_TRUE(analysis);
  const CodeReport* report = analysis->as<CodeReport>();
  ASSERT_EQ(report->units.size(), 2u);
  EXPECT_FALSE(report->units[0].error);
  EXPECT_TRUE(report->units[1].error);
}

TEST(Analyse, StopsWhenItIsAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  Context context{Options{.stop = stop.get_token()}};
  const Result<Analysis> analysis = analyse(sources({{"report.csv", profile}}), context);
  ASSERT_FALSE(analysis);
  EXPECT_EQ(analysis.error().kind, ErrorKind::stopped);
}

TEST(Analyse, OfOneKindNamesWhatItFoundInstead) {
  Context context{Options()};
  const auto found = analyse_profile(input_of(Source::of("kernel", std::string(kernel)), context.knowledge().value()->metrics), context);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("expected an Nsight Compute profile, found CUDA source"));
  EXPECT_THAT(found.error().hint, HasSubstr("frx analyze"));
}

TEST(Analyzers, HaveNamesAndWordsOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const Analyzer* analyzer : analyzers()) {
    EXPECT_TRUE(ids.insert(analyzer->id).second) << analyzer->id;
    EXPECT_FALSE(analyzer->needs.empty()) << analyzer->id;
    EXPECT_FALSE(analyzer->gives.empty()) << analyzer->id;
  }
}

}  // namespace
}  // namespace frx::analyse
