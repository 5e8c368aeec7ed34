// Calls: launches, CUDA built-in functions, functions and macros of the program.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "derive/cuda/builtin_names.h"
#include "derive/cuda/size_names.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {
namespace {

constexpr std::string_view makes = "make_";  // make_float4(x, y, z, w)

// Functions that only compute, beside those of mathematics, in ascending order.
constexpr std::array<std::string_view, 19> pure_functions = {
    "__cvta_generic_to_shared",
    "assert",
    "char",
    "clamp",
    "clock",
    "clock64",
    "cudaGridDependencySynchronize",
    "cudaTriggerProgrammaticLaunchCompletion",
    "double",
    "forward",
    "int",
    "lerp",
    "max_value",
    "move",
    "numeric_limits",
    "printf",
    "saturate",
    "static_assert",
    "swap",
};
static_assert(std::ranges::is_sorted(pure_functions));

}  // namespace

// `callee`: the function that is called, if it is known. What it takes by reference, if that is a record, it works on where it lies.
std::vector<Value> Walker::eval_arguments(std::uint32_t node, std::uint32_t callee) {
  std::vector<Value> values;
  const std::uint32_t list = syntax().child(node, Role::arguments);
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    values.push_back(callee != none && takes_record_by_reference(callee, values.size()) ? eval_as_place(c) : eval(c));
  }
  return values;
}

Value Walker::eval_call(std::uint32_t node) {
  const std::uint32_t function = syntax().child(node, Role::function);
  if (const std::uint32_t config = syntax().child(node, NodeKind::kernel_call_syntax); config != none) {
    return eval_launch(node, config);
  }
  if (syntax().is(function, NodeKind::field_expression)) return eval_method(node, function);
  const std::uint32_t name_node = name_in(source(), function);
  if (name_node == none) {  // `float(x)`, `f(a)(b)`
    const std::vector<Value> arguments = eval_arguments(node);
    if (syntax().is(function, NodeKind::primitive_type)) return arguments.size() == 1 ? arguments[0] : with(e_.opaque());
    eval(function);
    return unknown_call(arguments);
  }
  const std::string_view name = text(name_node);
  if (const auto known = eval_known(name, node, function)) return *known;
  if (const auto part = eval_part_of_complex(name, node)) return *part;
  if (const auto rounded = eval_ceil(name, node)) return *rounded;
  const std::optional<std::uint32_t> variable = slot_named(name);
  const std::uint32_t callee = function_called(name, count_of_arguments(syntax(), node));
  const std::vector<Value> arguments = eval_arguments(node, !variable && callee != none && may_follow(callee) ? callee : none);
  if (variable) {
    if (const auto element = eval_image_element(slots_[*variable].value, arguments, node)) return *element;
    if (const auto value = eval_lambda(*variable, arguments, node)) return *value;
    if (const auto value = eval_member_function(slots_[*variable].value, "operator()", arguments, node)) return *value;
  }
  note_launch_by_call(node, arguments, none);
  if (const auto value = eval_synchronization(name, arguments, node)) return *value;
  if (const auto value = eval_group_call(name, arguments, function, node)) return *value;
  if (const auto value = eval_memory_call(name, arguments, node)) return *value;
  if (const auto value = eval_arithmetic_call(name, arguments, callee)) {
    forget_pointed(node);  // sincosf(x, &s, &c)
    return *value;
  }
  if (auto value = eval_inlined(callee, arguments, node)) {
    forget_pointed(node);
    // The constructor of an object that carries a grid and a block.
    if (value->config == none) value->config = config_of(arguments, syntax().child(node, Role::arguments));
    return *value;
  }
  if (const auto value = eval_macro(name, arguments)) return *value;
  if (const auto value = eval_index_of_blas(name, arguments)) return *value;
  forget_pointed(node);
  // A variable that is called is an object, or a lambda that was followed where it was defined.
  if (variable) {
    note_order(OrderSite::unknown);
    note_stores_of_elements(node);
    return with(e_.opaque());
  }
  constexpr auto differs = Uses::index | Uses::varying | Uses::loaded | Uses::opaque;
  const auto is_size = [&](const Value& v) { return v.kind == Value::number && !e_.uses(v.expr, differs); };
  if (is_kernel_ && !arguments.empty() && std::ranges::all_of(arguments, is_size) && makes_size(name)) return with(e_.fresh(Op::uniform));
  Value made = unknown_call(arguments);
  made.config = config_of(arguments, syntax().child(node, Role::arguments));
  return made;
}

