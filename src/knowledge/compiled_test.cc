#include "knowledge/compiled.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "frx_generated/metric_ids.h"
#include "knowledge/labels.h"

namespace frx::knowledge {
namespace {

// Metrics and labels of one library.
struct Catalogues {
  Library library;
  MetricCatalogue metrics;
  LabelCatalogue labels;
};

Catalogues catalogues_of(Library library) {
  Catalogues all;
  all.library = std::move(library);
  all.metrics = MetricCatalogue::load(all.library).value();
  all.labels = LabelCatalogue::load(all.library, all.metrics, KernelClasses::load(all.library).value()).value();
  return all;
}

const Catalogues& compiled() {
  static const Catalogues all = catalogues_of(Library::builtin());
  return all;
}

// The same data, of which nothing is compiled since a file lies over it that no catalogue asks for.
const Catalogues& read() {
  static const Catalogues all = [] {
    const TemporaryDirectory folder = TemporaryDirectory::make(::testing::TempDir()).value();
    EXPECT_TRUE(write_file(folder.file("notes/mine.yaml"), "note: nothing\n"));
    return catalogues_of(Library::with_overrides(folder.path()).value());
  }();
  return all;
}

void expect_equal(const Expression& one, const Expression& other, std::string_view what) {
  EXPECT_EQ(one.text(), other.text()) << what;
  EXPECT_EQ(one.is_truth(), other.is_truth()) << what;
  EXPECT_EQ(one.dimension(), other.dimension()) << what;
  EXPECT_EQ(one.depth(), other.depth()) << what;
  EXPECT_TRUE(std::ranges::equal(one.slots(), other.slots())) << what;
  EXPECT_TRUE(std::ranges::equal(one.steps(), other.steps(), [](const Expression::Step& a, const Expression::Step& b) {
    return a.op == b.op && a.argument == b.argument && a.value == b.value;
  })) << what;
}

TEST(Compiled, ExpressionsAreWhatIsReadOfTheirTexts) {
  ASSERT_EQ(compiled().metrics.size(), read().metrics.size());
  std::size_t formulas = 0;
  for (std::uint16_t i = 0; i < metrics::count; ++i) {
    const model::Metric metric{i};
    const std::vector<Expression>& one = compiled().metrics.formulas_of(metric);
    const std::vector<Expression>& other = read().metrics.formulas_of(metric);
    ASSERT_EQ(one.size(), other.size()) << metrics::ids[i];
    for (std::size_t n = 0; n < one.size(); ++n) {
      EXPECT_TRUE(compiled_expression(compiled().metrics.formula_texts(metric).item(n))) << metrics::ids[i];
      expect_equal(one[n], other[n], metrics::ids[i]);
      ++formulas;
    }
  }
  EXPECT_EQ(formulas, compiled_data().formulas.size());
  ASSERT_EQ(compiled().labels.all().size(), read().labels.all().size());
  for (std::size_t i = 0; i < read().labels.all().size(); ++i) {
    const Label& one = compiled().labels.all()[i];
    const Label& other = read().labels.all()[i];
    expect_equal(one.when, other.when, one.id);
    expect_equal(one.score, other.score, one.id);
    expect_equal(one.time_at_stake, other.time_at_stake, one.id);
  }
}

TEST(Compiled, FormulasComeInTheSameOrder) {
  const auto one = compiled().metrics.formulas_in_order();
  const auto other = read().metrics.formulas_in_order();
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].metric, other[i].metric) << i;
    EXPECT_EQ(one[i].number, other[i].number) << i;
    EXPECT_TRUE(std::ranges::equal(one[i].slots, other[i].slots)) << i;
  }
}

TEST(Compiled, DefinitionsAreTheSameWhenTheyAreReadOneByOne) {
  for (std::uint16_t i = 0; i < metrics::count; ++i) {
    const MetricDefinition& one = compiled().metrics[model::Metric{i}];
    const MetricDefinition& other = read().metrics[model::Metric{i}];
    EXPECT_EQ(one.id, metrics::ids[i]);
    EXPECT_EQ(one.source.where(), other.source.where()) << one.id;
    EXPECT_EQ(one.family, other.family) << one.id;
    EXPECT_EQ(one.meaning, other.meaning) << one.id;
    EXPECT_EQ(one.unit, other.unit) << one.id;
    EXPECT_EQ(one.ncu, other.ncu) << one.id;
  }
}

TEST(Compiled, NothingOfALibraryWithOverridesIs) {
  for (const Value& root : read().library.folder("bottlenecks")) EXPECT_FALSE(compiled_expression(root["when"])) << root.where();
}

// A test reads what a user's run leaves out.
TEST(Compiled, EverythingEmbeddedIsValid) {
  const Result<MetricCatalogue> checked = MetricCatalogue::load_checked(Library::builtin());
  EXPECT_TRUE(checked) << to_string(checked.error());
}

}  // namespace
}  // namespace frx::knowledge
