#include "derive/ptx/access_lanes.h"

#include <algorithm>
#include <bit>

namespace frx::derive::ptx {
namespace {

constexpr std::uint32_t most_aligned = 1u << 20;
// cudaMalloc aligns to 256 bytes at least: CUDA C++ Programming Guide, "Device Memory Accesses".
constexpr std::uint32_t pointer_align = 256;

using Samples = std::array<std::int64_t, LaneValues::sample_count>;
// Sizes usually are multiples of 32; the others are an odd one, and the small strides that conflicts depend on.
constexpr Samples sizes = {1024, 1009, 1, 2, 4, 8, 16, 33};
constexpr Samples powers = {16, 1, 2, 4, 8, 32, 64, 128};

std::int64_t sampled(const Atom& atom, AtomId id, std::uint32_t sample) {
  switch (atom.kind) {
    case Atom::block_index: return 1 + sample;
    case Atom::iterations: return sample == 0 ? 1 : sample - 1;
    case Atom::grid_size: return 128;
    case Atom::variable: return 0;
    case Atom::special: return 1;
    default: break;
  }
  if (atom.is_pointer) return 0;
  // Each symbol gets an odd number of its own.
  return (atom.doubles ? powers : sizes)[sample] + (sample == 1 && !atom.doubles ? 2 * (id % 64) : 0);
}

std::uint32_t power_of_two_in(std::int64_t value) {
  return value == 0 ? most_aligned : 1u << std::min(20, std::countr_zero(static_cast<std::uint64_t>(value)));
}

void multiply(warp::LaneAddresses& product, const warp::LaneAddresses& by) {
  for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) product[lane] = wrapping_multiply(product[lane], by[lane]);
}

bool are_equal(const warp::LaneAddresses& lanes) {
  std::int64_t differences = 0;
  for (const std::int64_t lane : lanes) differences |= lane ^ lanes[0];
  return differences == 0;
}

}  // namespace

LaneValues::LaneValues(const ::frx::model::ptx::Function& function, const Addresses& addresses)
    : function_(function),
      addresses_(addresses),
      is_marked_(addresses.atoms.size(), false),
      slot_(addresses.atoms.size(), none),
      guards_(addresses.guards.size()) {
  for (const Address& address : addresses.all) {
    mark(address.form);
    mark(address.predicate);
  }
  for (const Guard& guard : addresses.guards) mark(guard.condition);
  // The arguments of a function have smaller ids than the function.
  for (AtomId id = addresses.atoms.size(); id-- > 0;) {
    if (!is_marked_[id]) continue;
    marked_.push_back(id);
    if (addresses.atoms[id].kind != Atom::function) continue;
    for (const FormId argument : addresses.atoms[id].arguments) mark(argument);
  }
  std::reverse(marked_.begin(), marked_.end());
  for (std::uint32_t i = 0; i < marked_.size(); ++i) slot_[marked_[i]] = i;
  values_.resize(marked_.size());
}

void LaneValues::mark(FormId form) {
  if (form == none || addresses_.atoms.nature(form) > Nature::lanes) return;
  for (const Term& term : addresses_.atoms.forms.terms(form)) {
    for (const AtomId id : addresses_.atoms.forms.atoms(term.monomial)) is_marked_[id] = true;
  }
}

void LaneValues::enter(const LaunchFacts& facts, std::uint32_t warp, std::uint32_t sample) {
  const std::uint64_t first = std::uint64_t{warp} * warp::lane_count, threads = facts.block.threads();
  auto x = static_cast<std::uint32_t>(first % facts.block.x), y = static_cast<std::uint32_t>(first / facts.block.x % facts.block.y),
       z = static_cast<std::uint32_t>(first / facts.block.x / facts.block.y);
  for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) {
    thread_[0][lane] = x;
    thread_[1][lane] = y;
    thread_[2][lane] = z;
    if (++x < facts.block.x) continue;
    x = 0;
    if (++y < facts.block.y) continue;
    y = 0;
    ++z;
  }
  const std::uint64_t left = threads > first ? threads - first : 0;
  existing_ = left >= warp::lane_count ? warp::all_lanes : (LaneMask{1} << left) - 1;
  for (const AtomId id : marked_) evaluate(id, facts, sample);
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    const Guard& guard = addresses_.guards[i];
    guards_[i] = both(guard.around == none ? Active{existing_} : guards_[guard.around], condition(guard.condition, guard.wanted));
  }
}

