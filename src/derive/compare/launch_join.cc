#include "derive/compare/launch_join.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "derive/compare/align_sequences.h"
#include "derive/compare/kernel_spelling.h"

namespace frx::derive::compare {
namespace {

using Index = std::uint32_t;
using Launches = std::span<const JoinedLaunch>;
using Indices = std::vector<Index>;

constexpr Index none = 0xFFFFFFFF;

// How far a launch may stand from where its neighbours are on the other side, where streams took turns differently. Farther away, an equal
// launch is another one.
constexpr std::int64_t farthest = 64;
constexpr std::size_t most_streams = 64;  // that are paired; beyond, launch order alone decides

struct Side {
  explicit Side(Launches of) : launches(of), name(of.size()), key(of.size()), is_matched(of.size(), false) {}

  Launches launches;
  std::vector<Index> name, key;  // numbers that both sides share
  std::vector<bool> is_matched;
};

bool has_shape(const JoinedLaunch& launch) { return launch.grid && launch.block; }

class Joiner {
 public:
  Joiner(Launches first, Launches second) : a_(first), b_(second) {}

  LaunchJoin made() {
    number_names();
    number_keys();
    for (const auto& [of_a, of_b] : devices()) join_device(of_a, of_b);
    std::ranges::sort(join_.matches, {}, &LaunchMatch::first);
    join_.first = reasons(a_, b_);
    join_.second = reasons(b_, a_);
    return std::move(join_);
  }

 private:
  using Pairs = std::vector<std::pair<Indices, Indices>>;

  void number_names();
  void number_keys();
  bool agree(std::optional<std::uint32_t> JoinedLaunch::*attribute) const;
  Pairs devices() const;
  Pairs streams(const Indices& of_a, const Indices& of_b) const;
  void join_device(const Indices& of_a, const Indices& of_b);
  // By launch of the first side: the partner of the last launch before it that has one; `none` at the beginning.
  Indices partners_before() const;
  void align(const Indices& of_a, const Indices& of_b, bool by_name, bool is_in_doubt);
  static Indices left(const Side& side, const Indices& of);
  static std::vector<Unmatched> reasons(const Side& side, const Side& other);

