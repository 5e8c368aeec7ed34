// Sums of products of symbols: 4*tid.x + 4*ntid.x*ctaid.x + param_0 + 16.
//
// A form represents an integer; a register of 32 bits holds it modulo 2^32. Each form and each product is stored once, so that equal
// forms have equal ids.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/id_table.h"

namespace frx::derive::ptx {

using AtomId = std::uint32_t;      // a symbol, see affine_atoms.h
using MonomialId = std::uint32_t;  // 0: the empty product, which is 1
using FormId = std::uint32_t;      // 0: the number 0; `none`: too large to be held

struct Term {
  MonomialId monomial = 0;
  std::int64_t coefficient = 0;  // modulo 2^64; never 0 in a form
  friend bool operator==(const Term&, const Term&) = default;
};

// Symbols in ascending order, followed by `none`.
using Monomial = std::array<AtomId, 4>;

class Forms {
 public:
  static constexpr std::size_t most_terms = 16;

  Forms();

  FormId constant(std::int64_t value);
  FormId of(AtomId atom);
  // Terms in ascending order of their monomials, each once; zero coefficients are left out.
  FormId of(std::span<const Term> terms);

  FormId sum(FormId a, FormId b, std::int64_t times_b = 1);
  FormId scaled(FormId form, std::int64_t factor);
  FormId product(FormId a, FormId b);
  // Equal modulo 2^bits, with coefficients between -2^(bits-1) and 2^(bits-1).
  FormId modulo(FormId form, int bits);

  std::span<const Term> terms(FormId form) const {
    return std::span<const Term>(terms_).subspan(begins_[form], begins_[form + 1] - begins_[form]);
  }
  std::span<const AtomId> atoms(MonomialId monomial) const { return {monomials_[monomial].data(), sizes_[monomial]}; }
  MonomialId monomial(Monomial sorted);
  std::optional<std::int64_t> as_constant(FormId form) const;
  std::int64_t constant_part(FormId form) const;
  std::size_t form_count() const { return begins_.size() - 1; }

 private:
  MonomialId times(MonomialId a, MonomialId b);  // none: too many factors
  MonomialId add(const Monomial& factors, std::size_t size);
  FormId add(std::span<const Term> terms);

  std::vector<Term> terms_;
  std::vector<std::uint32_t> begins_;
  std::vector<Monomial> monomials_;
  std::vector<std::uint8_t> sizes_;  // by monomial: how many factors it has
  // Most forms and products are one symbol alone: these are found by its number, all others by their content.
  std::vector<MonomialId> alone_;  // by symbol
  std::vector<FormId> once_;       // by monomial: the form that it is with the factor 1
  IdTable by_content_, by_factors_;
  std::vector<Term> scratch_;
};

// The lowest `bits` bits as a signed number.
constexpr std::int64_t sign_extended(std::int64_t value, int bits) {
  if (bits >= 64) return value;
  if (bits <= 0) return 0;  // of a predicate
  const std::uint64_t shifted = static_cast<std::uint64_t>(value) << (64 - bits);
  return static_cast<std::int64_t>(shifted) >> (64 - bits);
}
constexpr std::int64_t zero_extended(std::int64_t value, int bits) {
  if (bits >= 64) return value;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1));
}
// Computed modulo 2^64, as registers do.
constexpr std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace frx::derive::ptx
