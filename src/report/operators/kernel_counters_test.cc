#include "report/operators/kernel_counters.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "ingest/testing.h"

namespace frx::report {
namespace {

using ::testing::HasSubstr;

const knowledge::OperatorCounters& definitions() {
  static const knowledge::OperatorCounters counters =
      knowledge::load_operator_counters(knowledge::Library::builtin(), ingest::testing::catalogue()).value();
  return counters;
}

ManifestKernel measured_kernel(OperatorManifest& manifest, std::string_view name, std::int64_t ns) {
  ManifestKernel one;
  one.id = fmt::format("k_{:05}", manifest.kernels.size());
  one.name = manifest.names.add(name);
  one.start_ns = static_cast<std::int64_t>(1000 * manifest.kernels.size());
  one.duration_ns = ns;
  one.device = 0;
  one.grid = {1, 1, 1};
  one.block = {32, 1, 1};
  one.operators = {manifest.names.add("aten::mm")};
  return one;
}

OperatorManifest manifest_with(std::initializer_list<std::pair<std::string_view, std::int64_t>> kernels) {
  OperatorManifest manifest;
  for (const auto& [name, ns] : kernels) manifest.kernels.push_back(measured_kernel(manifest, name, ns));
  return manifest;
}

// Rows of "kernel;duration in ns;bytes read in KB;hit rate;sectors;registers".
model::Session counters_in(std::string_view rows) {
  std::string csv =
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\",\"dram__bytes_op_read.sum\","
      "\"lts__t_sector_hit_rate.pct\",\"lts__t_sectors.sum\",\"launch__registers_per_thread\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"ns\",\"Kbyte\",\"%\",\"sector\",\"register/thread\"\n";
  int id = 0;
  for (const std::string_view row : split(rows, '\n')) {
    csv += fmt::format("\"{}\"", id++);
    std::size_t column = 0;
    for (const std::string_view field : split(row, ';')) {
      csv += fmt::format(",\"{}\"", field);
      if (column++ == 0) csv += ",\"(32, 1, 1)\",\"(1, 1, 1)\",\"0\",\"8.0\"";
    }
    csv += "\n";
  }
  const std::unique_ptr<ByteSource> bytes = open_bytes(csv);
  return ingest::read_profile("counters.csv", *bytes, ingest::testing::catalogue(), {}, ingest::Keep::every_launch).value();
}

JoinedCounters joined(const OperatorManifest& manifest, std::string_view rows, const LayerPartition& layers = {}) {
  return join_counters(manifest, counters_in(rows), ingest::testing::catalogue(), layers).value();
}

std::optional<double> member_of(const OperatorAggregate& aggregate, std::string_view member) {
  const auto& all = definitions().counters;
  const auto at = std::ranges::find(all, member, &knowledge::OperatorCounter::member);
  return aggregate.values.at(static_cast<std::size_t>(at - all.begin()));
}

TEST(KernelCounters, EachKernelHasItsRowWithTheNamesOfTheFile) {
  const OperatorManifest manifest = manifest_with({{"a", 100}, {"b", 200}});
  const JoinedCounters counters = joined(manifest, "a;110;4;50;10;32\nb;190;8;90;30;40");
  ASSERT_EQ(counters.kernels.size(), 2u);
  EXPECT_EQ(counters.kernels[1].launch, 1u);
  EXPECT_THAT(counters.names, ::testing::Contains("dram__bytes_op_read.sum"));
  EXPECT_EQ(counters.covered_pct, 100);
  EXPECT_TRUE(counters.notes.empty());
}

TEST(KernelCounters, SumsMeansAndMaxima) {
  const OperatorManifest manifest = manifest_with({{"a", 100}, {"b", 300}});
  const JoinedCounters counters = joined(manifest, "a;110;4;50;10;32\nb;290;8;90;30;40");
  const OperatorAggregate aggregate = aggregate_of(manifest, {0, 1}, counters, definitions());
  EXPECT_EQ(member_of(aggregate, "total_dram_bytes_read"), 12'000) << "in bytes";
  EXPECT_EQ(member_of(aggregate, "l2_hit_rate"), (50 * 10 + 90 * 30) / 40.0) << "by accesses, not by time";
  EXPECT_EQ(member_of(aggregate, "registers_per_thread"), 40);
  EXPECT_EQ(member_of(aggregate, "achieved_occupancy"), std::nullopt) << "what was not measured is not zero";
}

TEST(KernelCounters, ACounterThatIsNotAvailableIsAbsent) {
  const OperatorManifest manifest = manifest_with({{"a", 100}, {"b", 300}});
  const JoinedCounters counters = joined(manifest, "a;110;n/a;50;n/a;32\nb;290;8;90;30;40");
  const OperatorAggregate aggregate = aggregate_of(manifest, {0, 1}, counters, definitions());
  EXPECT_EQ(member_of(aggregate, "total_dram_bytes_read"), 8'000);
  EXPECT_EQ(member_of(aggregate, "l2_hit_rate"), (50 * 100 + 90 * 300) / 400.0) << "by time, for one has no accesses";
}

TEST(KernelCounters, APartDoesNotPassForTheWhole) {
  const OperatorManifest manifest = manifest_with({{"a", 100}, {"b", 300}});
  const JoinedCounters counters = joined(manifest, "b;290;8;90;30;40");
  EXPECT_EQ(counters.covered_pct, 75);
  ASSERT_EQ(counters.notes.size(), 2u);
  EXPECT_THAT(counters.notes[0], HasSubstr("75.0 % of kernel time"));
  EXPECT_THAT(counters.notes[1], HasSubstr("1 kernel without counters: no launch of that name"));
  EXPECT_EQ(member_of(aggregate_of(manifest, {0, 1}, counters, definitions()), "total_dram_bytes_read"), std::nullopt);
  EXPECT_EQ(member_of(aggregate_of(manifest, {1}, counters, definitions()), "total_dram_bytes_read"), 8'000);
}

TEST(KernelCounters, OddDurationsAreTold) {
  const JoinedCounters counters = joined(manifest_with({{"a", 100}, {"b", 300}}), "a;600;4;50;10;32\nb;290;8;90;30;40");
  ASSERT_EQ(counters.notes.size(), 1u);
  EXPECT_THAT(counters.notes[0], HasSubstr("1 of 2 kernels took less than 0.3 or more than 5 times as long"));
}

OperatorManifest two_layers(std::int64_t second_ns) {
  OperatorManifest manifest = manifest_with({{"a", 100}, {"b", 200}, {"a", 104}, {"b", second_ns}});
  for (std::uint32_t i = 0; i < 4; ++i) manifest.kernels[i].layer = manifest.names.add(i < 2 ? "block.0" : "block.1");
  return manifest;
}

TEST(KernelCounters, LayersThatDoTheSameShareWhatWasMeasured) {
  const JoinedCounters counters = joined(two_layers(202), "a;110;4;50;10;32\nb;190;8;90;30;40", {{"block.1", "block.0"}});
  EXPECT_FALSE(counters.kernels[1].is_inferred);
  EXPECT_TRUE(counters.kernels[3].is_inferred);
  EXPECT_EQ(counters.kernels[3].launch, 1u);
  EXPECT_EQ(counters.covered_pct, 100);
}

TEST(KernelCounters, UnlessTheirDurationsSayOtherwise) {
  const JoinedCounters counters = joined(two_layers(300), "a;110;4;50;10;32\nb;190;8;90;30;40", {{"block.1", "block.0"}});
  EXPECT_TRUE(counters.kernels[2].is_inferred);
  EXPECT_FALSE(counters.kernels[3].is_known());
}

TEST(KernelCounters, WhatWasMeasuredStaysItsOwn) {
  const JoinedCounters counters =
      joined(two_layers(202), "a;110;4;50;10;32\nb;190;8;90;30;40\na;100;4;50;10;32\nb;190;9;90;30;40", {{"block.1", "block.0"}});
  EXPECT_EQ(counters.kernels[3].launch, 3u);
  EXPECT_FALSE(counters.kernels[3].is_inferred);
}

TEST(KernelCounters, APartitionOfAnotherKindIsNamed) {
  EXPECT_THAT(to_string(read_layer_partition("p.json", "[]").error()), HasSubstr("p.json: expected duplicate layers"));
  EXPECT_THAT(to_string(read_layer_partition("p.json", R"({"a": 1})").error()), HasSubstr("as a"));
  EXPECT_EQ(read_layer_partition("p.json", R"({"b": "a"})")->at("b"), "a");
}

}  // namespace
}  // namespace frx::report
