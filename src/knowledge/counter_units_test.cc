#include "knowledge/counter_units.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/units.h"
#include "knowledge/metrics.h"

namespace frx::knowledge {
namespace {

const Library& library() {
  static const Library builtin = Library::builtin();
  return builtin;
}

std::string unit_of(std::string_view counter) {
  static const CounterUnits units = CounterUnits::load(library()).value();
  return units.of(counter).value_or("unknown");
}

TEST(CounterUnits, IsWhatTheCounterCounts) {
  EXPECT_EQ(unit_of("dram__bytes_read.sum"), "byte");
  EXPECT_EQ(unit_of("lts__t_sectors_srcunit_tex_op_read.avg"), "sector");
  EXPECT_EQ(unit_of("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), "request");
  EXPECT_EQ(unit_of("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), "inst");
  EXPECT_EQ(unit_of("sm__warps_launched.max"), "warp");
  EXPECT_EQ(unit_of("gpc__cycles_elapsed.max"), "cycle");
  EXPECT_EQ(unit_of("gpu__time_duration.sum"), "ns");
}

TEST(CounterUnits, DividesByTimeOrCycles) {
  EXPECT_EQ(unit_of("dram__bytes_read.sum.per_second"), "byte/s");
  EXPECT_EQ(unit_of("lts__t_sectors.sum.peak_sustained_elapsed.per_second"), "sector/s");
  EXPECT_EQ(unit_of("sm__inst_executed.avg.per_cycle_active"), "inst/cycle");
  EXPECT_EQ(unit_of("dram__bytes.sum.peak_sustained"), "byte/cycle");
  EXPECT_EQ(unit_of("sm__cycles_elapsed.avg.per_second"), "hz");
  EXPECT_EQ(unit_of("lts__lts2xbar_cycles_active.sum.peak_sustained"), "");
  EXPECT_EQ(unit_of("sm__warps_active.avg.per_cycle_active"), "warp");
}

TEST(CounterUnits, OfAPeakIsThatOfTheCounter) { EXPECT_EQ(unit_of("l1tex__t_bytes_pipe_lsu.sum.peak_sustained_elapsed"), "byte"); }

TEST(CounterUnits, OfASharePercentWhateverItIsAShareOf) {
  EXPECT_EQ(unit_of("dram__bytes.sum.pct_of_peak_sustained_elapsed"), "%");
  EXPECT_EQ(unit_of("lts__t_sector_hit_rate.pct"), "%");
  EXPECT_EQ(unit_of("fbpa__sol_pct"), "%");
  EXPECT_EQ(unit_of("l1tex__t_sector_pipe_lsu_hit_rate.ratio"), "");
  EXPECT_EQ(unit_of("derived__smsp__inst_executed_op_branch_pct"), "") << "a fraction, in spite of its name";
}

TEST(CounterUnits, OfARatioIsOneThingPerAnother) {
  EXPECT_EQ(unit_of("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"), "sector/request");
  EXPECT_EQ(unit_of("smsp__sass_average_data_bytes_per_sector_mem_local_op_ld.max_rate"), "byte/sector");
  EXPECT_EQ(unit_of("smsp__average_inst_executed_per_warp.ratio"), "inst/warp");
  EXPECT_EQ(unit_of("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"), "cycle");
}

TEST(CounterUnits, KnowsTheNamesOfOldVersions) {
  EXPECT_EQ(unit_of("dram__frequency"), "hz");
  EXPECT_EQ(unit_of("gpc__elapsed_cycles_max"), "cycle");
  EXPECT_EQ(unit_of("dram__read_bytes_per_sec"), "byte/s");
  EXPECT_EQ(unit_of("sm__inst_executed_avg_per_elapsed_cycle"), "inst/cycle");
  EXPECT_EQ(unit_of("memory_l2_theoretical_sectors_global"), "sector");
}

TEST(CounterUnits, LeavesAttributesAsTheDriverHasThem) {
  EXPECT_EQ(unit_of("device__attribute_clock_rate"), "");
  EXPECT_EQ(unit_of("device__attribute_total_memory"), "");
  EXPECT_EQ(unit_of("launch__stack_size"), "");
  EXPECT_EQ(unit_of("launch__shared_mem_per_block_driver"), "byte/block");
  EXPECT_EQ(unit_of("launch__shared_mem_config_size"), "byte");
}

TEST(CounterUnits, GuessesNothing) {
  for (const char* counter : {"", "dram", "sm__new_thing.sum", "sm__cycles_active.", "sm__cycles_active.sum.per_frame", "launch__new_size",
                              "smsp__average_new_bytes_per_inst.ratio", "gpu__dram_throughput.avg", "group:memory__dram_bytes",
                              "l1tex__data_pipe_lsu_wavefronts.sum.per_second"}) {
    EXPECT_EQ(unit_of(counter), "unknown") << counter;
  }
}

// The tool prints many counts and every attribute without a unit; a reader then takes the unit of the catalogue. That must not happen for
// anything the tool scales.
bool may_be_printed_without_unit(std::string_view counter, const Dimension& dimension) {
  const auto free_of = [&](Base base) { return dimension.exponents[static_cast<std::size_t>(base)] == 0; };
  return counter.starts_with("device__attribute_") || counter == "launch__stack_size" ||
         (free_of(Base::time) && free_of(Base::byte) && free_of(Base::percent));
}

TEST(CounterUnits, AgreesWithTheCatalogue) {
  const MetricCatalogue catalogue = MetricCatalogue::load(library()).value();
  std::size_t known = 0, all = 0;
  for (const MetricDefinition& metric : catalogue.all()) {
    for (const std::string_view counter : metric.ncu) {
      const std::string unit = unit_of(counter);
      ++all;
      if (unit == "unknown") continue;
      ++known;
      const Dimension found = parse_unit(unit)->dimension;
      EXPECT_TRUE(found == metric.unit.dimension || (unit.empty() && may_be_printed_without_unit(counter, metric.unit.dimension)))
          << counter << " is in '" << unit << "', " << metric.id << " in '" << metric.unit_text << "'";
    }
  }
  EXPECT_GT(known, all * 9 / 10);
  RecordProperty("known", static_cast<int>(known));
  RecordProperty("spellings", static_cast<int>(all));
}

TEST(CounterUnits, RefusesARuleWithFileAndLine) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  ASSERT_TRUE(write_file(folder.file("counters/units.yaml"), "names:\n  - { unit: furlong, of: [a__b.sum] }\n"));
  const Result<Library> library = Library::with_overrides(folder.path());
  ASSERT_TRUE(library);
  const Result<CounterUnits> units = CounterUnits::load(*library);
  ASSERT_FALSE(units);
  EXPECT_EQ(units.error().where, "data/counters/units.yaml:2");
}

}  // namespace
}  // namespace frx::knowledge
