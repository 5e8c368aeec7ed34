// Functions of the program that a kernel calls: which one is meant, and its body with the arguments of the call.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {
namespace {

// By its name: a file that others include.
bool is_header(const Source& source) {
  constexpr std::array<std::string_view, 7> compiled = {".cu", ".cuda", ".hip", ".cpp", ".cc", ".cxx", ".c"};
  const std::string_view name = source.name;
  return std::ranges::none_of(compiled, [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

// Of several functions of one name that take as many arguments, one of the file itself is meant, or else one of a header: files that are
// compiled by themselves often have a helper each under the same name.
std::uint32_t Walker::function_called(std::string_view name, std::size_t arguments) {
  enum Nearness : std::uint8_t { own_file, header, other_file, nowhere };
  std::uint64_t overloads = 0;
  std::uint32_t best = none;
  Nearness nearest = nowhere;
  std::size_t included = 0;  // fitting functions of headers that are only used: several are overloads, or other parts of a library
  for (std::uint32_t f = program_.first_device_function(name); f != none && nearest != own_file; f = program_.functions()[f].next) {
    if (++overloads % nodes_of_a_step == 0) ++steps_;
    const Function& callee = program_.functions()[f];
    if (callee.parameters.size() != arguments || program_.sources().is_released(callee.at.source)) continue;
    const Source& of = program_.sources().without_syntax(callee.at.source);
    const Nearness nearness = callee.at.source == source_ ? own_file : is_header(of) ? header : other_file;
    included += of.is_included;
    if (nearness >= nearest) continue;
    nearest = nearness;
    best = f;
  }
  const bool is_ambiguous =
      best != none && included > 1 && program_.sources().without_syntax(program_.functions()[best].at.source).is_included;
  return is_ambiguous && nearest != own_file ? none : best;
}

// Not into a function that is being followed, nor too deeply.
bool Walker::may_follow(std::uint32_t function) const {
  return !quiet_ && !is_deep() && std::ranges::none_of(frames_, [&](const Frame& frame) { return frame.function == function; });
}

std::optional<Value> Walker::eval_inlined(std::uint32_t function, const std::vector<Value>& arguments, std::uint32_t call) {
  if (function == none) return std::nullopt;
  if (!may_follow(function)) {
    note_order(OrderSite::unknown);
    return with(e_.opaque());
  }
  // A member function that another one calls works on the same object.
  const std::optional<Value> object = program_.functions()[function].record.empty() ? std::nullopt : frames_.back().object;
  return follow(function, arguments, call, object ? &*object : nullptr);
}

Value Walker::follow(std::uint32_t function, const std::vector<Value>& arguments, std::uint32_t call, const Value* object) {
  const Function& f = program_.functions()[function];
  if (std::ranges::find(trace_.functions, function) == trace_.functions.end()) trace_.functions.push_back(function);
  const std::vector<std::uint32_t> variables = variables_in(call);
  std::vector<std::pair<std::uint32_t, Value>> results;
  Value result;
  {
    const Scope scope(*this);
    const NodeRef caller = ref(call);
    const std::uint32_t outer = enter(f.at.source);
    const StandsFor use(*this, is_one_statement(source(), f.body) ? caller : NodeRef{});
    auto outer_breakables = std::exchange(breakables_, std::pmr::vector<Breakable>(&scratch_));
    frames_.push_back({.function = function,
                       .first_slot = slots_.size(),
                       .context = context_,
                       .result = {},
                       .result_when = e_.constant(1),
                       .outer_returned = returned_,
                       .outer_stays = stays_,
                       .record = class_of_function(source(), f),
                       .object = object ? std::optional(*object) : std::nullopt,
                       .gives_address = std::exchange(addressed_, NodeRef{}) == caller,
                       .call = caller});
    declare_template_parameters(function);
    const std::vector<Reference> references = declare_arguments(f.parameters, arguments, variables);
    walk(f.body);
    results = results_of(references, stays_ == frames_.back().outer_stays);
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    returned_ = frame.outer_returned;
    stays_ = frame.outer_stays;
    breakables_ = std::move(outer_breakables);
    enter(outer);
    result = frame.result.value_or(with(e_.opaque()));
  }
  for (const auto& [variable, value] : results) assign(variable, value);
  note_stores_by_reference(call, f, arguments);
  return result;
}

}  // namespace frx::derive::cuda