// Casts, dim3(...) and similar calls, whose arguments are more than values.
std::optional<Value> Walker::eval_known(std::string_view name, std::uint32_t node, std::uint32_t function) {
  if (name == "dim3") return triple_of(syntax().child(node, Role::arguments));
  const bool makes_vector = name.starts_with(makes) && !program_.struct_named(name.substr(makes.size()));
  if (makes_vector && syntax().child(node, Role::arguments) != none && function_called(name, count_of_arguments(syntax(), node)) == none) {
    if (const auto made = record_in_list(name.substr(makes.size()), syntax().child(node, Role::arguments))) return *made;
  }
  if (!name.ends_with("_cast") || !syntax().is(function, NodeKind::template_function)) return std::nullopt;
  const std::vector<Value> arguments = eval_arguments(node);
  if (arguments.size() != 1) return with(e_.opaque());
  const std::uint32_t list = syntax().child(function, Role::arguments);
  const std::uint32_t type = list == none ? none : syntax().child(list, NodeKind::type_descriptor);
  const std::uint32_t declarator = type == none ? none : syntax().child(type, Role::declarator);
  const Value& value = arguments[0];
  if (type == none || value.kind != Value::pointer) return value;
  if (text(declarator).starts_with('&')) return retyped(value, text(syntax().child(type, Role::type)), 1);
  return declarator == none ? value : retyped(value, text(syntax().child(type, Role::type)), text(declarator).starts_with("**") ? 2 : 1);
}

std::uint32_t Walker::first_argument(std::uint32_t call) const {
  const std::uint32_t list = syntax().child(call, Role::arguments);
  std::uint32_t argument = list == none ? none : syntax().first_child(list);
  while (argument != none && syntax().is(argument, NodeKind::token)) argument = syntax().next_sibling(argument);
  return argument;
}

// atomicAdd(p, 0) and atomicAdd(p, 0.0f) only read.
bool Walker::ends_with_zero(std::uint32_t call) const {
  std::uint32_t last = none;
  for (std::uint32_t n = first_argument(call); n != none; n = syntax().next_sibling(n)) {
    if (!syntax().is(n, NodeKind::token)) last = n;
  }
  return last != none && syntax().is(last, NodeKind::number) && text(last).find_first_not_of("0.fFuUlL") == std::string_view::npos;
}

// cuCrealf(p[i]) loads p[i].x only: what is not used is not loaded.
std::optional<Value> Walker::eval_part_of_complex(std::string_view name, std::uint32_t node) {
  const bool is_real = name == "cuCrealf" || name == "cuCreal";
  if (!is_real && name != "cuCimagf" && name != "cuCimag") return std::nullopt;
  const std::uint32_t argument = first_argument(node);
  if (argument == none || !is_memory(argument)) return std::nullopt;
  Value address = address_of(argument);
  const TypeInfo type = program_.type(address.type);
  if (address.kind != Value::pointer || type.parts != 2) return with(e_.varying());
  address.bytes = type.bytes / 2;
  if (!is_real) address.expr = e_.binary(Op::add, address.expr, e_.constant(address.bytes));
  address.type = "";
  return loaded(address, argument);
}

Value Walker::eval_launch(std::uint32_t node, std::uint32_t config) {
  LaunchSite site;
  site.at = ref(node);
  site.loop = loop_;
  std::size_t i = 0;
  for (std::uint32_t c = syntax().first_child(config); c != none; c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    const Value value = syntax().is(c, NodeKind::initializer_list) ? triple_of(c) : eval(c);
    if (i == 0) site.grid = extents_of(value);
    if (i == 0) site.rounding = rounding_of(value);
    if (i == 0) site.blocks = value.expr;
    if (i == 1) site.block = extents_of(value);
    if (i == 1) site.least_block = least_of(value);
    if (i == 1) site.size_of_block = size_of_block(value, c);
    if (i == 2 && value.kind == Value::number) site.shared = e_.constant_of(value.expr);
    ++i;
  }
  for (const Value& argument : eval_arguments(node)) site.arguments.push_back(constant_of(argument));
  site.template_arguments = template_arguments(syntax().child(node, Role::function));
  if (!quiet_) trace_.launches.push_back(std::move(site));
  return with(e_.opaque());
}

