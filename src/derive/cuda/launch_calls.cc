// Launches without <<<...>>>: calls with a kernel among their arguments, and the grid and the block in some argument.
//
//   cudaLaunchKernel((const void*)k, grid, block, arguments, bytes, stream);
//   config.gridDim = grid; config.blockDim = block; cudaLaunchKernelEx(&config, k, a, b);
//   Params params(grid, block, 0, stream); launch(k<float>, params, a, b);
//
// Of two extents in one list the first is the grid and the second the block; a number after them is the bytes of shared memory.
#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

std::optional<std::int64_t> Walker::constant_of(const Value& value) const {
  return value.kind == Value::number ? e_.constant_of(value.expr) : std::nullopt;
}

// The threads of the smaller block, where one condition chooses between two constant ones.
std::optional<std::int64_t> Walker::least_of(const Value& extent) const {
  constexpr std::int64_t most = 1024;
  std::vector<ExprId> parts{extent.expr};
  if (extent.kind == Value::triple) parts.insert(parts.end(), {extent.y, extent.z});
  std::int64_t yes = 1, no = 1;
  std::optional<ExprId> condition;
  for (const ExprId part : parts) {
    const Expr& x = e_[part];
    const bool is_choice = x.op == Op::select;
    if (is_choice && condition && *condition != x.a) return std::nullopt;
    if (is_choice) condition = x.a;
    const auto a = e_.constant_of(is_choice ? x.b : part), b = e_.constant_of(is_choice ? x.c : part);
    if (!a || !b || *a < 1 || *b < 1 || *a > most || *b > most) return std::nullopt;
    yes *= *a;
    no *= *b;
  }
  return condition ? std::optional(std::min(yes, no)) : std::nullopt;
}

// The size of <<<1, n>>> that the host is given, by its name neither a number of threads nor of a few things, and which it compares with
// nothing. Empty for other blocks.
std::string_view Walker::size_of_block(const Value& extent, std::uint32_t node) {
  constexpr std::array<std::string_view, 15> words{"thread", "block", "dim",  "tpb",  "tile",    "batch",  "channel", "head",
                                                   "class",  "warp",  "nblk", "rank", "partial", "expert", "world"};
  std::string_view name = name_of(extent.expr);
  if (name.empty() && syntax().is(node, NodeKind::field_expression) && e_[extent.expr].op == Op::uniform) name = text(node);  // graph.N
  const auto is_in_name = [name](std::string_view word) { return contains_ignoring_case(name, word); };
  if (name.empty() || std::ranges::any_of(words, is_in_name) || e_[extent.expr].sizes == 0) return {};
  const bool is_line =
      extent.kind == Value::number || (extent.kind == Value::triple && e_.constant_of(extent.y) == 1 && e_.constant_of(extent.z) == 1);
  return is_line && !is_compared(extent.expr) ? name : std::string_view();
}

// By the code before its first launch.
bool Walker::is_compared(ExprId size) {
  const auto [at, is_new] = compared_.try_emplace(size, false);
  for (ExprId id = 0; is_new && id < e_.size() && !at->second; ++id) {
    const Expr& x = e_[id];
    at->second = (x.op == Op::lt || x.op == Op::le) && (x.a == size || x.b == size);
  }
  return at->second;
}

// The constants between the brackets of `k<256, float>`; nothing for types.
std::vector<std::optional<std::int64_t>> Walker::template_arguments(std::uint32_t name) {
  std::vector<std::optional<std::int64_t>> values;
  for (std::uint32_t n = name; n != none && n < syntax()[name].last; ++n) {
    if (!syntax().is(n, NodeKind::template_arguments)) continue;
    for (std::uint32_t c = syntax().first_child(n); c != none; c = syntax().next_sibling(c)) {
      if (syntax().is(c, NodeKind::token)) continue;
      const std::uint32_t value = syntax().is(c, NodeKind::type_descriptor) ? syntax().child(c, Role::type) : c;
      values.push_back(constant_of(eval(value)));
    }
    break;
  }
  return values;
}

std::uint32_t Walker::called_name(std::uint32_t node) const {
  return syntax().is(node, NodeKind::call) ? name_in(source(), syntax().child(node, Role::function)) : none;
}

// The identifier of a kernel that is passed as an argument; casts, `&` and template arguments around it do not matter, nor does
// HIP_KERNEL_NAME(), which lets its name have commas.
std::uint32_t Walker::kernel_in(std::uint32_t list) {
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none; c = syntax().next_sibling(c)) {
    std::uint32_t at = c;
    for (int depth = 0; depth < 8 && at != none; ++depth) {
      if (syntax().is(at, NodeKind::cast)) {
        at = syntax().child(at, Role::value);
      } else if (syntax().is(at, NodeKind::pointer_expression)) {
        at = syntax().child(at, Role::argument);
      } else if (syntax().is(at, NodeKind::parenthesized)) {
        at = syntax().first_child(at);
      } else if (const std::uint32_t name = called_name(at); name != none && text(name) == "HIP_KERNEL_NAME") {
        return kernel_in(syntax().child(at, Role::arguments));
      } else {
        break;
      }
    }
    const std::uint32_t name = at == none || syntax().is(at, NodeKind::field_expression) ? none : name_in(source(), at);
    if (name != none && program_.is_kernel(text(name)) && !slot_named(text(name))) return name;
  }
  return none;
}

