#include "derive/ptx/memory_access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "derive/ptx/access_tally.h"
#include "derive/ptx/access_text.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Space;

// The size that an operand states, as in `cp.async.ca.shared.global [a], [b], 16;`; 0 when it is not an integer.
std::uint32_t stated_bytes(const model::Module& module, const model::Instruction& instruction, int number) {
  const std::span<const model::Operand> operands = module.operands_of(instruction);
  int top = 0;
  for (std::size_t at = 0; at < operands.size(); at += 1 + operands[at].parts, ++top) {
    if (top == number && operands[at].kind == model::Operand::integer) return operands[at].value;
  }
  return 0;
}

AccessType type_of(const model::Form& form, const Address& address) {
  if (form.is_asynchronous) return address.operand == 0 ? AccessType::store : AccessType::load;
  return !form.writes_memory ? AccessType::load : form.reads_memory ? AccessType::atomic : AccessType::store;
}

// Matrix instructions access rows of 16 bytes, each at the address that one lane provides.
bool is_matrix(const model::Form& form) { return form.category == model::Category::tensor; }

Request described(const model::Module& module, const Address& address) {
  Request request;
  const model::Instruction& instruction = module.instructions[address.instruction];
  const model::Form& form = module.form_of(instruction);
  request.space = form.space;
  request.bytes = is_matrix(form) ? 16 : form.access_bytes;
  if (is_matrix(form) && form.lanes < 4) request.lanes = (1u << 8 * form.lanes) - 1;
  if (form.is_asynchronous) {
    request.bytes = stated_bytes(module, instruction, form.size_operand);
    request.space = address.operand == 0 ? Space::shared : Space::global;
  }
  return request;
}

// Requests at a distance that is a multiple of this cost the same: it is a sector, and more than a word of a bank. A constant so large
// that an address of 32 bits might wrap around is left as it is.
constexpr std::int64_t same_again = warp::sector_bytes, largest_offset = 1 << 28;

std::int64_t offset_that_matters(std::int64_t offset) {
  const bool is_large = offset > largest_offset || offset < -largest_offset;
  return is_large ? offset : offset & (same_again - 1);
}

// All terms but the constant one, which comes first.
std::span<const Term> varying_terms(const Forms& forms, FormId form) {
  const std::span<const Term> terms = forms.terms(form);
  return terms.subspan(!terms.empty() && terms[0].monomial == 0 ? 1 : 0);
}

// The space that the base of a generic address lies in.
Space origin_of(const model::Module& module, const Atoms& atoms, FormId form) {
  if (form == none) return Space::none;
  for (const Term& term : atoms.forms.terms(form)) {
    const std::span<const AtomId> factors = atoms.forms.atoms(term.monomial);
    if (term.coefficient == 1 && factors.size() == 1 && atoms[factors[0]].kind == Atom::variable) {
      return module.variables[atoms[factors[0]].name].space;
    }
  }
  // Nearly all programs pass pointers to global memory to their kernels.
  return base_of(atoms, form) != none ? Space::global : Space::none;
}

bool has_data(const Atoms& atoms, FormId form) {
  if (form == none) return false;
  for (const Term& term : atoms.forms.terms(form)) {
    for (const AtomId id : atoms.forms.atoms(term.monomial)) {
      if (atoms[id].nature == Nature::data) return true;
    }
  }
  return false;
}

AccessKind kind_of(const Atoms& atoms, const Address& address) {
  const Nature nature = atoms.nature(address.form);
  if (has_data(atoms, address.form)) return AccessKind::data_dependent;
  if (nature == Nature::unknown || address.is_diverged) return AccessKind::unknown;
  if (nature == Nature::uniform) return AccessKind::uniform;
  for (const Term& term : atoms.forms.terms(address.form)) {
    int lanes = 0;
    for (const AtomId id : atoms.forms.atoms(term.monomial)) {
      const Atom& atom = atoms[id];
      if (atom.nature != Nature::lanes) continue;
      if (atom.kind == Atom::function || ++lanes > 1) return AccessKind::known_per_lane;
    }
  }
  return AccessKind::affine;
}

// The factor of a thread number, which may itself be a sum of products.
std::string stride_along(const model::Module& module, Atoms& atoms, FormId form, std::uint8_t axis) {
  FormId factor = 0;
  for (const Term& term : std::vector<Term>(atoms.forms.terms(form).begin(), atoms.forms.terms(form).end())) {
    FormId part = atoms.forms.constant(term.coefficient);
    bool found = false;
    const auto factors = atoms.forms.atoms(term.monomial);
    for (const AtomId id : std::vector<AtomId>(factors.begin(), factors.end())) {
      const bool is_it = atoms[id].kind == Atom::thread && atoms[id].axis == axis;
      if (is_it && !found) {
        found = true;
      } else {
        part = atoms.forms.product(part, atoms.forms.of(id));
      }
    }
    if (found) factor = atoms.forms.sum(factor, part);
  }
  return factor == none || factor == 0 ? "" : formula_of(module, atoms, factor);
}

}  // namespace

