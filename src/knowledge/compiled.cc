#include "knowledge/compiled.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "knowledge/embedded.h"

namespace frx::knowledge {

std::span<const std::uint32_t> slots_of(const CompiledExpression& expression) {
  return compiled_data().slots.subspan(expression.slot, expression.slots);
}

std::optional<Expression> compiled_expression(const Value& text) {
  const std::span<const DocumentView> files = embedded_files();
  const DocumentView* const document = text.document();
  // Also of pointers into different arrays std::less has an order.
  if (std::less<>()(document, files.data()) || !std::less<>()(document, files.data() + files.size())) return std::nullopt;
  const CompiledData& data = compiled_data();
  const std::pair place(static_cast<std::uint32_t>(document - files.data()), text.index());
  const auto at =
      std::ranges::lower_bound(data.expressions, place, {}, [](const CompiledExpression& one) { return std::pair(one.file, one.node); });
  if (at == data.expressions.end() || std::pair(at->file, at->node) != place) return std::nullopt;
  const std::string_view written = at->characters == 0 ? text.text() : data.texts.substr(at->text, at->characters);
  return Expression({data.steps.subspan(at->step, at->steps), slots_of(*at), written, at->dimension, at->depth, at->is_truth});
}

Result<Expression> Expression::read(const Value& text, const Scope& scope) {
  if (const std::optional<Expression> compiled = compiled_expression(text)) return *compiled;
  return parse(text.text(), scope, text.where());
}

}  // namespace frx::knowledge
