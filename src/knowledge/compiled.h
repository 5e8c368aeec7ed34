// Expressions of data/ that were read when frx was built, as constant arrays: how tools/compile_data.cc writes them.
//
// They are those that every analysis of counters asks for, formulas of metrics and conditions of labels. Of a library with overrides
// nothing is compiled: another unit of a metric changes what is read of a formula that mentions it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/document.h"
#include "knowledge/expression.h"

namespace frx::knowledge {

struct CompiledExpression {
  std::uint32_t file, node;        // where its text stands: index into embedded_files(), and of the node in that document
  std::uint32_t step, steps;       // of CompiledData::steps: the first, and how many
  std::uint32_t slot, slots;       // the same, of CompiledData::slots
  std::uint32_t text, characters;  // the same, of CompiledData::texts; 0 where the text is that of the node
  std::uint32_t depth;
  bool is_truth;
  Dimension dimension;
};

struct CompiledFormula {
  std::uint16_t metric;
  std::uint16_t number;      // which of its formulas
  std::uint32_t expression;  // index into CompiledData::expressions
};

struct CompiledData {
  std::span<const CompiledExpression> expressions;  // by file and node
  std::span<const Expression::Step> steps;
  std::span<const std::uint32_t> slots;
  std::string_view texts;
  std::span<const CompiledFormula> formulas;  // as MetricCatalogue::formulas_in_order()
};

// Empty in the tool that writes it.
const CompiledData& compiled_data();

std::span<const std::uint32_t> slots_of(const CompiledExpression& expression);
// nullopt where the text was not compiled.
std::optional<Expression> compiled_expression(const Value& text);

}  // namespace frx::knowledge
