// Real reports, read to the last byte and compared with two independent truths. The reports are not part of
// the repository (their licences vary); without them the tests are skipped and say so.

#include <gtest/gtest.h>

#include "corpus/ncu_labels.h"
#include "corpus/ncu_report_oracle.h"
#include "support/corpus.h"

namespace frx::corpus {
namespace {

TEST(NcuReports, AreReadToTheLastByteAndAgreeWithTheOracle) {
  FRX_NEEDS_CORPUS();
  const std::filesystem::path folder = *testing::corpus();
  const Oracle oracle = read_oracle(folder);
  Agreement launches, values, focus, quoted;
  std::size_t rows = 0;
  for (const auto& [file, lines] : oracle) rows += lines.size();
  for (const std::filesystem::path& path : report_files(folder)) {
    const Result<ReportCheck> check = check_report(path, oracle);
    ASSERT_TRUE(check) << path.filename() << ": " << to_string(check.error());
    EXPECT_EQ(check->oracle_launches.equal, check->oracle_launches.compared)
        << path.filename() << ": " << (check->differences.empty() ? "" : check->differences[0]);
    EXPECT_EQ(check->quoted.equal, check->quoted.compared)
        << path.filename() << ": " << (check->differences.empty() ? "" : check->differences[0]);
    EXPECT_EQ(check->summary.totals.unnamed_values, 0u) << path.filename();
    launches.compared += check->oracle_launches.compared;
    values.compared += check->oracle_values.compared;
    focus.compared += check->focus.compared;
    focus.equal += check->focus.equal;
    quoted.compared += check->quoted.compared;
  }
  // Every row of the oracle belongs to a launch that was read.
  EXPECT_EQ(launches.compared, rows);
  EXPECT_GT(values.compared, 4000u);
  EXPECT_GT(quoted.compared, 500u);
  // A rule about a difference names one of its two operands; those few are not equal by design.
  EXPECT_GT(focus.compared, 500u);
  EXPECT_GE(focus.equal * 100, focus.compared * 98);
}

// The same score as for CSV files. The rules were not fitted to these rows.
TEST(NcuReports, TheDiagnosisAgreesWithTheExperts) {
  FRX_NEEDS_CORPUS();
  const Score score = score_labels(*testing::corpus(), "ncurep/");
  EXPECT_EQ(score.refused, std::vector<std::string>());
  EXPECT_GE(score.sure, 81);
  EXPECT_GE(score.sure_accepted, 81);
  EXPECT_EQ(score.sure_forbidden, 0);
  EXPECT_GE(score.found, 45);
  EXPECT_GE(score.likely_accepted, 28);
}

const report::Kernel* exported_kernel(const report::NcuReport& report, const std::string& name) {
  for (const report::Kernel& kernel : report.kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

// The ladder of matrix products was profiled twice on the same machine: once into a CSV of five counters, once into a
// report. What both measured is the shape of the launches and their time.
TEST(NcuReports, AgreeWithTheCsvOfTheSameProgram) {
  FRX_NEEDS_CORPUS();
  const std::filesystem::path folder = *testing::corpus();
  const std::unique_ptr<report::Analyst> analyst = report::Analyst::create({}).value();
  const report::NcuReport* csv = analyst->analyse_file((folder / "ncu/csv_tall15_a10g_gemm_ladder_base_units.csv").string()).value();
  const report::NcuReport* rep = analyst->analyse_file((folder / "ncurep/esmm_a10g_ladder12.ncu-rep").string()).value();
  int both = 0;
  for (const report::Kernel& kernel : csv->kernels) {
    const report::Kernel* other = exported_kernel(*rep, kernel.name);
    if (!other) continue;
    ++both;
    EXPECT_EQ(kernel.launches, other->launches) << kernel.name;
    ASSERT_FALSE(kernel.shapes.empty());
    ASSERT_FALSE(other->shapes.empty());
    EXPECT_EQ(kernel.shapes[0].grid, other->shapes[0].grid) << kernel.name;
    EXPECT_EQ(kernel.shapes[0].block, other->shapes[0].block) << kernel.name;
    EXPECT_NEAR(*kernel.duration_us, *other->duration_us, 0.01 * *other->duration_us) << kernel.name;
    // Five counters do not decide; where they do, both must say the same.
    EXPECT_TRUE(kernel.primary == "insufficient_ncu_data" || kernel.primary == other->primary) << kernel.name;
  }
  EXPECT_EQ(both, 7);
}

}  // namespace
}  // namespace frx::corpus
