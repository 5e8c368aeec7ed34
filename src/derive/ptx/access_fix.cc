#include "derive/ptx/access_cure.h"

#include <algorithm>

#include "derive/ptx/access_tally.h"

namespace frx::derive::ptx {
namespace {

using ::frx::model::ptx::Space;

constexpr std::uint32_t most_padding = 32;    // elements
constexpr std::size_t most_rows = 4;          // lengths of rows that are tried
constexpr std::int64_t largest_struct = 256;  // bytes

}  // namespace

Cure Cures::find(const Address& address, const Request& request, std::optional<std::int64_t> lane_stride, const LaneValues& values,
                 LaneMask active, warp::Cost now) {
  Case one{request, lane_stride, values, active, now, {}, false};
  std::vector<std::int64_t> key;
  for (const Term& term : addresses_.atoms.forms.terms(address.form)) {
    bool lanes = false;
    for (const AtomId id : addresses_.atoms.forms.atoms(term.monomial)) {
      const Atom& atom = addresses_.atoms[id];
      lanes = lanes || atom.nature == Nature::lanes;
      one.has_functions = one.has_functions || (lanes && atom.kind == Atom::function);
    }
    if (!lanes) continue;
    one.terms.push_back(term);
    key.insert(key.end(), {std::int64_t{term.monomial}, term.coefficient});
  }
  const auto [at, is_new] = found_.try_emplace({std::move(key), request.bytes, active, static_cast<int>(request.space)});
  if (is_new) at->second = search(one);
  return at->second;
}

Cure Cures::search(const Case& one) const {
  if (one.access.space == Space::shared) {
    const Cure cure = padded(one);
    return cure.kind != Cure::none ? cure : swapped(one);
  }
  if (one.access.space != Space::global) return {};
  const Cure cure = swapped(one);
  return cure.kind != Cure::none ? cure : separated(one);
}

// Factors that may be the length of a row: all that are longer than an element.
std::vector<std::int64_t> Cures::rows(const Case& one) const {
  std::vector<std::int64_t> lengths;
  for (const Term& term : one.terms) {
    const std::int64_t length = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    const bool is_single = addresses_.atoms.forms.atoms(term.monomial).size() == 1;
    if (is_single && length > one.access.bytes && length <= 65536) lengths.push_back(length);
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  if (lengths.size() > most_rows) lengths.resize(most_rows);
  return lengths;
}

Cure Cures::padded(const Case& one) const {
  Cure best;
  for (const std::int64_t row : rows(one)) {
    for (std::uint32_t padding = 1; padding <= most_padding && (best.kind == Cure::none || padding < best.padding);
         ++padding) {
      std::vector<Term> terms = one.terms;
      for (Term& term : terms) term.coefficient += term.coefficient / row * std::int64_t{padding} * one.access.bytes;
      const warp::Cost cost =
          cost_of(one.values.terms(terms, none, false), one.active, one.access.bytes, Space::shared).typical;
      if (cost.needed > cost.ideal) continue;
      best = {Cure::pad_rows, padding, static_cast<std::uint32_t>(row), cost.needed};
      break;
    }
  }
  return best;
}

// Worth it if at least half of what is too much goes away.
Cure Cures::swapped(const Case& one) const {
  if (one.has_functions) return {};
  const LaneForm form = one.values.terms(one.terms, none, true);
  const warp::Cost cost = cost_of(form, one.active, one.access.bytes, one.access.space).typical;
  const std::uint32_t waste = cost.needed - std::min(cost.needed, cost.ideal);
  if (waste > (one.now.needed - one.now.ideal) / 2 || cost.needed >= one.now.needed) return {};
  // All threads at the same place, as the other index does not exist, would not do the same work.
  if (cost.ideal < one.now.ideal) return {};
  return {Cure::swap_indices, 0, 0, cost.needed};
}

// Adjacent threads a small fixed distance apart: members of structures.
Cure Cures::separated(const Case& one) const {
  const auto stride = one.lane_stride;
  if (!stride || *stride <= one.access.bytes || *stride > largest_struct || *stride % one.access.bytes != 0) return {};
  return {Cure::separate_members, 0, 0, one.now.ideal};
}

}  // namespace frx::derive::ptx