void LaneValues::evaluate(AtomId id, const LaunchFacts& facts, std::uint32_t sample) {
  const Atom& atom = addresses_.atoms[id];
  Value& value = values_[slot_[id]];
  if (atom.kind == Atom::function) return evaluate_function(atom, value);
  if (atom.kind == Atom::thread || atom.kind == Atom::lane) {
    value.known = value.follows_stride = true;
    for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) {
      value.lanes[lane] = atom.kind == Atom::lane ? lane : thread_[atom.axis][lane];
    }
    return;
  }
  const std::optional<std::int64_t> given = fact(atom, facts);
  value.known = given.has_value();
  value.follows_stride = value.known || (atom.kind == Atom::phi && atom.doubles);
  value.lanes.fill(given ? *given : sampled(atom, id, sample));
}

std::optional<std::int64_t> LaneValues::fact(const Atom& atom, const LaunchFacts& facts) const {
  const std::array<std::uint32_t, 3> block = {facts.block.x, facts.block.y, facts.block.z};
  switch (atom.kind) {
    case Atom::block_size: return block[atom.axis];
    case Atom::grid_size: return facts.grid[atom.axis];
    case Atom::block_index: return facts.block_index[atom.axis];
    case Atom::parameter:
      for (const LaunchFacts::Parameter& one : facts.parameters) {
        if (function_.parameters.begin + one.number == atom.name && one.offset == atom.offset) {
          return sign_extended(one.value, atom.bits);
        }
      }
      return std::nullopt;
    default: return std::nullopt;
  }
}

void LaneValues::evaluate_function(const Atom& atom, Value& value) {
  value.known = value.follows_stride = true;
  std::array<warp::LaneAddresses, 3> arguments;
  for (std::size_t i = 0; i < 3; ++i) {
    value.known = value.known && is_known(atom.arguments[i]);
    value.follows_stride = value.follows_stride && follows_stride(atom.arguments[i]);
    arguments[i] = numbers(atom.arguments[i]);
  }
  const auto result = [&](std::uint32_t lane) {
    return applied(atom.op, atom.bits, arguments[0][lane], arguments[1][lane], arguments[2][lane], atom.offset);
  };
  if (std::ranges::all_of(arguments, [](const warp::LaneAddresses& one) { return are_equal(one); })) return value.lanes.fill(result(0));
  for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) value.lanes[lane] = result(lane);
}

template <typename Holds>
bool LaneValues::all_values(FormId form, Holds&& holds) const {
  if (form == none || addresses_.atoms.nature(form) > Nature::lanes) return false;
  for (const Term& term : addresses_.atoms.forms.terms(form)) {
    for (const AtomId id : addresses_.atoms.forms.atoms(term.monomial)) {
      if (!holds(values_[slot_[id]])) return false;
    }
  }
  return true;
}

bool LaneValues::is_known(FormId form) const {
  return all_values(form, [](const Value& value) { return value.known; });
}

bool LaneValues::follows_stride(FormId form) const {
  return all_values(form, [](const Value& value) { return value.follows_stride; });
}

warp::LaneAddresses LaneValues::numbers(FormId form) const {
  warp::LaneAddresses sum{};
  if (form == none || addresses_.atoms.nature(form) > Nature::lanes) return sum;
  for (const Term& term : addresses_.atoms.forms.terms(form)) {
    const std::span<const AtomId> factors = addresses_.atoms.forms.atoms(term.monomial);
    if (factors.empty()) {
      for (std::int64_t& lane : sum) lane = wrapping_add(lane, term.coefficient);
      continue;
    }
    warp::LaneAddresses product = values_[slot_[factors.front()]].lanes;
    for (const AtomId id : factors.subspan(1)) multiply(product, values_[slot_[id]].lanes);
    for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) {
      sum[lane] = wrapping_add(sum[lane], wrapping_multiply(product[lane], term.coefficient));
    }
  }
  return sum;
}