std::string_view name_of(AccessKind kind) {
  static constexpr std::array<std::string_view, 5> names = {"uniform", "affine", "known_per_lane", "data_dependent", "unknown"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_wasteful(const AccessCost& cost, std::uint32_t bytes) {
  constexpr std::uint32_t sectors_of_a_row = warp::lane_count * 4 / warp::sector_bytes;
  const std::uint32_t filled = (cost.lanes * bytes + warp::sector_bytes - 1) / warp::sector_bytes;
  return cost.typical > sectors_of_a_row && cost.typical >= 2 * std::max(cost.ideal, filled);
}

MemoryAnalysis::MemoryAnalysis(const model::Module& module, const model::Function& function, const Vocabulary& words,
                               const FlowGraph& graph, const Dominators& dominators, const Loops& loops, const RegisterUses& uses,
                               const Liveness& live, const Divergence& divergence)
    : module_(module),
      function_(function),
      addresses_(ptx::addresses(module, function, words, graph, dominators, loops, uses, live, divergence)) {
  IdTable known;
  all_.reserve(addresses_.all.size());
  for (const Address& address : addresses_.all) add(address, loops.depth_of(address.block), known);
}

void MemoryAnalysis::add(const Address& address, std::uint32_t loop_depth, IdTable& known) {
  Request request = described(module_, address);
  request.address = static_cast<std::uint32_t>(all_.size());
  const std::uint64_t hash = hash_of(request);
  std::uint32_t number = known.find(hash, [&](std::uint32_t id) { return is_same(requests_[id], request); });
  if (number == IdTable::absent) {
    number = static_cast<std::uint32_t>(requests_.size());
    known.add(hash, number);
    request.kind = kind_of(addresses_.atoms, address);
    if (request.space == Space::none) request.space = origin_of(module_, addresses_.atoms, address.form);
    if (request.kind == AccessKind::affine) request.stride = stride_along(module_, addresses_.atoms, address.form, 0);
    requests_.push_back(std::move(request));
  }
  all_.push_back({number, type_of(module_.form_of(module_.instructions[address.instruction]), address), loop_depth});
}

std::uint64_t MemoryAnalysis::hash_of(const Request& request) const {
  const Address& address = addresses_.all[request.address];
  std::uint64_t hash = request.bytes;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15, hash ^= hash >> 29; };
  mix(address.predicate);
  mix(address.guard);
  if (address.form == none) return hash;
  const Forms& forms = addresses_.atoms.forms;
  mix(static_cast<std::uint64_t>(offset_that_matters(forms.constant_part(address.form))));
  for (const Term& term : varying_terms(forms, address.form)) {
    mix(term.monomial);
    mix(static_cast<std::uint64_t>(term.coefficient));
  }
  return hash;
}

// Spaces are compared as the instructions state them: where a generic address points to follows from its form.
bool MemoryAnalysis::is_same(const Request& one, const Request& other) const {
  const Address &a = addresses_.all[one.address], &b = addresses_.all[other.address];
  const auto shape = [&](const Address& address, const Request& request) {
    const model::Form& form = module_.form_of(module_.instructions[address.instruction]);
    return std::tuple(form.is_asynchronous ? request.space : form.space, request.bytes, request.lanes, address.bits, address.predicate,
                      address.guard, address.is_diverged, address.form == none);
  };
  if (shape(a, one) != shape(b, other)) return false;
  if (a.form == b.form) return true;
  const Forms& forms = addresses_.atoms.forms;
  return offset_that_matters(forms.constant_part(a.form)) == offset_that_matters(forms.constant_part(b.form)) &&
         std::ranges::equal(varying_terms(forms, a.form), varying_terms(forms, b.form));
}

std::vector<Measured> MemoryAnalysis::measured(const LaunchFacts& facts) const { return tally(function_, addresses_, requests_, facts); }

MemoryAccess MemoryAnalysis::access(std::size_t number, const Measured& measured) const {
  const Address& address = addresses_.all[number];
  const Request& request = this->request(number);
  MemoryAccess access;
  access.instruction = address.instruction;
  access.type = type(number);
  access.space = request.space;
  access.bytes = request.bytes;
  access.kind = request.kind;
  access.loop_depth = loop_depth(number);
  access.lane_stride = measured.lane_stride;
  access.stride = request.stride;
  if (address.form != none) access.formula = formula_of(module_, addresses_.atoms, address.form);
  access.cost = measured.cost;
  access.fix = measured.fix;
  access.sentence = sentence_of(access);
  return access;
}

std::vector<MemoryAccess> MemoryAnalysis::accesses(const LaunchFacts& facts) const {
  const std::vector<Measured> by_request = measured(facts);
  std::vector<MemoryAccess> result;
  result.reserve(all_.size());
  for (std::size_t i = 0; i < all_.size(); ++i) result.push_back(access(i, by_request[request_number(i)]));
  return result;
}

std::vector<std::vector<std::size_t>> MemoryAnalysis::families() const {
  const Forms& forms = addresses_.atoms.forms;
  const auto key = [](const Term& term) { return std::pair(term.monomial, term.coefficient); };
  const auto is_before = [&](std::size_t one, std::size_t other) {
    const auto kind = [&](std::size_t i) { return std::pair(all_[i].type, all_[i].loop_depth); };
    if (kind(one) != kind(other)) return kind(one) < kind(other);
    const auto a = varying_terms(forms, addresses_.all[one].form), b = varying_terms(forms, addresses_.all[other].form);
    return std::ranges::lexicographical_compare(a, b, {}, key, key);
  };
  std::map<std::size_t, std::vector<std::size_t>, decltype(is_before)> found(is_before);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const bool is_known = request(i).kind <= AccessKind::known_per_lane && addresses_.all[i].form != none;
    if (is_known && request(i).space == Space::global && request(i).bytes > 0) found[i].push_back(i);
  }
  std::vector<std::vector<std::size_t>> families;
  families.reserve(found.size());
  for (auto& [first, members] : found) families.push_back(std::move(members));
  return families;
}