  Side a_, b_;
  LaunchJoin join_;
};

void Joiner::number_names() {
  const auto has_mangled = [](const JoinedLaunch& launch) { return !launch.mangled.empty(); };
  const bool by_mangled = std::ranges::all_of(a_.launches, has_mangled) && std::ranges::all_of(b_.launches, has_mangled);
  KernelSpelling spelling;
  std::unordered_map<std::string_view, Index> seen;  // each text as it stands in the files, once
  std::unordered_map<std::string, Index> numbers;
  for (Side* side : {&a_, &b_}) {
    for (Index i = 0; i < side->launches.size(); ++i) {
      const std::string_view text = by_mangled ? side->launches[i].mangled : side->launches[i].name;
      const auto [at, is_new] = seen.try_emplace(text, 0);
      if (is_new) {
        const std::string canonical = by_mangled ? std::string(text) : spelling(text);
        at->second = numbers.try_emplace(canonical, static_cast<Index>(numbers.size())).first->second;
      }
      side->name[i] = at->second;
    }
  }
}

// Whether both sides say the same of launches of one shape: tools may count registers as they are allocated, or as they were asked for.
bool Joiner::agree(std::optional<std::uint32_t> JoinedLaunch::*attribute) const {
  using Known = std::tuple<Index, Shape, Shape>;
  const auto values_of = [&](const Side& side) {
    std::map<Known, std::set<std::uint32_t>> values;
    for (Index i = 0; i < side.launches.size(); ++i) {
      const JoinedLaunch& launch = side.launches[i];
      if (has_shape(launch) && launch.*attribute) values[{side.name[i], *launch.grid, *launch.block}].insert(*(launch.*attribute));
    }
    return values;
  };
  const auto is_stated = [&](const JoinedLaunch& launch) { return (launch.*attribute).has_value(); };
  if (!std::ranges::all_of(a_.launches, is_stated) || !std::ranges::all_of(b_.launches, is_stated)) return false;
  const auto of_a = values_of(a_), of_b = values_of(b_);
  return std::ranges::all_of(of_a, [&](const auto& known) {
    const auto other = of_b.find(known.first);
    return other == of_b.end() || std::ranges::any_of(known.second, [&](std::uint32_t value) { return other->second.contains(value); });
  });
}

void Joiner::number_keys() {
  const bool with_registers = agree(&JoinedLaunch::registers), with_shared = agree(&JoinedLaunch::dynamic_shared);
  constexpr Shape unknown = {0xFFFFFFFF, 0, 0};
  using Key = std::tuple<Index, Shape, Shape, std::uint32_t, std::uint32_t>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::size_t hash = std::get<0>(key);
      const auto mix = [&](std::size_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29); };
      for (const std::uint32_t n : std::get<1>(key)) mix(n);
      for (const std::uint32_t n : std::get<2>(key)) mix(n);
      mix(std::get<3>(key));
      mix(std::get<4>(key));
      return hash;
    }
  };
  std::unordered_map<Key, Index, Hash> numbers;
  for (Side* side : {&a_, &b_}) {
    for (Index i = 0; i < side->launches.size(); ++i) {
      const JoinedLaunch& launch = side->launches[i];
      const Key key{side->name[i], launch.grid.value_or(unknown), launch.block.value_or(unknown),
                    with_registers ? launch.registers.value_or(0) : 0, with_shared ? launch.dynamic_shared.value_or(0) : 0};
      side->key[i] = numbers.try_emplace(key, static_cast<Index>(numbers.size())).first->second;
    }
  }
}

std::map<std::int64_t, Indices> by(std::optional<std::int64_t> JoinedLaunch::*member, Launches launches, const Indices& of) {
  std::map<std::int64_t, Indices> parts;
  for (const Index i : of) parts[(launches[i].*member).value_or(-1)].push_back(i);
  return parts;
}