LaneValues::Active LaneValues::condition(FormId form, bool wanted) const {
  if (!follows_stride(form) || addresses_.atoms.is_uniform(form)) return {warp::all_lanes};
  const warp::LaneAddresses values = numbers(form);
  LaneMask mask = 0;
  for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) {
    if ((values[lane] != 0) == wanted) mask |= 1u << lane;
  }
  return {mask, !is_known(form)};
}

LaneValues::Active LaneValues::both(const Active& one, const Active& other) {
  return {one.lanes & other.lanes, one.assumed || other.assumed};
}

LaneValues::Active LaneValues::active(std::uint32_t guard, FormId predicate) const {
  return both(guard == none ? Active{existing_} : guards_[guard], condition(predicate, true));
}

// The alignment of a term that is the same for all lanes. A size that was sampled keeps its sampled value here.
std::uint64_t LaneValues::unknown_alignment(const Term& term, bool assumed, AtomId base) const {
  std::uint64_t align = power_of_two_in(term.coefficient);
  const std::span<const AtomId> factors = addresses_.atoms.forms.atoms(term.monomial);
  for (const AtomId id : factors) {
    const Atom& atom = addresses_.atoms[id];
    const Value& value = values_[slot_[id]];
    const bool is_size = atom.kind == Atom::parameter && assumed && !atom.is_pointer && id != base;
    if (value.known || is_size) {
      align *= power_of_two_in(value.lanes[0]);
    } else {
      align *= id == base ? pointer_align : atom.align;
    }
    align = std::min<std::uint64_t>(align, most_aligned);
  }
  return align;
}

// The pointer in an address: a parameter of 64 bits with factor 1. If there are several, the one that is known to be a pointer.
AtomId base_of(const Atoms& atoms, FormId form) {
  AtomId found = none;
  bool several = false;
  for (const Term& term : atoms.forms.terms(form)) {
    const std::span<const AtomId> factors = atoms.forms.atoms(term.monomial);
    if (term.coefficient != 1 || factors.size() != 1) continue;
    const Atom& atom = atoms[factors[0]];
    if (atom.kind != Atom::parameter || atom.bits != 64) continue;
    if (atom.is_pointer) return factors[0];
    several = found != none;
    found = factors[0];
  }
  return several ? none : found;
}

// Is the value the same in all lanes that have a thread? A warp of 32x8 threads has only one number along y.
bool LaneValues::is_same(const warp::LaneAddresses& lanes, bool swapped) const {
  if (swapped) return false;
  for (std::uint32_t lane = 1; lane < warp::lane_count && (existing_ >> lane & 1) != 0; ++lane) {
    if (lanes[lane] != lanes[0]) return false;
  }
  return true;
}

LaneForm LaneValues::terms(std::span<const Term> terms, AtomId base, bool swapped) const {
  LaneForm result;
  const Forms& forms = addresses_.atoms.forms;
  std::vector<Term> unknown;
  for (const Term& term : terms) {
    bool known = true, uniform = true;
    for (const AtomId id : forms.atoms(term.monomial)) {
      const Value& value = values_[slot_[id]];
      known = known && value.known;
      uniform = uniform && (addresses_.atoms[id].nature == Nature::uniform || (value.known && is_same(value.lanes, swapped)));
    }
    if (!known && uniform) {
      unknown.push_back(term);
    } else {
      result.assumed = result.assumed || !known;
      add(term, swapped, result);
    }
  }
  for (const Term& term : unknown) {
    result.align = std::min(result.align, static_cast<std::uint32_t>(unknown_alignment(term, result.assumed, base)));
  }
  return result;
}

void LaneValues::add(const Term& term, bool swapped, LaneForm& to) const {
  warp::LaneAddresses product;
  product.fill(term.coefficient);
  for (const AtomId id : addresses_.atoms.forms.atoms(term.monomial)) {
    const Atom& atom = addresses_.atoms[id];
    const bool is_other = swapped && atom.kind == Atom::thread && atom.axis < 2;
    for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) {
      const std::int64_t value = is_other ? thread_[1 - atom.axis][lane] : values_[slot_[id]].lanes[lane];
      product[lane] = wrapping_multiply(product[lane], value);
    }
  }
  for (std::uint32_t lane = 0; lane < warp::lane_count; ++lane) to.lanes[lane] = wrapping_add(to.lanes[lane], product[lane]);
}

}  // namespace frx::derive::ptx