// Of a call of a member function: boxes[i].centre() works on the object where it lies.
Value Walker::eval_object(std::uint32_t call, std::uint32_t function, std::string_view method) {
  const std::uint32_t object = syntax().child(function, Role::argument);
  if (text(syntax().child(function, Role::op)) == "->" || !is_memory(object)) return eval(object);
  const Value address = address_of(object);
  if (is_partial(address) || address.is_member_array || method_called(address, method, count_of_arguments(syntax(), call)) != none)
    return address;
  return loaded(address, object);
}

Value Walker::eval_method(std::uint32_t node, std::uint32_t function) {
  const std::uint32_t name_node = name_in(source(), function);
  const std::string_view name = name_node == none ? "" : text(name_node);
  const Value object = eval_object(node, function, name);
  const std::uint32_t method = method_called(object, name, count_of_arguments(syntax(), node));
  const std::vector<Value> arguments = eval_arguments(node, method != none && may_follow(method) ? method : none);
  if (object.kind != Value::group) {
    note_block_collective(syntax().child(function, Role::argument), node);
    note_launch_by_call(node, arguments, object.config);
    if (name == "sync" || name.ends_with("wait") || name == "arrive_and_wait") note_unknown_order();
    // The array behind an object that stands for shared memory.
    const bool is_shared = object.kind == Value::pointer && object.memory != none && trace_.memories[object.memory].is_dynamic;
    if (is_shared && arguments.empty()) return object;
    if (const auto of_tensor = eval_tensor_method(object, name, arguments)) return *of_tensor;
    const auto value = eval_member_function(object, name, arguments, node);
    if (object.kind == Value::triple) forget_changed_by(syntax().child(function, Role::argument), value ? method : none);
    if (value) return *value;
    // An object of an unknown class that the launch passes.
    const bool is_parameter = object.kind == Value::number && e_[object.expr].op == Op::uniform;
    const auto is_constant = [&](const Value& v) { return constant_of(v).has_value(); };
    if (is_kernel_ && is_parameter && is_size_method(name) && std::ranges::all_of(arguments, is_constant)) {
      const auto [at, is_new] = members_.try_emplace({object.expr, text(node)}, 0);
      if (is_new) add_size(at->second = e_.fresh(Op::uniform), name);
      return with(at->second);
    }
    std::vector<Value> all = arguments;
    all.push_back(object);
    return unknown_call(all);
  }
  return eval_group_method(object, name, node);
}

// Functions of cuRAND for device code work on the state of one thread, but for those of MTGP32, which a block shares.
bool Walker::is_of_random_numbers(std::string_view name) {
  return (name.starts_with("curand") || name.starts_with("hiprand") || name.starts_with("rocrand")) && name.find("mtgp") == name.npos;
}

// curand(&states[i]) reads and writes the state where it lies, in pieces of two words, as nvcc moves them: the first one stands for all.
// States that are copied to a variable before lie in registers.
void Walker::note_random_state(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node) {
  if (arguments.size() != 1 || !name.starts_with("curand")) return;
  Value state = arguments[0];
  if (state.kind != Value::pointer || state.memory == none || state.levels != 1) return;
  const Memory& memory = trace_.memories[state.memory];
  const Struct* const record = program_.struct_named(memory.type);
  const bool is_state = record && record->is_of_library && !state.is_guess;
  if (memory.space != Space::global || !is_state || !e_.uses(state.expr, Uses::thread)) return;
  constexpr std::uint32_t two_words = 8;
  state.bytes = two_words;
  for (const Access::Kind kind : {Access::load, Access::store}) {
    const std::uint32_t access = note_access(state, node, kind);
    if (access != none) trace_.accesses[access].is_state = true;
  }
}

