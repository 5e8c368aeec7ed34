#include "derive/ptx/access_fix.h"

#include <algorithm>

#include "derive/ptx/access_tally.h"

namespace frx::derive::ptx {
namespace {

using ::frx::model::ptx::Space;

constexpr std::uint32_t most_padding = 32;    // elements
constexpr std::size_t most_rows = 4;          // row lengths that are tried
constexpr std::int64_t largest_struct = 256;  // bytes

}  // namespace

AccessFix FixFinder::find(const Address& address, const Request& request, std::optional<std::int64_t> lane_stride, const LaneValues& values,
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

AccessFix FixFinder::search(const Case& one) const {
  if (one.access.space == Space::shared) {
    const AccessFix fix = padded(one);
    return fix.kind != AccessFix::none ? fix : swapped(one);
  }
  if (one.access.space != Space::global) return {};
  const AccessFix fix = swapped(one);
  return fix.kind != AccessFix::none ? fix : separated(one);
}

// Factors that may be the length of a row: all factors larger than an element.
std::vector<std::int64_t> FixFinder::rows(const Case& one) const {
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

AccessFix FixFinder::padded(const Case& one) const {
  AccessFix best;
  for (const std::int64_t row : rows(one)) {
    for (std::uint32_t padding = 1; padding <= most_padding && (best.kind == AccessFix::none || padding < best.padding); ++padding) {
      std::vector<Term> terms = one.terms;
      for (Term& term : terms) term.coefficient += term.coefficient / row * std::int64_t{padding} * one.access.bytes;
      const warp::Cost cost = cost_of(one.values.terms(terms, none, false), one.active, one.access.bytes, Space::shared).typical;
      if (cost.needed > cost.ideal) continue;
      best = {AccessFix::pad_rows, padding, static_cast<std::uint32_t>(row), cost.needed};
      break;
    }
  }
  return best;
}

// Swapping is worthwhile if it removes at least half of the excess.
AccessFix FixFinder::swapped(const Case& one) const {
  if (one.has_functions) return {};
  const LaneForm form = one.values.terms(one.terms, none, true);
  const warp::Cost cost = cost_of(form, one.active, one.access.bytes, one.access.space).typical;
  const std::uint32_t waste = cost.needed - std::min(cost.needed, cost.ideal);
  if (waste > (one.now.needed - one.now.ideal) / 2 || cost.needed >= one.now.needed) return {};
  // Without the other index all threads would use the same address, which would not be the same work.
  if (cost.ideal < one.now.ideal || std::ranges::all_of(form.lanes, [&](std::int64_t lane) { return lane == form.lanes[0]; })) return {};
  return {AccessFix::swap_indices, 0, 0, cost.needed};
}

// A small constant distance between adjacent threads: members of structures.
AccessFix FixFinder::separated(const Case& one) const {
  const auto stride = one.lane_stride;
  if (!stride || *stride <= one.access.bytes || *stride > largest_struct || *stride % one.access.bytes != 0) return {};
  return {AccessFix::separate_members, 0, 0, one.now.ideal};
}

}  // namespace frx::derive::ptx
