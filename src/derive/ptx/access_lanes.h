// The forms of addresses as numbers: one for each lane of a warp of a block whose shape is known.
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

// What is known of a launch besides the code. Each fact more makes answers sharper; none is needed but the block.
struct LaunchFacts {
  BlockShape block;
  std::array<std::optional<std::int64_t>, 3> grid, block_index;
  struct Parameter {
    std::uint32_t number = 0;  // counted in the function, from 0
    std::int64_t offset = 0;   // bytes, in a parameter that is a structure
    std::int64_t value = 0;
  };
  std::vector<Parameter> parameters;
};

// The value of a form in the lanes of a warp is lanes[i] + some unknown multiple of `align`, the same for all.
struct LaneForm {
  warp::LaneAddresses lanes{};
  std::uint32_t align = 1u << 20;  // 2^20: nothing unknown is added
  bool assumed = false;            // numbers that are not known were taken from a sample
};

// The parameter that an address starts from; `none` when that cannot be told.
AtomId base_of(const Atoms& atoms, FormId form);

class LaneValues {
 public:
  // Samples for numbers that are not known: the first one is typical, the others are there to find extremes.
  static constexpr std::uint32_t sample_count = 8;

  // Works out only what the forms of these addresses are made of.
  LaneValues(const ::frx::model::ptx::Function& function, const Addresses& addresses);

  // Of a warp in the block. Linear in the number of symbols.
  void enter(const LaunchFacts& facts, std::uint32_t warp, std::uint32_t sample);
  LaneForm form(FormId form) const {
    return terms(addresses_.atoms.forms.terms(form), base_of(addresses_.atoms, form), false);
  }
  // The same for terms that are no form of the function. `swapped`: as if x and y of threads changed places.
  LaneForm terms(std::span<const Term> terms, AtomId base, bool swapped) const;
  LaneMask existing() const { return existing_; }
  // Lanes with a thread that may execute what stands behind the guard, with this predicate. A condition
  // that depends on what is not known holds for all.
  LaneMask active(std::uint32_t guard, FormId predicate) const;

 private:
  struct Value {
    warp::LaneAddresses lanes{};
    bool known = false;
  };

  void mark(FormId form);
  void evaluate(AtomId id, const LaunchFacts& facts, std::uint32_t sample);
  void evaluate_function(const Atom& atom, Value& value);
  std::optional<std::int64_t> fact(const Atom& atom, const LaunchFacts& facts) const;
  bool is_known(FormId form) const;
  warp::LaneAddresses numbers(FormId form) const;
  LaneMask condition(FormId form, bool wanted) const;
  bool is_same(const warp::LaneAddresses& lanes, bool swapped) const;
  void add(const Term& term, bool swapped, LaneForm& to) const;
  std::uint64_t unknown_alignment(const Term& term, bool assumed, AtomId base) const;

  const ::frx::model::ptx::Function& function_;
  const Addresses& addresses_;
  std::vector<AtomId> marked_;  // in ascending order
  std::vector<bool> is_marked_;
  std::vector<std::uint32_t> slot_;  // by atom: index into values_
  std::vector<Value> values_;
  std::vector<LaneMask> guards_;
  std::array<std::array<std::uint32_t, warp::lane_count>, 3> thread_{};
  LaneMask existing_ = 0;
};

}  // namespace frx::derive::ptx
