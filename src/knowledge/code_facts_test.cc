#include "knowledge/code_facts.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

using Id = model::CodeFactId;

const CodeFactCatalogue& facts() {
  static const Library library = Library::builtin();
  static const CodeFactCatalogue all = CodeFactCatalogue::load(library).value();
  return all;
}

TEST(CodeFactCatalogue, KnowsOfWhomAFactIsKnown) {
  EXPECT_EQ(facts().of("cuda_kernel", "sync_count"), Id::sync_count);
  EXPECT_EQ(facts().of("cuda_launch", "sync_count"), std::nullopt);
  EXPECT_EQ(facts().of("cuda_launch", "block_size"), Id::block_size);
  EXPECT_EQ(facts().of("cubin_kernel", "occupancy_pct"), Id::occupancy_pct);
  EXPECT_EQ(facts().of("cuda_occupancy", "occupancy_pct"), Id::occupancy_pct);
  EXPECT_EQ(facts().of("ptx_file", "max_registers"), Id::max_registers);
  EXPECT_EQ(facts().of("unknown", "sync_count"), std::nullopt);
}

TEST(CodeFactCatalogue, HasUnitsAndRanges) {
  const CodeFactDefinition& bytes = facts()[Id::max_shared_bytes];
  EXPECT_EQ(bytes.unit, *parse_unit("byte"));
  EXPECT_TRUE(bytes.is_whole);
  EXPECT_EQ(bytes.min, 0);
  EXPECT_EQ(facts()[Id::global_memory_ratio].max, 1);
  EXPECT_EQ(facts()[Id::has_sync].type, FactDefinition::truth);
  EXPECT_EQ(facts()[Id::access_text].type, FactDefinition::text);
}

TEST(CodeFactCatalogue, AsksNoConditionOfATextAndFillsItIntoWords) {
  const Scope scope = facts().scope_of("cuda_kernel");
  EXPECT_TRUE(scope("has_sync")->is_truth);
  EXPECT_FALSE(scope("access_text"));
  EXPECT_FALSE(scope("block_size"));
  EXPECT_TRUE(facts().check_words("{access_text} is {lane_distance}, {sync_count:barrier}", "cuda_kernel", "x.yaml:3"));
  const Result<> unknown = facts().check_words("of {sync_count} and {syncs}", "cuda_kernel", "x.yaml:3");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(to_string(unknown.error()), "x.yaml:3: a cuda_kernel has no fact 'syncs'");
}

TEST(CodeFactCatalogue, LooksUpWhatASubjectHas) {
  model::CodeSubject subject;
  subject.set(Id::sync_count, 3.0);
  subject.set(Id::has_sync, false);
  const Lookup lookup = lookup_in(subject);
  EXPECT_EQ(lookup(static_cast<std::uint32_t>(Id::sync_count)), 3);
  EXPECT_EQ(lookup(static_cast<std::uint32_t>(Id::has_sync)), 0);
  EXPECT_EQ(lookup(static_cast<std::uint32_t>(Id::has_loop)), std::nullopt);
}

// The error for this content of a file of facts.
std::string refusal_of_facts(const std::string& text) {
  const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
  EXPECT_TRUE(write_file(folder.file("facts/code/more.yaml"), text));
  const Library library = Library::with_overrides(folder.path()).value();
  const Result<CodeFactCatalogue> loaded = CodeFactCatalogue::load(library);
  return loaded ? std::string() : to_string(loaded.error());
}

TEST(CodeFactCatalogue, RefusesWhatIsNoFactWithFileAndLine) {
  EXPECT_EQ(refusal_of_facts("facts:\n  - {id: sync_count, is: count, of: [cuda_kernel], meaning: m}\n"), "");
  const std::string unknown = refusal_of_facts("facts:\n  - {id: sync_cuont, is: count, of: [cuda_kernel], meaning: m}\n");
  EXPECT_NE(unknown.find("data/facts/code/more.yaml:2"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("the nearest is 'sync_count'"), std::string::npos) << unknown;
  EXPECT_NE(refusal_of_facts("facts:\n  - {id: sync_count, is: number}\n").find("expected truth, text, count or share"), std::string::npos);
  EXPECT_NE(refusal_of_facts("facts:\n  - {id: sync_count, unit: bites}\n").find("unknown unit 'bites'"), std::string::npos);
  EXPECT_NE(refusal_of_facts("facts:\n  - {id: sync_count, of: [kernels]}\n").find("found 'kernels'"), std::string::npos);
}

}  // namespace
}  // namespace frx::knowledge
