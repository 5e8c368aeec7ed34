#include "derive/ptx/affine_form.h"

#include <algorithm>

namespace frx::derive::ptx {
namespace {

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  return hash * 0xBF58476D1CE4E5B9;
}

std::uint64_t hash_of(std::span<const Term> terms) {
  std::uint64_t hash = terms.size();
  for (const Term& term : terms) hash = mixed(mixed(hash, term.monomial), static_cast<std::uint64_t>(term.coefficient));
  return hash;
}

std::uint64_t hash_of(const Monomial& factors) {
  std::uint64_t hash = 1;
  for (const AtomId atom : factors) hash = mixed(hash, atom);
  return hash;
}

std::vector<Term> without_zeros(std::span<const Term> terms) {
  std::vector<Term> kept(terms.begin(), terms.end());
  std::erase_if(kept, [](const Term& term) { return term.coefficient == 0; });
  return kept;
}

constexpr Monomial nothing = {none, none, none, none};

}  // namespace

Forms::Forms() : begins_{0} {
  monomial(nothing);
  of(std::span<const Term>{});
}

FormId Forms::constant(std::int64_t value) {
  if (value == 0) return 0;
  const Term term{0, value};
  return of(std::span(&term, 1));
}

FormId Forms::of(AtomId atom) {
  const Term term{monomial({atom, none, none, none}), 1};
  return of(std::span(&term, 1));
}

FormId Forms::of(std::span<const Term> terms) {
  const auto is_zero = [](const Term& term) { return term.coefficient == 0; };
  if (std::ranges::any_of(terms, is_zero)) return of(without_zeros(terms));
  if (terms.size() > most_terms) return none;
  if (terms.size() == 1 && terms[0].coefficient == 1) {
    FormId& known = once_[terms[0].monomial];
    return known != none ? known : known = add(terms);
  }
  const std::uint64_t hash = hash_of(terms);
  const FormId known = by_content_.find(hash, [&](FormId id) { return std::ranges::equal(this->terms(id), terms); });
  if (known != IdTable::absent) return known;
  const FormId id = add(terms);
  by_content_.add(hash, id);
  return id;
}

FormId Forms::add(std::span<const Term> terms) {
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  begins_.push_back(static_cast<std::uint32_t>(terms_.size()));
  return static_cast<FormId>(begins_.size() - 2);
}

MonomialId Forms::monomial(Monomial sorted) {
  if (sorted[0] != none && sorted[1] == none) {
    if (sorted[0] >= alone_.size()) alone_.resize(std::max<std::size_t>(sorted[0] + 1, 2 * alone_.size()), none);
    MonomialId& known = alone_[sorted[0]];
    return known != none ? known : known = add(sorted, 1);
  }
  const std::uint64_t hash = hash_of(sorted);
  const MonomialId known = by_factors_.find(hash, [&](MonomialId id) { return monomials_[id] == sorted; });
  if (known != IdTable::absent) return known;
  const auto end = std::ranges::find(sorted, none);
  const MonomialId id = add(sorted, static_cast<std::size_t>(end - sorted.begin()));
  by_factors_.add(hash, id);
  return id;
}

MonomialId Forms::add(const Monomial& factors, std::size_t size) {
  monomials_.push_back(factors);
  sizes_.push_back(static_cast<std::uint8_t>(size));
  once_.push_back(none);
  return static_cast<MonomialId>(monomials_.size() - 1);
}

FormId Forms::sum(FormId a, FormId b, std::int64_t times_b) {
  if (a == none || b == none) return none;
  if (b == 0) return a;
  if (a == 0 && times_b == 1) return b;
  scratch_.clear();
  const std::span<const Term> left = terms(a), right = terms(b);
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    if (j == right.size() || (i < left.size() && left[i].monomial < right[j].monomial)) {
      scratch_.push_back(left[i++]);
    } else {
      Term term{right[j].monomial, wrapping_multiply(right[j].coefficient, times_b)};
      ++j;
      if (i < left.size() && left[i].monomial == term.monomial) {
        term.coefficient = wrapping_add(term.coefficient, left[i++].coefficient);
      }
      scratch_.push_back(term);
    }
  }
  return of(scratch_);
}

FormId Forms::scaled(FormId form, std::int64_t factor) { return form == none ? none : sum(0, form, factor); }

MonomialId Forms::times(MonomialId a, MonomialId b) {
  Monomial result = nothing;
  std::size_t count = 0;
  for (const MonomialId part : {a, b}) {
    for (const AtomId atom : atoms(part)) {
      if (count == result.size()) return none;
      result[count++] = atom;
    }
  }
  std::sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(count));
  return monomial(result);
}

FormId Forms::product(FormId a, FormId b) {
  if (a == none || b == none) return none;
  if (const auto factor = as_constant(a)) return scaled(b, *factor);
  if (const auto factor = as_constant(b)) return scaled(a, *factor);
  if (terms(a).size() * terms(b).size() > most_terms) return none;
  FormId result = 0;
  for (std::size_t i = 0; i < terms(a).size(); ++i) {
    for (std::size_t j = 0; j < terms(b).size() && result != none; ++j) {
      const Term left = terms(a)[i], right = terms(b)[j];
      const MonomialId monomial = times(left.monomial, right.monomial);
      if (monomial == none) return none;
      const Term term{monomial, wrapping_multiply(left.coefficient, right.coefficient)};
      result = sum(result, of(std::span(&term, 1)));
    }
  }
  return result;
}

FormId Forms::modulo(FormId form, int bits) {
  if (form == none || bits >= 64) return form;
  const auto fits = [&](const Term& term) { return term.coefficient == sign_extended(term.coefficient, bits); };
  if (std::ranges::all_of(terms(form), fits)) return form;
  scratch_.clear();
  for (const Term& term : terms(form)) scratch_.push_back({term.monomial, sign_extended(term.coefficient, bits)});
  return of(scratch_);
}

std::optional<std::int64_t> Forms::as_constant(FormId form) const {
  if (form == none) return std::nullopt;
  const std::span<const Term> all = terms(form);
  if (all.empty()) return 0;
  if (all.size() == 1 && all[0].monomial == 0) return all[0].coefficient;
  return std::nullopt;
}

// Terms are sorted, and the constant term comes first.
std::int64_t Forms::constant_part(FormId form) const {
  const std::span<const Term> all = terms(form);
  return !all.empty() && all[0].monomial == 0 ? all[0].coefficient : 0;
}

}  // namespace frx::derive::ptx
