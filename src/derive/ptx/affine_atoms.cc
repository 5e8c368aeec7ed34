#include "derive/ptx/affine_atoms.h"

#include <algorithm>
#include <bit>

namespace frx::derive::ptx {
namespace {

constexpr std::uint32_t most_aligned = 1u << 20;

std::uint64_t key_of(const Atom& atom) {
  std::uint64_t hash = static_cast<std::uint64_t>(atom.kind) << 24 | static_cast<std::uint64_t>(atom.op) << 16 |
                       static_cast<std::uint64_t>(atom.axis) << 8 | atom.bits;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15, hash ^= hash >> 29; };
  mix(atom.name);
  mix(static_cast<std::uint64_t>(atom.offset));
  for (const FormId argument : atom.arguments) mix(argument);
  return hash;
}

bool is_same(const Atom& a, const Atom& b) {
  return a.kind == b.kind && a.op == b.op && a.axis == b.axis && a.bits == b.bits && a.name == b.name && a.offset == b.offset &&
         a.arguments == b.arguments;
}

std::uint32_t power_of_two_in(std::int64_t value) {
  if (value == 0) return most_aligned;
  return 1u << std::min(20, std::countr_zero(static_cast<std::uint64_t>(value)));
}

// Products that leave 64 bits are not known.
Bounds product(const Bounds& a, const Bounds& b) {
  if (!a.known || !b.known) return {};
  Bounds result{true, INT64_MAX, INT64_MIN};
  for (const std::int64_t x : {a.lo, a.hi}) {
    for (const std::int64_t y : {b.lo, b.hi}) {
      std::int64_t value = 0;
      if (__builtin_mul_overflow(x, y, &value)) return {};
      result.lo = std::min(result.lo, value);
      result.hi = std::max(result.hi, value);
    }
  }
  return result;
}

}  // namespace

AtomId Atoms::add(const Atom& atom) {
  all_.push_back(atom);
  return size() - 1;
}

AtomId Atoms::find_or_add(const Atom& atom) {
  const std::uint64_t key = key_of(atom);
  const AtomId known = by_content_.find(key, [&](AtomId id) { return is_same(all_[id], atom); });
  if (known != IdTable::absent) return known;
  const AtomId id = add(atom);
  by_content_.add(key, id);
  return id;
}

Nature Atoms::nature_of(MonomialId monomial) const {
  Nature result = Nature::uniform;
  for (const AtomId atom : forms.atoms(monomial)) result = std::max(result, all_[atom].nature);
  return result;
}

Nature Atoms::nature(FormId form) const {
  if (form == none) return Nature::unknown;
  Nature result = Nature::uniform;
  for (const Term& term : forms.terms(form)) result = std::max(result, nature_of(term.monomial));
  return result;
}

Bounds Atoms::bounds_of(const Term& term) const {
  Bounds result{true, term.coefficient, term.coefficient};
  for (const AtomId id : forms.atoms(term.monomial)) {
    const Atom& atom = all_[id];
    result = product(result, {atom.is_bounded, atom.lo, atom.hi});
  }
  return result;
}

Bounds Atoms::bounds(FormId form) const {
  if (form == none) return {};
  Bounds result{true, 0, 0};
  for (const Term& term : forms.terms(form)) {
    const Bounds part = bounds_of(term);
    if (!part.known || __builtin_add_overflow(result.lo, part.lo, &result.lo) || __builtin_add_overflow(result.hi, part.hi, &result.hi)) {
      return {};
    }
  }
  return result;
}

std::uint32_t Atoms::alignment(FormId form) const {
  if (form == none) return 1;
  std::uint32_t result = most_aligned;
  for (const Term& term : forms.terms(form)) {
    std::uint64_t align = power_of_two_in(term.coefficient);
    for (const AtomId atom : forms.atoms(term.monomial)) align *= all_[atom].align;
    result = std::min(result, static_cast<std::uint32_t>(std::min<std::uint64_t>(align, most_aligned)));
  }
  return result;
}

}  // namespace frx::derive::ptx
