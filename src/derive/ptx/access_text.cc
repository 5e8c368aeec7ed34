#include "derive/ptx/access_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;

constexpr std::array<std::string_view, 3> axes = {"x", "y", "z"};
constexpr int most_nested = 3, most_symbols = 30;

class FormulaWriter {
 public:
  FormulaWriter(const model::Module& module, const Atoms& atoms) : module_(module), atoms_(atoms) {}

  std::string form(FormId id, int nested) const;

 private:
  std::string term(const Term& term, int nested) const;
  bool is_base(const Term& term) const;
  std::string atom(const Atom& atom, int nested) const;
  std::string function(const Atom& atom, int nested) const;
  std::string parameter(const Atom& atom) const;

  const model::Module& module_;
  const Atoms& atoms_;
  mutable int left_ = most_symbols;
};

// The base of an address is written first, a constant last.
std::string FormulaWriter::form(FormId id, int nested) const {
  if (id == none || nested > most_nested) return "?";
  std::vector<Term> terms(atoms_.forms.terms(id).begin(), atoms_.forms.terms(id).end());
  if (terms.empty()) return "0";
  if (terms[0].monomial == 0) std::rotate(terms.begin(), terms.begin() + 1, terms.end());
  std::stable_partition(terms.begin(), terms.end(), [&](const Term& one) { return is_base(one); });
  std::string text;
  for (const Term& one : terms) {
    if (left_ <= 0) return text + (text.empty() ? "..." : " + ...");
    const bool is_negative = one.coefficient < 0;
    const Term positive{one.monomial, is_negative ? wrapping_multiply(one.coefficient, -1) : one.coefficient};
    text += text.empty() ? (is_negative ? "-" : "") : is_negative ? " - " : " + ";
    text += term(positive, nested);
  }
  return text;
}

bool FormulaWriter::is_base(const Term& one) const {
  const std::span<const AtomId> factors = atoms_.forms.atoms(one.monomial);
  if (one.coefficient != 1 || factors.size() != 1) return false;
  const Atom& atom = atoms_[factors[0]];
  return atom.kind == Atom::variable || (atom.kind == Atom::parameter && atom.bits == 64);
}

std::string FormulaWriter::term(const Term& one, int nested) const {
  std::string text;
  if (one.coefficient != 1 || one.monomial == 0) text = fmt::format("{}", static_cast<std::uint64_t>(one.coefficient));
  for (const AtomId id : atoms_.forms.atoms(one.monomial)) {
    if (!text.empty()) text += "*";
    --left_;
    text += atom(atoms_[id], nested);
  }
  return text;
}

// Compilers name parameters after the kernel: the end of "kernel_param_3" is enough.
std::string FormulaWriter::parameter(const Atom& atom) const {
  std::string_view name = module_.names[module_.variables[atom.name].name];
  if (const std::size_t at = name.rfind("param_"); at != name.npos) name = name.substr(at);
  return atom.offset == 0 ? std::string(name) : fmt::format("{}[{}]", name, atom.offset);
}

std::string FormulaWriter::atom(const Atom& atom, int nested) const {
  switch (atom.kind) {
    case Atom::thread: return fmt::format("tid.{}", axes[atom.axis]);
    case Atom::lane: return "laneid";
    case Atom::block_size: return fmt::format("ntid.{}", axes[atom.axis]);
    case Atom::block_index: return fmt::format("ctaid.{}", axes[atom.axis]);
    case Atom::grid_size: return fmt::format("nctaid.{}", axes[atom.axis]);
    case Atom::special: return std::string(module_.names[module_.specials[atom.name].name]);
    case Atom::parameter: return parameter(atom);
    case Atom::variable: return std::string(module_.names[module_.variables[atom.name].name]);
    case Atom::iterations: return "round";
    case Atom::function: return function(atom, nested);
    default: return atom.nature == Nature::data ? "data" : atom.nature == Nature::uniform ? "u" : "?";
  }
}