std::optional<Value> Walker::eval_memory_call(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node) {
  if (name.starts_with("atomic") && !arguments.empty()) {
    if (seen_atomics_.insert(name).second) trace_.atomics.push_back(name);
    const std::uint32_t access = note_access(arguments[0], node, Access::atomic);
    const std::uint32_t around = syntax()[node].parent;
    if (access != none) {
      trace_.accesses[access].is_asked =
          around != none && !syntax().is(around, NodeKind::expression_statement) && !text(around).starts_with("(void)");
      trace_.accesses[access].is_sum = (name == "atomicAdd" || name == "atomicSub") && !ends_with_zero(node);
    }
    if (access != none && arguments.size() == 2 && arguments[1].kind == Value::number) {
      constexpr auto of_thread = Uses::thread | Uses::varying;
      trace_.accesses[access].is_same =
          !e_.uses(arguments[1].expr, of_thread | Uses::iteration | Uses::opaque | Uses::loaded | Uses::floating);
      trace_.accesses[access].is_own = e_.uses(arguments[1].expr, of_thread) && !e_.uses(arguments[1].expr, Uses::opaque);
    }
    note_exchange(name, access, node);
    return with(e_.varying());
  }
  const bool is_of_heap = is_kernel_ && (name == "malloc" || name == "free") && arguments.size() == 1 && function_called(name, 1) == none;
  if (is_of_heap) return name == "malloc" ? heap_array(node, "") : Value{};
  if (is_of_random_numbers(name)) {
    for (const Value& argument : arguments) {
      const bool is_shared = argument.memory != none && trace_.memories[argument.memory].space == Space::shared;
      if (is_shared) trace_.memories[argument.memory].is_passed = true;
    }
    note_random_state(name, arguments, node);
    return with(e_.varying());
  }
  if (name.starts_with("__ld") && arguments.size() == 1) {
    return arguments[0].kind == Value::pointer ? loaded(arguments[0], node) : with(e_.opaque());
  }
  // tex2D<float>(image, x, y), tex1Dfetch(...): what is read at coordinates of a thread is its own.
  if (name.size() > 4 && name.starts_with("tex") && name[3] >= '1' && name[3] <= '3' && name[4] == 'D') {
    constexpr auto differs = Uses::thread | Uses::varying | Uses::loaded;
    const auto is_own = [&](const Value& argument) { return e_.uses(argument.expr, differs); };
    return with(std::ranges::any_of(arguments, is_own) ? e_.varying() : e_.fresh(Op::uniform));
  }
  if (name.starts_with("__st") && arguments.size() == 2) {
    note_access(arguments[0], node, Access::store);
    return Value{};
  }
  if ((name == "memcpy_async" || name == "__pipeline_memcpy_async") && arguments.size() >= 2) {
    const std::size_t first = arguments[0].kind == Value::group ? 1 : 0;
    note_access(arguments[first], node, Access::store);
    if (first == 0) note_access(arguments[1], node, Access::load);
    note_unknown_order();  // waiting for it may synchronise the block
    return Value{};
  }
  return std::nullopt;
}

// The 32 bits from the last to the first: neighbours change places, then pairs, and so on.
ExprId Walker::reversed_bits(ExprId bits) {
  const auto masked = [&](ExprId id, std::int64_t mask) { return e_.binary(Op::bit_and, id, e_.constant(mask)); };
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 5> swaps{
      {{1, 0x55555555}, {2, 0x33333333}, {4, 0x0F0F0F0F}, {8, 0x00FF00FF}, {16, 0x0000FFFF}}};
  for (const auto& [distance, mask] : swaps) {
    const ExprId by = e_.constant(distance);
    const ExprId down = masked(e_.binary(Op::shr, bits, by), mask), up = e_.binary(Op::shl, masked(bits, mask), by);
    bits = e_.binary(Op::bit_or, down, up);
  }
  return bits;
}

