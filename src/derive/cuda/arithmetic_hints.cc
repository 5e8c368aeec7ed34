#include "derive/cuda/arithmetic_hints.h"

#include "derive/cuda/constant_powers.h"
#include "derive/cuda/declarations.h"
#include "derive/cuda/value_types.h"

namespace frx::derive::cuda {
namespace {

bool may_be_double(std::string_view number) {
  return number.find_first_of(".eE") != number.npos && !number.ends_with('f') && !number.ends_with('F');
}

// `#define HALF 0.5`, M_PI
bool may_be_double_constant(const Program& program, std::string_view name) {
  std::uint32_t where = 0;
  const model::cuda::Macro* const macro = program.macro(name, where);
  return macro ? may_be_double(macro->body) : name.starts_with("M_");
}

// By something else than a number.
bool divides(const Source& source, std::uint32_t node) {
  const std::string_view op = source.text_of(source.syntax.child(node, Role::op));
  const bool is_division = op == "/" || op == "%" || op == "/=" || op == "%=";
  return is_division && !source.syntax.is(source.syntax.child(node, Role::right), NodeKind::number);
}

}  // namespace

bool may_have_arithmetic_facts(const Program& program, const Function& function) {
  const Source& source = program.sources()[function.at.source];
  const auto& syntax = source.syntax;
  for (std::uint32_t n = function.body; n < syntax[function.body].last; ++n) {
    switch (syntax.kind(n)) {
      case NodeKind::number:
        if (may_be_double(source.text_of(n))) return true;
        break;
      case NodeKind::identifier:
        if (may_be_double_constant(program, source.text_of(n))) return true;
        break;
      case NodeKind::call: {  // pow(x, 2)
        const std::string_view name = source.text_of(name_in(source, syntax.child(n, Role::function)));
        if (may_give_double(name) || computes_power(name)) return true;
        break;
      }
      case NodeKind::binary:
      case NodeKind::assignment:
        if (divides(source, n)) return true;
        break;
      default: break;
    }
  }
  return false;
}

}  // namespace frx::derive::cuda