// Of dim3(4, 2), or of a number, which is one along x.
Walker::Extents Walker::extents_of(const Value& value) const {
  if (value.kind != Value::triple) return {e_.constant_of(value.expr), 1, 1};
  return {e_.constant_of(value.expr), e_.constant_of(value.y), e_.constant_of(value.z)};
}

void Walker::add_extent(Config& config, const Value& value, std::uint32_t node) {
  if (config.extents >= 2) return;
  auto& into = config.extents == 0 ? config.grid : config.block;
  if (config.extents == 1) config.least_block = least_of(value);
  if (config.extents == 0) config.rounding = rounding_of(value);
  if (config.extents == 0) config.blocks = value.expr;
  into = extents_of(value);
  config.nodes[config.extents++] = node;
}

// The argument after both extents is the size of the shared memory; in cudaLaunchKernel the kernel's arguments come between. Where the
// function is known, `extents_at` is the place of the grid, which may then be a number, as may the block behind it.
std::uint32_t Walker::config_of(const std::vector<Value>& arguments, std::uint32_t list, std::size_t between, std::size_t extents_at) {
  Config config;
  std::size_t i = 0, bytes_at = arguments.size();
  for (std::uint32_t c = list == none ? none : syntax().first_child(list); c != none && i < arguments.size();
       c = syntax().next_sibling(c)) {
    if (syntax().is(c, NodeKind::token)) continue;
    const Value& value = arguments[i++];
    const bool is_extent = i > extents_at && i <= extents_at + 2 && value.kind == Value::number;
    if (value.kind == Value::triple || is_extent) {
      add_extent(config, value, c);
      if (config.extents == 2) bytes_at = i + between;
    } else if (i == bytes_at + 1 && value.kind == Value::number) {
      config.shared = e_.constant_of(value.expr);
    }
  }
  if (config.extents != 2) return none;
  configs_.push_back(config);
  return static_cast<std::uint32_t>(configs_.size() - 1);
}

void Walker::note_launch_by_call(std::uint32_t node, const std::vector<Value>& arguments, std::uint32_t object_config) {
  const std::uint32_t list = syntax().child(node, Role::arguments);
  const std::uint32_t name = kernel_in(list);
  if (name == none || quiet_) return;
  const std::uint32_t function = name_in(source(), syntax().child(node, Role::function));
  const bool is_of_runtime = function != none && text(function).starts_with("cudaLaunch");
  // What follows the block in the call of an unknown function may be an argument of the kernel.
  const bool has_bytes = is_of_runtime || (function != none && text(function).starts_with("hipLaunchKernel"));
  const bool has_kernel_first = has_bytes && !text(function).ends_with("Ex") && !text(function).ends_with("ExC");
  std::uint32_t config = config_of(arguments, list, is_of_runtime ? 1 : 0, has_kernel_first ? 1 : unknown_place);
  if (config != none && !has_bytes) configs_[config].shared.reset();
  for (const Value& argument : arguments) {
    if (config == none) config = argument.config;
  }
  if (config == none) config = object_config;
  if (config == none || configs_[config].extents != 2) return;  // it may only query attributes
  LaunchSite site;
  site.at = ref(node);
  site.kernel_name = name;
  site.grid = configs_[config].grid;
  site.block = configs_[config].block;
  site.least_block = configs_[config].least_block;
  site.rounding = configs_[config].rounding;
  site.blocks = configs_[config].blocks;
  site.extents = configs_[config].nodes;
  site.shared = configs_[config].shared;
  trace_.launches.push_back(site);
}

// cudaLaunchConfig_t
void Walker::store_config_field(Value& object, std::string_view field, const Value& value, std::uint32_t node) {
  const bool is_grid = field == "gridDim", is_block = field == "blockDim";
  if (!is_grid && !is_block && field != "dynamicSmemBytes") return;
  if (object.config == none) {
    object.config = static_cast<std::uint32_t>(configs_.size());
    configs_.push_back({});
    configs_.back().shared = 0;
  }
  Config& config = configs_[object.config];
  if (!is_grid && !is_block) {
    config.shared = e_.constant_of(value.expr);
    return;
  }
  auto& into = is_grid ? config.grid : config.block;
  into = extents_of(value);
  config.nodes[is_grid ? 0 : 1] = node;
  config.extents = 2;
}

}  // namespace frx::derive::cuda