std::optional<Value> Walker::eval_arithmetic_call(std::string_view name, const std::vector<Value>& arguments, std::uint32_t callee) {
  static const std::unordered_map<std::string_view, Op> two = {{"min", Op::min},  {"max", Op::max},      {"umin", Op::min},
                                                               {"umax", Op::max}, {"__umul24", Op::mul}, {"__mul24", Op::mul},
                                                               {"IMIN", Op::min}, {"mini", Op::min},     {"maxi", Op::max}};
  if (const auto at = two.find(name); at != two.end() && arguments.size() == 2) return arithmetic(at->second, arguments[0], arguments[1]);
  if ((name == "fma" || name == "fmaf" || name.starts_with("__fma") || name == "__hfma" || name == "__hfma2") && arguments.size() == 3) {
    return arithmetic(Op::add, arithmetic(Op::mul, arguments[0], arguments[1]), arguments[2]);
  }
  if ((name == "abs" || name == "__half2float" || name == "__bfloat162float" || name == "float" || name == "half" ||
       name.starts_with("__float2") || name == "__int2float_rn") &&
      arguments.size() == 1) {
    return arguments[0];
  }
  if (callee != none) return std::nullopt;  // swap(), clamp() and __update() of the program itself
  if (name == "__brev" && arguments.size() == 1 && arguments[0].kind == Value::number) return with(reversed_bits(arguments[0].expr));
  const bool is_intrinsic = name.starts_with("__") && name != "__pipeline_wait_prior" && name != "__pipeline_commit";
  const bool makes_vector = name.starts_with(makes) && program_.type(name.substr(makes.size())).bytes != 0;
  const bool is_pure = is_intrinsic || makes_vector || is_of_mathematics(name) || std::ranges::binary_search(pure_functions, name);
  if (!is_pure) {
    if (name.starts_with("__pipeline")) return Value{};
    return std::nullopt;
  }
  ExprId all = e_.constant(0);
  for (const Value& argument : arguments) all = e_.binary(Op::add, all, argument.expr);
  return with(arguments.empty() ? e_.opaque() : mixture(all));
}

// What is computed of these parts in a way that is not followed.
ExprId Walker::mixture(ExprId parts) {
  if (e_.uses(parts, Uses::thread | Uses::varying)) return e_.varying();
  return e_.uses(parts, Uses::opaque) ? e_.opaque() : e_.fresh(Op::uniform);
}

// The macros that the documentation of cuBLAS defines, where a header that is not given holds them.
std::optional<Value> Walker::eval_index_of_blas(std::string_view name, const std::vector<Value>& arguments) {
  const bool from_one = name == "IDX2F";
  if ((!from_one && name != "IDX2C") || arguments.size() != 3) return std::nullopt;
  const auto index = [&](const Value& value) { return from_one ? arithmetic(Op::sub, value, number(1)) : value; };
  return arithmetic(Op::add, arithmetic(Op::mul, index(arguments[1]), arguments[2]), index(arguments[0]));
}

std::optional<Value> Walker::eval_macro(std::string_view name, const std::vector<Value>& arguments) {
  std::uint32_t where = 0;
  const model::cuda::Macro* macro = program_.macro(name, where);
  if (!macro || macro->value == none || macro->parameters.size() != arguments.size() || resolving_ > 16) return std::nullopt;
  const Scope scope(*this);
  for (std::size_t i = 0; i < arguments.size(); ++i) put_slot(macro->parameters[i], arguments[i]);
  const std::uint32_t outer = enter(where);
  ++resolving_;
  const Value value = eval(macro->value);
  --resolving_;
  enter(outer);
  return value;
}

Value Walker::unknown_call(const std::vector<Value>& arguments) {
  trace_.calls_unknown = true;
  note_unknown_order();
  for (const Value& argument : arguments) {
    if (argument.memory != none) trace_.memories[argument.memory].is_passed = true;
    if (argument.memory != none && trace_.memories[argument.memory].space == Space::shared) trace_.shared_escapes = true;
  }
  return kept(with(e_.opaque()));
}

namespace {

Trace traced(const Program& program, std::uint32_t function, std::uint64_t steps, const LaunchedWith& with, std::uint32_t last_node) {
  constexpr std::uint64_t most_steps = 1'000'000, steps_of_node = 4;
  const NodeRef at = program.functions()[function].at;
  const std::uint64_t own = program.sources()[at.source].syntax[at.node].last - at.node;
  Trace trace;
  Walker(program, trace, std::min(most_steps, steps + steps_of_node * own), last_node).run(function, with);
  return trace;
}

}  // namespace

Trace trace_kernel(const Program& program, std::uint32_t function, std::uint64_t steps, const LaunchedWith& with) {
  return traced(program, function, steps, with, none);
}

Trace trace_host(const Program& program, std::uint32_t function, std::uint64_t steps, std::uint32_t last_launch) {
  return traced(program, function, steps, {}, last_launch);
}

}  // namespace frx::derive::cuda
