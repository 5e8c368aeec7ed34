// What data/reconciliation names exists: every finding, label and card, under the name that its layer gives it.

#include <gtest/gtest.h>

#include <set>

#include "knowledge/code_labels.h"
#include "knowledge/code_rules.h"
#include "knowledge/layout_detectors.h"
#include "knowledge/reconciliation.h"
#include "knowledge/run_labels.h"
#include "report/evidence.h"
#include "report/expertise.h"

namespace frx {
namespace {

using model::Layer;
using Names = std::set<std::string, std::less<>>;

Names rules(const knowledge::Library& library, std::string_view kind) {
  Names names;
  const auto loaded = knowledge::CodeRules::load(library, kind);
  for (const auto& rule : loaded->all()) names.emplace(rule.id);
  return names;
}

Names names_of(Layer layer, const knowledge::Knowledge& known) {
  Names names;
  switch (layer) {
    case Layer::source: return rules(known.library, "cuda");
    case Layer::cubin: return rules(known.library, "cubin");
    case Layer::ptx: {
      names = rules(known.library, "ptx");
      const auto labels = knowledge::CodeLabels::load(known.library, "ptx");
      for (const auto& label : labels->all()) names.emplace(label.id);
      return names;
    }
    case Layer::ncu:
      for (const auto& label : known.labels.all()) names.emplace(label.id);
      return names;
    case Layer::profiler: {
      const auto labels = knowledge::RunLabels::load(known.library);
      for (const auto& label : labels->all()) names.emplace(label.id);
      names.emplace(report::layout_copies_sign);
      const auto layouts = knowledge::LayoutKnowledge::load(known.library);
      for (const auto& detector : layouts->detectors()) names.insert(fmt::format("layout_{}", detector.id));
      return names;
    }
  }
  return names;
}

// The reference's names did not match, so that confirmed findings stayed unreconciled, and two of its cards did not exist.
TEST(ReconciliationData, NamesWhatExists) {
  const auto expertise = report::Expertise::load("").value();
  const knowledge::Knowledge& known = expertise->knowledge();
  const auto diagnoses = knowledge::load_reconciliation(known.library, known.metrics);
  ASSERT_TRUE(diagnoses) << to_string(diagnoses.error());
  ASSERT_FALSE(diagnoses->empty());
  for (std::size_t i = 0; i < model::layer_count; ++i) {
    const Names names = names_of(static_cast<Layer>(i), known);
    for (const auto& diagnosis : *diagnoses) {
      for (const std::string_view sign : diagnosis.signs[i])
        EXPECT_TRUE(names.contains(sign)) << diagnosis.id << ": " << name_of(static_cast<Layer>(i)) << " has no " << sign;
      for (const std::string_view sign : diagnosis.symptoms[i])
        EXPECT_TRUE(names.contains(sign)) << diagnosis.id << ": " << name_of(static_cast<Layer>(i)) << " has no " << sign;
    }
  }
  for (const auto& diagnosis : *diagnoses) {
    for (const std::string_view card : diagnosis.recommendations)
      EXPECT_NE(expertise->catalogue().card(card), nullptr) << diagnosis.id << ": no card " << card;
  }
}

}  // namespace
}  // namespace frx