std::vector<warp::Footprint> MemoryAnalysis::touched(const std::vector<std::vector<std::size_t>>& families,
                                                     const LaunchFacts& facts) const {
  constexpr std::size_t most_ranges = 65536;
  const Forms& forms = addresses_.atoms.forms;
  LaneValues values(function_, addresses_);
  values.enter(facts, 0, 0);
  std::vector<warp::Footprint> footprints;
  std::vector<warp::ByteRange> ranges;
  for (const std::vector<std::size_t>& family : families) {
    ranges.clear();
    const FormId first = addresses_.all[family.front()].form;
    const LaneForm lanes = values.form(first);
    for (const std::size_t member : family) {
      const std::int64_t distance = forms.constant_part(addresses_.all[member].form) - forms.constant_part(first);
      for (LaneMask left = values.existing(); left != 0 && ranges.size() < most_ranges; left &= left - 1) {
        const std::int64_t from = wrapping_add(lanes.lanes[static_cast<std::size_t>(std::countr_zero(left))], distance);
        ranges.push_back({from, from + request(member).bytes});
      }
    }
    footprints.push_back(warp::footprint(ranges));
  }
  return footprints;
}

std::vector<BlockShape> MemoryAnalysis::plausible_shapes() const {
  const auto& required = function_.limits.required_threads;
  const auto along = [&](std::size_t axis) { return std::clamp(required[axis], 1u, 1024u); };
  if (required[0] > 0) return {{along(0), along(1), along(2)}};
  std::array<bool, 3> used{};
  for (AtomId id = 0; id < addresses_.atoms.size(); ++id) {
    const Atom& atom = addresses_.atoms[id];
    if (atom.kind == Atom::thread || atom.kind == Atom::block_size) used[atom.axis] = true;
  }
  std::vector<BlockShape> shapes;
  if (used[2]) {
    shapes = {{8, 8, 4}, {32, 4, 2}, {16, 16, 1}};
  } else if (used[1]) {
    shapes = {{32, 8, 1}, {16, 16, 1}, {256, 1, 1}};
  } else {
    shapes = {{256, 1, 1}};
  }
  const auto limit = static_cast<std::uint64_t>(threads_allowed(function_.limits));
  std::erase_if(shapes, [&](const BlockShape& shape) { return shape.threads() > limit; });
  if (shapes.empty()) shapes.push_back({static_cast<std::uint32_t>(limit), 1, 1});
  return shapes;
}

std::vector<MemoryAccess> memory_accesses(const model::Module& module, const model::Function& function, const LaunchFacts& facts) {
  if (function.instructions.size() == 0) return {};
  Vocabulary words(module);
  words.enter(module, function);
  const FlowGraph graph = flow_graph(module, function);
  const Dominators tree = dominators(graph);
  const Loops loops = find_loops(graph, tree);
  const RegisterUses uses(module, function);
  const Liveness live = liveness(module, function, graph, uses);
  const Divergence differs = divergence(module, function, graph, uses, live);
  return MemoryAnalysis(module, function, words, graph, tree, loops, uses, live, differs).accesses(facts);
}

}  // namespace frx::derive::ptx
