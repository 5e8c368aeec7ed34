// The sources of values: special registers, parameters of the kernel, addresses of variables.
#include <algorithm>
#include <array>
#include <bit>

#include "derive/ptx/affine_transfer.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;

// The largest number of threads in a block, by axis.
constexpr std::array<std::int64_t, 3> most_threads = {1024, 1024, 64};

struct Source {
  std::string_view name;
  Atom::Kind kind;
};
constexpr std::array<Source, 4> sources = {
    {{"%tid.", Atom::thread}, {"%ntid.", Atom::block_size}, {"%ctaid.", Atom::block_index}, {"%nctaid.", Atom::grid_size}}};

}  // namespace

std::int64_t threads_allowed(const model::Limits& limits) {
  std::uint64_t threads = limits.max_threads[0] == 0 ? 1024 : 1;
  for (const std::uint32_t along : limits.max_threads) threads *= std::clamp(along, 1u, 1024u);
  return static_cast<std::int64_t>(std::min<std::uint64_t>(threads, 1024));
}

FormId Transfer::special(std::uint32_t number) {
  const model::Special& special = module_.specials[number];
  const std::string_view name = module_.names[special.name];
  for (const Source& source : sources) {
    if (!name.starts_with(source.name) || name.size() != source.name.size() + 1) continue;
    const char axis = name.back();
    if (axis == 'w') return 0;
    if (axis >= 'x' && axis <= 'z') return along(source.kind, static_cast<std::uint8_t>(axis - 'x'));
  }
  Atom atom;
  atom.name = number;
  atom.kind = name == "%laneid" ? Atom::lane : Atom::special;
  if (atom.kind == Atom::lane) {
    atom.nature = Nature::lanes;
    describe(atom, 0, 31);
  } else {
    atom.nature = special.variance == model::Variance::uniform ? Nature::uniform : Nature::unknown;
  }
  return atoms_.forms.of(atoms_.find_or_add(atom));
}

void Transfer::describe(Atom& atom, std::int64_t lo, std::int64_t hi) const {
  atom.is_bounded = true;
  atom.lo = lo;
  atom.hi = hi;
}

// %tid.x and similar registers. A kernel may declare how many threads its blocks have.
FormId Transfer::along(Atom::Kind kind, std::uint8_t axis) {
  const auto& required = function_.limits.required_threads;
  std::int64_t most = most_threads[axis];
  if (function_.limits.max_threads[0] > 0) most = std::min(most, threads_allowed(function_.limits));
  if (required[0] > 0) most = std::clamp<std::int64_t>(required[axis], 1, most_threads[axis]);
  if (required[0] > 0 && kind == Atom::block_size) return operations_.constant(most);
  Atom atom;
  atom.kind = kind;
  atom.axis = axis;
  atom.nature = kind == Atom::thread ? Nature::lanes : Nature::uniform;
  if (kind == Atom::thread) describe(atom, 0, most - 1);
  if (kind == Atom::block_size) describe(atom, 1, most);
  return atoms_.forms.of(atoms_.find_or_add(atom));
}

Vocabulary::Vocabulary(const model::Module& module) {
  for (const std::uint32_t global : module.globals) globals_.emplace(module.variables[global].name, global);
  meanings_.reserve(module.forms.size());
  for (const model::Form& form : module.forms) meanings_.push_back(meaning_of(form));
}

void Vocabulary::enter(const model::Module& module, const model::Function& function) {
  own_.clear();
  for (const model::Range range : {function.variables, function.parameters}) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) own_.emplace(module.variables[i].name, i);
  }
}

std::uint32_t Vocabulary::find(std::uint32_t name) const {
  if (const auto own = own_.find(name); own != own_.end()) return own->second;
  const auto global = globals_.find(name);
  return global == globals_.end() ? none : global->second;
}

// The address of a variable; a name without a variable may name a function.
FormId Transfer::variable(std::uint32_t name) {
  const std::uint32_t number = words_.find(name);
  if (number == none) return none;
  const model::Variable& found = module_.variables[number];
  Atom atom;
  atom.kind = Atom::variable;
  atom.name = number;
  atom.nature = Nature::uniform;
  const auto natural = static_cast<std::uint32_t>(std::max(1, model::bits_of(found.type) / 8));
  const std::uint32_t align = found.align != 0 ? found.align : natural;
  atom.align = std::has_single_bit(align) ? std::min(align, 256u) : 1;
  return atoms_.forms.of(atoms_.find_or_add(atom));
}

// ld.param.u64 %rd1, [name+8]; parameters of called functions and results of calls are unknown.
void Transfer::load_parameters() {
  const std::span<const Operand> target = operands_.empty() ? std::span<const Operand>{} : operands_[0];
  const std::span<const Operand> source = operands_.size() == 2 ? operands_[1] : std::span<const Operand>{};
  const bool is_plain = source.size() == 2 && source[0].kind == Operand::address && source[1].kind == Operand::symbol;
  const std::uint32_t number = is_plain ? words_.find(source[1].value) : none;
  const bool is_own = number != none && number >= function_.parameters.begin && number < function_.parameters.end &&
                      function_.kind == model::Function::entry;
  std::int64_t element = 0;
  for (const Operand& operand : target) {
    if (operand.kind != Operand::reg) continue;
    const std::uint32_t value = uses_.value_of(operand.value);
    write_register(value, is_own ? parameter(number, source[0].signed_value() + element * bits_ / 8) : opaque(value));
    ++element;
  }
}

FormId Transfer::parameter(std::uint32_t variable, std::int64_t offset) {
  if (bits_ == 0) return none;
  Atom atom;
  atom.kind = Atom::parameter;
  atom.name = variable;
  atom.offset = offset;
  atom.bits = static_cast<std::uint8_t>(bits_);
  atom.nature = Nature::uniform;
  atom.is_pointer = bits_ == 64 && offset == 0 && module_.variables[variable].is_pointer;
  if (bits_ < 32) describe(atom, is_signed_ ? -(1 << (bits_ - 1)) : 0, (1 << (bits_ - is_signed_)) - 1);
  return atoms_.forms.of(atoms_.find_or_add(atom));
}

}  // namespace frx::derive::ptx
