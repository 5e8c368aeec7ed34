#include "knowledge/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

using ::testing::HasSubstr;

const Tuning& builtin_tuning() {
  static const Library library = Library::builtin();
  static const Tuning tuning = Tuning::load(library).value();
  return tuning;
}

// What is wrong with the data when `text` lies over the file; "" when nothing is.
std::string tuning_refusal(const std::string& file, const std::string& text) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  EXPECT_TRUE(write_file(folder.file(file), text));
  const Result<Library> library = Library::with_overrides(folder.path());
  if (!library) return to_string(library.error());
  const Result<Tuning> tuning = Tuning::load(*library);
  return tuning ? "" : to_string(tuning.error());
}

std::string family_with(const std::string& action, const std::string& tier = "safe") {
  return "id: more\norder: 9\ntitle: More\ntier: " + tier + "\nrisk: low\nexpected_benefit: b\nrollback: r\nactions:\n" + action;
}

std::string family_refusal(const std::string& action, const std::string& tier = "safe") {
  return tuning_refusal("tuning/families/more.yaml", family_with(action, tier));
}

const std::string plain = "  - {id: a, label: l, detail: d, variables: {V: \"1\"}}\n";

TEST(Tuning, HasTheDocumentedLimits) {
  const TuningLimits& limits = builtin_tuning().limits();
  EXPECT_DOUBLE_EQ(limits.min_speedup, 0.08);
  EXPECT_DOUBLE_EQ(limits.max_memory_ratio, 0.90);
  EXPECT_DOUBLE_EQ(limits.max_step_time_regression, 0.10);
  EXPECT_EQ(limits.fewest_steps, 3u);
  EXPECT_DOUBLE_EQ(limits.max_final_loss_regression, 0.05);
  EXPECT_DOUBLE_EQ(limits.max_loss_divergence, 0.50);
  EXPECT_DOUBLE_EQ(limits.output_abs_tolerance, 0.005);
  EXPECT_DOUBLE_EQ(limits.memory_headroom, 0.20);
}

TEST(Tuning, KnowsWhichFamiliesAreSafe) {
  std::vector<std::string> safe;
  for (const TuningFamily& family : builtin_tuning().families()) {
    if (family.tier == TuningTier::safe) safe.emplace_back(family.id);
  }
  EXPECT_THAT(safe, ::testing::ElementsAre("dataloader", "allocator"));
}

TEST(Tuning, KnowsGpusWithBfloat16ByTheirNames) {
  const Tuning& tuning = builtin_tuning();
  for (const char* name :
       {"NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 4090", "NVIDIA L4", "NVIDIA L40S", "NVIDIA B200"})
    EXPECT_TRUE(tuning.has_bf16(name)) << name;
  for (const char* name : {"Tesla T4", "Tesla V100-SXM2-16GB", "NVIDIA GeForce RTX 2080 Ti", ""})
    EXPECT_FALSE(tuning.has_bf16(name)) << name;
}

TEST(Tuning, FindsAFocusByWhatPeopleCallIt) {
  const Tuning& tuning = builtin_tuning();
  EXPECT_EQ(tuning.focus_with_label("Input-Pipeline Bound")->id, "input_bound");
  EXPECT_EQ(tuning.focus_with_label("kernel_launch_bound")->id, "launch_bound");
  EXPECT_EQ(tuning.focus_with_label("memory_pressure")->id, "memory_pressure");
  EXPECT_EQ(tuning.focus_with_label("sync_bound"), nullptr);
}

TEST(Tuning, TakesMoreFamilies) {
  EXPECT_EQ(family_refusal(plain), "");
  EXPECT_EQ(family_refusal("  - id: a{n}\n    label: l\n    detail: d\n    for: {n: [\"1\", \"2\"]}\n    variables: {V: \"{n}\"}\n"), "");
}

TEST(Tuning, RefusesFamiliesThatItDoesNotUnderstand) {
  EXPECT_THAT(family_refusal(plain, "cheap"), HasSubstr("data/tuning/families/more.yaml:4: 'cheap' is no tier"));
  EXPECT_THAT(family_refusal("  - {id: a, label: l, detail: d}\n"), HasSubstr("more.yaml:9: expected an action with variables"));
  EXPECT_THAT(family_refusal("  - {id: \"a{n}\", label: l, detail: d, variables: {V: \"1\"}}\n"),
              HasSubstr("'{n}' is no word of this action"));
  EXPECT_THAT(family_refusal("  - {id: a, label: l, detail: d, variables: {V: \"1\"}, combine: false}\n"),
              HasSubstr("more.yaml:9: an action has no member 'combine'"));
  EXPECT_THAT(family_refusal(plain + "need: [cuda]\n"), HasSubstr("more.yaml:10: a family has no member 'need'"));
  EXPECT_THAT(family_refusal("  - {id: a, label: l, detail: d, variables: {V: \"1\"}, risk: none}\n"), HasSubstr("'none' is no risk"));
  EXPECT_THAT(family_refusal("  - {id: a, label: l, detail: d, variables: {V: \"1\"}, only_with: [tpu]}\n"),
              HasSubstr("'tpu' is no need of an action"));
  EXPECT_THAT(family_refusal("  - {id: a, label: l, detail: d, variables: {V: \"{n}\"}, for: {n: [many]}, at_most_cpus: n}\n"),
              HasSubstr("expected numbers for 'n', found 'many'"));
  EXPECT_THAT(family_refusal("  - {id: a, label: l, detail: d, variables: {V: \"1\"}, for: {n: [{n: \"1\"}, {m: \"2\"}]}}\n"),
              HasSubstr("expected the same words in each value of 'n'"));
  EXPECT_THAT(tuning_refusal("tuning/families/more.yaml",
                             "id: dataloader\norder: 9\ntitle: t\ntier: safe\nexpected_benefit: b\nrollback: r\nactions:\n" + plain),
              HasSubstr("there is a family 'dataloader' already"));
}

TEST(Tuning, RefusesLimitsOutOfTheirRange) {
  EXPECT_THAT(tuning_refusal("tuning/limits.yaml", "guards:\n  min_speedup: -1\n"),
              HasSubstr("data/tuning/limits.yaml:2: expected min_speedup as a number from 0 to 100"));
  EXPECT_THAT(tuning_refusal("tuning/limits.yaml",
                             "guards: {min_speedup: 0.1, max_memory_ratio: 0.9, max_step_time_regression: 0.1, fewest_steps: 2.5}\n"),
              HasSubstr("expected fewest_steps as a whole number"));
}

TEST(Tuning, RefusesAFocusOfFamiliesThatThereAreNot) {
  const auto refusal = [](const std::string& stages) {
    return tuning_refusal("tuning/focus.yaml", "focuses:\n  - {id: none, says: s, labels: [], stages: [" + stages + "]}\n");
  };
  EXPECT_THAT(refusal("{family: fpga}"), HasSubstr("data/tuning/focus.yaml:2: 'fpga' is no family of actions"));
  EXPECT_THAT(refusal("{family: dataloader, only: {pinned: yes}}"), HasSubstr("'pinned' is no word of dataloader"));
  EXPECT_THAT(refusal(""), HasSubstr("expected a focus with stages"));
  EXPECT_THAT(refusal("{family: dataloader}"), HasSubstr("expected a focus 'other'"));
}

}  // namespace
}  // namespace frx::knowledge