Indices all_of(Launches launches) {
  Indices all(launches.size());
  for (Index i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

// One device on each side is the same, whatever it is called: a tool may number what the program sees, another what the machine has.
Joiner::Pairs Joiner::devices() const {
  const auto of_a = by(&JoinedLaunch::device, a_.launches, all_of(a_.launches)),
             of_b = by(&JoinedLaunch::device, b_.launches, all_of(b_.launches));
  if (of_a.size() <= 1 || of_b.size() <= 1) return {{all_of(a_.launches), all_of(b_.launches)}};
  Pairs pairs;
  for (const auto& [device, launches] : of_a) {
    if (const auto other = of_b.find(device); other != of_b.end()) pairs.emplace_back(launches, other->second);
  }
  return pairs;
}

// Streams have other numbers in another run: those with the most keys in common belong together, equal numbers first.
Joiner::Pairs Joiner::streams(const Indices& of_a, const Indices& of_b) const {
  const auto parts_a = by(&JoinedLaunch::stream, a_.launches, of_a), parts_b = by(&JoinedLaunch::stream, b_.launches, of_b);
  const bool is_known = !parts_a.contains(-1) && !parts_b.contains(-1);
  if (!is_known || parts_a.size() != parts_b.size() || parts_a.size() > most_streams) return {{of_a, of_b}};
  const auto counts_of = [](const Side& side, const Indices& launches) {
    std::unordered_map<Index, std::int64_t> counts;
    for (const Index i : launches) ++counts[side.key[i]];
    return counts;
  };
  std::map<std::int64_t, std::unordered_map<Index, std::int64_t>> counts_b;
  for (const auto& [stream, launches] : parts_b) counts_b[stream] = counts_of(b_, launches);
  std::vector<std::tuple<std::int64_t, bool, std::int64_t, std::int64_t>> alike;  // in common, equal numbers, streams
  for (const auto& [a, launches] : parts_a) {
    const auto counts = counts_of(a_, launches);
    for (const auto& [b, others] : counts_b) {
      std::int64_t common = 0;
      for (const auto& [key, count] : counts) {
        const auto other = others.find(key);
        if (other != others.end()) common += std::min(count, other->second);
      }
      alike.emplace_back(-common, a != b, a, b);
    }
  }
  std::ranges::sort(alike);
  std::set<std::int64_t> taken_a, taken_b;
  Pairs pairs;
  for (const auto& [common, differs, a, b] : alike) {
    if (taken_a.contains(a) || taken_b.contains(b)) continue;
    taken_a.insert(a);
    taken_b.insert(b);
    pairs.emplace_back(parts_a.at(a), parts_b.at(b));
  }
  return pairs;
}

Indices Joiner::left(const Side& side, const Indices& of) {
  Indices rest;
  std::ranges::copy_if(of, std::back_inserter(rest), [&](Index i) { return !side.is_matched[i]; });
  return rest;
}

Indices Joiner::partners_before() const {
  Indices partner(a_.launches.size(), none), before(a_.launches.size(), none);
  for (const LaunchMatch& match : join_.matches) partner[match.first] = match.second;
  Index last = none;
  for (Index i = 0; i < before.size(); ++i) {
    before[i] = last;
    if (partner[i] != none) last = partner[i];
  }
  return before;
}

void Joiner::align(const Indices& of_a, const Indices& of_b, bool by_name, bool is_in_doubt) {
  const Indices before = is_in_doubt ? partners_before() : Indices();
  const auto sequence = [&](const Side& side, const Indices& of) {
    Indices numbers;
    for (const Index i : of) numbers.push_back(by_name ? side.name[i] : side.key[i]);
    return numbers;
  };
  for (const SequenceMatch& match : align_sequences(sequence(a_, of_a), sequence(b_, of_b))) {
    const Index first = of_a[match.first], second = of_b[match.second];
    const bool have_shapes = has_shape(a_.launches[first]) && has_shape(b_.launches[second]);
    if (by_name && have_shapes) continue;  // of different ones, for else their keys were equal
    if (is_in_doubt && before[first] != none && std::abs(std::int64_t{second} - before[first]) > farthest) continue;
    a_.is_matched[first] = b_.is_matched[second] = true;
    const bool is_certain = match.is_certain && !is_in_doubt;
    join_.matches.push_back({first, second,
                             !have_shapes ? MatchQuality::name_only
                             : is_certain ? MatchQuality::exact
                                          : MatchQuality::gap_run});
  }
}

void Joiner::join_device(const Indices& of_a, const Indices& of_b) {
  for (const auto& [a, b] : streams(of_a, of_b)) align(a, b, false, false);
  align(left(a_, of_a), left(b_, of_b), false, true);
  align(left(a_, of_a), left(b_, of_b), true, true);
}

std::vector<Unmatched> Joiner::reasons(const Side& side, const Side& other) {
  const std::unordered_set<Index> names(other.name.begin(), other.name.end()), keys(other.key.begin(), other.key.end());
  std::vector<Unmatched> reasons;
  for (Index i = 0; i < side.launches.size(); ++i) {
    reasons.push_back(side.is_matched[i]              ? Unmatched::matched
                      : !names.contains(side.name[i]) ? Unmatched::unknown_name
                      : !keys.contains(side.key[i])   ? Unmatched::other_shape
                                                      : Unmatched::surplus);
  }
  return reasons;
}

}  // namespace

std::string_view word_for(MatchQuality quality) {
  switch (quality) {
    case MatchQuality::exact: return "exact";
    case MatchQuality::gap_run: return "gap_run";
    case MatchQuality::name_only: break;
  }
  return "name_only";
}

LaunchJoin join_launches(Launches first, Launches second) { return Joiner(first, second).made(); }

}  // namespace frx::derive::compare
