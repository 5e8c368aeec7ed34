// The forms of addresses as numbers, one for each lane of a warp in a block of known shape.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "derive/ptx/affine.h"
#include "derive/warp/request.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

using warp::LaneMask;

struct BlockShape {
  std::uint32_t x = 1, y = 1, z = 1;  // threads
  std::uint64_t threads() const { return std::uint64_t{x} * y * z; }
  std::uint32_t warps() const { return static_cast<std::uint32_t>((threads() + warp::lane_count - 1) / warp::lane_count); }
  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

// What is known about a launch. Only the block is required; every further fact makes the results more precise.
struct LaunchFacts {
  BlockShape block;
  std::array<std::optional<std::int64_t>, 3> grid, block_index;
  struct Parameter {
    std::uint32_t number = 0;  // position among the parameters of the function, from 0
    std::int64_t offset = 0;   // in bytes, within a parameter that is a structure
    std::int64_t value = 0;
  };
  std::vector<Parameter> parameters;
};

// The value of a form in lane i is lanes[i] plus an unknown multiple of `align` that is the same for all lanes.
struct LaneForm {
  warp::LaneAddresses lanes{};
  std::uint32_t align = 1u << 20;  // 2^20: nothing unknown is added
  bool assumed = false;            // unknown numbers were taken from a sample
};

// The parameter that is the base of an address; `none` when it cannot be determined.
AtomId base_of(const Atoms& atoms, FormId form);

class LaneValues {
 public:
  // Samples for unknown numbers: the first one is typical, the others look for extremes.
  static constexpr std::uint32_t sample_count = 8;

  // Evaluates only the symbols that occur in the forms of these addresses.
  LaneValues(const ::frx::model::ptx::Function& function, const Addresses& addresses);

  // Moves to a warp of the block. Takes time linear in the number of symbols.
  void enter(const LaunchFacts& facts, std::uint32_t warp, std::uint32_t sample);
  LaneForm form(FormId form) const { return terms(addresses_.atoms.forms.terms(form), base_of(addresses_.atoms, form), false); }
  // The same for terms that are not a form of the function. `swapped`: with x and y of the thread number exchanged.
  LaneForm terms(std::span<const Term> terms, AtomId base, bool swapped) const;
  LaneMask existing() const { return existing_; }
  // Lanes with a thread that may execute an instruction under this guard and predicate. A condition that depends on unknown
  // values counts as true for all lanes, except for strides that double or halve: which lanes take part goes with the stride.
  struct Active {
    LaneMask lanes = 0;
    bool assumed = false;  // such a stride was taken from a sample
  };
  Active active(std::uint32_t guard, FormId predicate) const;

 private:
  struct Value {
    warp::LaneAddresses lanes{};
    bool known = false;
    bool follows_stride = false;  // known for a stride that was sampled
  };

  void mark(FormId form);
  void evaluate(AtomId id, const LaunchFacts& facts, std::uint32_t sample);
  void evaluate_function(const Atom& atom, Value& value);
  std::optional<std::int64_t> fact(const Atom& atom, const LaunchFacts& facts) const;
  bool is_known(FormId form) const;
  warp::LaneAddresses numbers(FormId form) const;
  bool follows_stride(FormId form) const;
  template <typename Holds>
  bool all_values(FormId form, Holds&& holds) const;
  static Active both(const Active& one, const Active& other);
  Active condition(FormId form, bool wanted) const;
  bool is_same(const warp::LaneAddresses& lanes, bool swapped) const;
  void add(const Term& term, bool swapped, LaneForm& to) const;
  std::uint64_t unknown_alignment(const Term& term, bool assumed, AtomId base) const;

  const ::frx::model::ptx::Function& function_;
  const Addresses& addresses_;
  std::vector<AtomId> marked_;  // in ascending order
  std::vector<bool> is_marked_;
  std::vector<std::uint32_t> slot_;  // by atom: index into values_
  std::vector<Value> values_;
  std::vector<Active> guards_;
  std::array<std::array<std::uint32_t, warp::lane_count>, 3> thread_{};
  LaneMask existing_ = 0;
};

}  // namespace frx::derive::ptx