std::string FormulaWriter::function(const Atom& atom, int nested) const {
  static constexpr std::array<std::pair<Op, std::string_view>, 16> signs = {{{Op::bit_and, "&"},
                                                                             {Op::bit_or, "|"},
                                                                             {Op::bit_xor, "^"},
                                                                             {Op::shift_left, "<<"},
                                                                             {Op::shift_right_signed, ">>"},
                                                                             {Op::shift_right_unsigned, ">>"},
                                                                             {Op::divide_signed, "/"},
                                                                             {Op::divide_unsigned, "/"},
                                                                             {Op::remainder_signed, "%"},
                                                                             {Op::remainder_unsigned, "%"},
                                                                             {Op::equal, "=="},
                                                                             {Op::not_equal, "!="},
                                                                             {Op::less_signed, "<"},
                                                                             {Op::less_unsigned, "<"},
                                                                             {Op::less_equal_signed, "<="},
                                                                             {Op::less_equal_unsigned, "<="}}};
  static constexpr std::array<std::pair<Op, std::string_view>, 8> names = {{{Op::min_signed, "min"},
                                                                            {Op::min_unsigned, "min"},
                                                                            {Op::max_signed, "max"},
                                                                            {Op::max_unsigned, "max"},
                                                                            {Op::absolute, "abs"},
                                                                            {Op::select, "select"},
                                                                            {Op::sign_extend, "sext"},
                                                                            {Op::zero_extend, "zext"}}};
  const auto is_it = [&](const std::pair<Op, std::string_view>& one) { return one.first == atom.op; };
  const std::string first = form(atom.arguments[0], nested + 1), second = form(atom.arguments[1], nested + 1);
  if (const auto sign = std::find_if(signs.begin(), signs.end(), is_it); sign != signs.end()) {
    return fmt::format("(({}) {} {})", first, sign->second, second);
  }
  const auto name = std::find_if(names.begin(), names.end(), is_it);
  if (name != names.end() && atom.arguments[1] == 0 && atom.arguments[2] == 0) return fmt::format("{}({})", name->second, first);
  const std::string_view called = name == names.end() ? "f" : name->second;
  if (atom.op != Op::select && atom.op != Op::lookup) return fmt::format("{}({}, {})", called, first, second);
  return fmt::format("{}({}, {}, {})", called, first, second, form(atom.arguments[2], nested + 1));
}

std::string amount_of(const MemoryAccess& access, std::uint32_t count) {
  const std::string_view plural = count == 1 ? "" : "s";
  if (access.space == model::Space::shared) return fmt::format("{} wavefront{}", count, plural);
  return fmt::format("{} sector{} of 32 bytes", count, plural);
}

std::string distance_of(const MemoryAccess& access) {
  if (access.kind == AccessKind::uniform || access.lane_stride == 0) return "all threads of a warp use the same address";
  if (!access.stride.empty() && !access.lane_stride) return fmt::format("adjacent threads are {} bytes apart", access.stride);
  if (!access.lane_stride) return "the distance between adjacent threads varies";
  if (!access.stride.empty() && access.stride.find("param") != std::string::npos) {
    return fmt::format("adjacent threads are {} bytes apart", access.stride);
  }
  return fmt::format("adjacent threads are {} bytes apart", *access.lane_stride);
}

void add_fix(const MemoryAccess& access, std::string& text) {
  const AccessFix& fix = access.fix;
  const auto add = [&](std::string what) { text += fmt::format("; {}: {}", what, fix.needed); };
  if (fix.kind == AccessFix::pad_rows) {
    add(fmt::format("with {} element{} of padding behind every {} bytes", fix.padding, fix.padding == 1 ? "" : "s", fix.row_bytes));
  }
  if (fix.kind == AccessFix::swap_indices) add("with the indices of x and y swapped");
  if (fix.kind == AccessFix::separate_members) add("with each member in an array of its own");
}

}  // namespace

std::string formula_of(const model::Module& module, const Atoms& atoms, FormId form) { return FormulaWriter(module, atoms).form(form, 0); }

std::string sentence_of(const MemoryAccess& access) {
  if (access.kind == AccessKind::data_dependent) return "the address is made of data: what a warp needs is only known when it runs";
  if (access.kind == AccessKind::unknown) return "the address could not be followed";
  std::string text = distance_of(access);
  if (!access.cost) return text;
  const AccessCost& cost = *access.cost;
  text += ": " + amount_of(access, cost.typical);
  if (cost.typical > cost.ideal) text += fmt::format(" where {} would do", cost.ideal);
  if (cost.worst > cost.typical) text += fmt::format(", {} at worst", cost.worst);
  add_fix(access, text);
  return text;
}

}  // namespace frx::derive::ptx
