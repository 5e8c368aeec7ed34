#include "support/random_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace frx::testing {
namespace {

constexpr std::size_t pointers = 2, numbers = 3;  // parameters

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15 + 1) {}

  RandomKernel write();

 private:
  // A register with a number of 32 bits, and what it is made of.
  struct Value {
    std::string name;
    bool unknown = false;  // of more than thread numbers
    bool data = false;
    bool rounds = false;
  };

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  template <typename T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(static_cast<std::uint32_t>(list.size())));
  }

  template <typename... Args>
  void emit(fmt::format_string<Args...> format, Args&&... args) {
    body_ += indent_ + fmt::format(format, std::forward<Args>(args)...) + ";\n";
  }
  void label(const std::string& name) { body_ += name + ":\n"; }
  std::string fresh() { return fmt::format("%r{}", registers_++); }
  std::string fresh_wide() { return fmt::format("%rd{}", wide_++); }
  std::string fresh_predicate() { return fmt::format("%p{}", predicates_++); }
  std::string number() { return std::to_string(below(12) == 0 ? -static_cast<int>(below(40)) : static_cast<int>(below(70))); }

  void choose_launch();
  void begin();
  Value leaf();
  Value combined();
  Value sum(const Value& a, const Value& b);
  Value masked(const Value& a);
  Value chosen(const Value& a, const Value& b);
  Value made_of(const std::string& name, const Value& a, const Value& b) const;
  Value index();
  std::string condition(bool may_be_unknown);
  void access();
  void access_global(const Value& index);
  void access_shared(const Value& index);
  void transfer(const std::string& space, const std::string& address, const std::string& prefix);
  void gather();
  void loop(int depth);
  void moving_pointer(int depth);
  void branch(int depth);
  void diamond();
  void reassign();
  void block(int depth);

  std::mt19937_64 random_;
  RandomKernel kernel_;
  std::string body_, indent_ = "  ";
  std::vector<Value> values_, variables_;
  int registers_ = 0, wide_ = 0, predicates_ = 0, labels_ = 0, accesses_ = 0;
  std::uint32_t bytes_ = 4;
};

void Writer::choose_launch() {
  const std::uint32_t dimensions = 1 + below(3);
  if (dimensions == 1) kernel_.block = {one_of({32u, 64u, 128u, 256u, 96u, 48u, 31u, 100u}), 1, 1};
  if (dimensions == 2) kernel_.block = {one_of({8u, 16u, 32u, 4u, 12u, 33u}), one_of({1u, 2u, 4u, 8u, 3u}), 1};
  if (dimensions == 3) kernel_.block = {one_of({2u, 4u, 8u, 5u}), one_of({2u, 4u, 8u, 3u}), one_of({1u, 2u, 4u})};
  kernel_.grid = {1 + below(20), 1 + below(5), 1 + below(3)};
  for (std::size_t i = 0; i < 3; ++i) kernel_.block_index[i] = below(kernel_.grid[i]);
  for (std::size_t i = 0; i < pointers; ++i) kernel_.parameters.push_back(0x7F0000000000 + 256ull * below(1000));
  for (std::size_t i = 0; i < numbers; ++i) {
    kernel_.parameters.push_back(one_of({1u + below(8), 1u + below(100), 16u << below(4), 33u, 1024u}));
  }
}

// The numbers that everything is made of.
void Writer::begin() {
  for (const char* base : {"tid", "ctaid", "ntid", "nctaid"}) {
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string name = fresh();
      emit("mov.u32 {}, %{}.{}", name, base, axis);
      const std::string_view which = base;
      values_.push_back({name, which == "ctaid" || which == "nctaid", false, false});
    }
  }
  const std::string lane = fresh();
  emit("mov.u32 {}, %laneid", lane);
  values_.push_back({lane, false, false, false});
  for (std::size_t i = 0; i < numbers; ++i) {
    const std::string name = fresh();
    emit("ld.param.u32 {}, [k_param_{}]", name, pointers + i);
    values_.push_back({name, true, false, false});
  }
  // Registers that are written again and again, on some ways only.
  for (int i = 0; i < 2; ++i) {
    variables_.push_back({fresh(), true, false, true});
    emit("mov.u32 {}, {}", variables_.back().name, i == 0 ? "0" : values_[below(3)].name);
    values_.push_back(variables_.back());
  }
  for (std::size_t i = 0; i < pointers; ++i) {
    const std::string wide = fresh_wide();
    emit("ld.param.u64 {}, [k_param_{}]", wide, i);
    if (chance(80)) emit("cvta.to.global.u64 {}, {}", wide, wide);
  }
}

Writer::Value Writer::made_of(const std::string& name, const Value& a, const Value& b) const {
  return {name, a.unknown || b.unknown, a.data || b.data, a.rounds || b.rounds};
}

// Thread numbers more often than others.
Writer::Value Writer::leaf() {
  if (chance(45)) return values_[chance(60) ? 0 : below(3)];
  return values_[below(static_cast<std::uint32_t>(values_.size()))];
}

Writer::Value Writer::sum(const Value& a, const Value& b) {
  const std::string name = fresh();
  switch (below(5)) {
    case 0: emit("mad.lo.s32 {}, {}, {}, {}", name, a.name, number(), b.name); break;
    case 1: emit("sub.s32 {}, {}, {}", name, a.name, b.name); break;
    case 2: emit("add.u32 {}, {}, {}", name, a.name, b.name); break;
    default: emit("add.s32 {}, {}, {}", name, a.name, b.name); break;
  }
  return made_of(name, a, b);
}

Writer::Value Writer::masked(const Value& a) {
  const std::string name = fresh();
  switch (below(10)) {
    case 0: emit("and.b32 {}, {}, {}", name, a.name, one_of({31, 7, 15, 1, 3, 63, 255})); break;
    case 1: emit("and.b32 {}, {}, {}", name, a.name, one_of({-4, -32, 30, 0x3E0, 5, -2})); break;
    case 2: emit("shr.u32 {}, {}, {}", name, a.name, below(7)); break;
    case 3: emit("shr.s32 {}, {}, {}", name, a.name, below(7)); break;
    case 4: emit("div.{} {}, {}, {}", one_of({"u32", "s32"}), name, a.name, 1 + below(9)); break;
    case 5: emit("rem.{} {}, {}, {}", one_of({"u32", "s32"}), name, a.name, 1 + below(40)); break;
    case 6: emit("bfe.u32 {}, {}, {}, {}", name, a.name, below(5), 1 + below(6)); break;
    case 7: emit("xor.b32 {}, {}, {}", name, a.name, one_of({1, 3, 7, 16, -1})); break;
    case 8: emit("not.b32 {}, {}", name, a.name); break;
    default: emit("or.b32 {}, {}, {}", name, a.name, one_of({1, 4, 32})); break;
  }
  return made_of(name, a, a);
}

Writer::Value Writer::chosen(const Value& a, const Value& b) {
  const std::string name = fresh();
  switch (below(5)) {
    case 0: emit("min.s32 {}, {}, {}", name, a.name, b.name); break;
    case 1: emit("max.u32 {}, {}, {}", name, a.name, b.name); break;
    case 2: emit("xor.b32 {}, {}, {}", name, a.name, b.name); break;
    case 3: emit("or.b32 {}, {}, {}", name, a.name, b.name); break;
    default: {
      const std::string predicate = fresh_predicate();
      const Value c = leaf();
      emit("setp.{}.{} {}, {}, {}", one_of({"lt", "ge", "eq", "ne", "gt", "le"}), one_of({"s32", "u32"}), predicate, c.name, number());
      emit("selp.b32 {}, {}, {}, {}", name, a.name, b.name, predicate);
      return made_of(name, made_of(name, a, b), c);
    }
  }
  return made_of(name, a, b);
}

Writer::Value Writer::combined() {
  const Value a = leaf(), b = leaf();
  const std::string name = fresh();
  const std::uint32_t kind = below(100);
  if (kind < 35) return sum(a, b);
  if (kind < 50) {
    emit("mul.lo.s32 {}, {}, {}", name, a.name, chance(50) ? number() : b.name);
    return made_of(name, a, b);
  }
  if (kind < 60) {
    emit("mad.lo.s32 {}, {}, {}, {}", name, a.name, b.name, leaf().name);
    return {name, true, a.data || b.data, true};
  }
  if (kind < 70) {
    emit("shl.b32 {}, {}, {}", name, a.name, below(8));
    return made_of(name, a, a);
  }
  return kind < 88 ? masked(a) : chosen(a, b);
}

// blockIdx * blockDim + threadIdx and the like, then whatever comes.
Writer::Value Writer::index() {
  if (chance(30)) {
    const std::uint32_t axis = below(2);
    const std::string name = fresh();
    emit("mad.lo.s32 {}, {}, {}, {}", name, values_[3 + axis].name, values_[6 + axis].name, values_[axis].name);
    values_.push_back({name, true, false, false});
  }
  const std::uint32_t count = 1 + below(4);
  for (std::uint32_t i = 0; i < count; ++i) values_.push_back(combined());
  return values_[values_.size() - 1 - below(std::min<std::uint32_t>(2, count))];
}

// Always one on which lanes may differ, or all agree; never one of loop counters.
std::string Writer::condition(bool may_be_unknown) {
  Value value = leaf();
  for (int i = 0; i < 8 && (value.rounds || value.data || (value.unknown && !may_be_unknown)); ++i) value = leaf();
  if (value.rounds || value.data || (value.unknown && !may_be_unknown)) value = values_[0];
  if (value.unknown) kernel_.has_unknown_conditions = true;
  const std::string predicate = fresh_predicate();
  emit("setp.{}.{} {}, {}, {}", one_of({"lt", "ge", "eq", "ne", "gt", "le"}), one_of({"s32", "u32"}), predicate, value.name,
       chance(50) ? std::to_string(below(40)) : std::to_string(below(4) * 16));
  return predicate;
}

void Writer::transfer(const std::string& space, const std::string& address, const std::string& prefix) {
  const std::string offset = chance(60) ? "" : fmt::format("+{}", (static_cast<int>(below(40)) - 8) * static_cast<int>(bytes_));
  const std::string scalar = bytes_ == 1 ? "u8" : bytes_ == 2 ? "u16" : bytes_ == 4 ? "u32" : "u64";
  const bool is_vector = bytes_ == 16 || (bytes_ == 8 && chance(40));
  const bool stores = chance(40);
  if (is_vector) {
    const int parts = static_cast<int>(bytes_) / 4;
    std::string registers;
    for (int i = 0; i < parts; ++i) registers += (i == 0 ? "" : ", ") + (stores ? values_[0].name : fresh());
    const std::string form = fmt::format("{}.{}.v{}.u32", stores ? "st" : "ld", space, parts);
    stores ? emit("{}{} [{}{}], {{{}}}", prefix, form, address, offset, registers)
           : emit("{}{} {{{}}}, [{}{}]", prefix, form, registers, address, offset);
    return;
  }
  const std::string value = bytes_ == 8 ? (stores ? "%rd0" : fresh_wide()) : (stores ? values_[0].name : fresh());
  stores ? emit("{}st.{}.{} [{}{}], {}", prefix, space, scalar, address, offset, value)
         : emit("{}ld.{}.{} {}, [{}{}]", prefix, space, scalar, value, address, offset);
}

void Writer::access_global(const Value& index) {
  const std::string wide = fresh_wide(), address = fresh_wide();
  switch (below(4)) {
    case 0:
      emit("cvt.s64.s32 {}, {}", wide, index.name);
      if (bytes_ > 1) emit("shl.b64 {}, {}, {}", wide, wide, bytes_ == 2 ? 1 : bytes_ == 4 ? 2 : bytes_ == 8 ? 3 : 4);
      break;
    case 1: emit("mul.wide.u32 {}, {}, {}", wide, index.name, bytes_); break;
    default: emit("mul.wide.s32 {}, {}, {}", wide, index.name, bytes_); break;
  }
  emit("add.s64 {}, %rd{}, {}", address, below(pointers), wide);
  const std::string prefix = chance(12) ? "@" + std::string(chance(50) ? "!" : "") + condition(true) + " " : "";
  transfer("global", address, prefix);
}

void Writer::access_shared(const Value& index) {
  const std::string row = fresh(), address = fresh(), base = fresh();
  emit("mov.u32 {}, {}", base, one_of({"tile", "other"}));
  if (chance(50)) {
    const Value other = leaf();
    emit("mad.lo.s32 {}, {}, {}, {}", row, other.name, (16 + below(34)) * bytes_, base);
  } else {
    emit("mov.u32 {}, {}", row, base);
  }
  emit("mad.lo.s32 {}, {}, {}, {}", address, index.name, bytes_, row);
  const std::string prefix = chance(12) ? "@" + condition(true) + " " : "";
  transfer("shared", address, prefix);
}

void Writer::access() {
  ++accesses_;
  bytes_ = one_of({1u, 2u, 4u, 4u, 4u, 8u, 16u});
  const Value chosen_index = index();
  chance(55) ? access_global(chosen_index) : access_shared(chosen_index);
}

// What was read is an index again.
void Writer::gather() {
  const std::string wide = fresh_wide(), read = fresh();
  emit("mul.wide.s32 {}, {}, 4", wide, leaf().name);
  emit("add.s64 {}, %rd0, {}", wide, wide);
  emit("ld.global.u32 {}, [{}]", read, wide);
  values_.push_back({read, true, true, false});
  kernel_.reads_indices = true;
}

void Writer::block(int depth) {
  const std::size_t known = values_.size();
  const std::uint32_t statements = 1 + below(3);
  for (std::uint32_t i = 0; i < statements; ++i) {
    const std::uint32_t kind = below(100);
    if (kind < 60 || depth >= 2) {
      access();
    } else if (kind < 72) {
      loop(depth + 1);
    } else if (kind < 82) {
      moving_pointer(depth + 1);
    } else if (kind < 88) {
      branch(depth + 1);
    } else if (kind < 91) {
      diamond();
    } else if (kind < 97) {
      reassign();
    } else {
      gather();
    }
  }
  // What a branch or loop has made is not there behind it.
  if (depth > 0) values_.resize(std::min(values_.size(), known));
}

// for (i = begin; rounds; i += step)
void Writer::loop(int depth) {
  const std::string counter = fresh(), left = fresh(), predicate = fresh_predicate(), name = fmt::format("L{}", labels_++);
  const Value begin = leaf();
  const bool parts_lanes = chance(30);
  const bool by_register = chance(40);
  const std::string step = by_register ? values_[6 + below(9)].name : number();
  emit("mov.u32 {}, {}", counter, chance(50) ? begin.name : "0");
  // Some loops have another number of rounds for each lane.
  if (parts_lanes) {
    emit("and.b32 {}, {}, 3", left, values_[0].name);
    emit("add.s32 {}, {}, 1", left, left);
    kernel_.parts_lanes = true;
  } else {
    emit("mov.u32 {}, {}", left, 1 + below(4));
  }
  label(name);
  const std::size_t known = values_.size();
  values_.push_back({counter, true, begin.data, true});
  values_.push_back(values_.back());
  block(depth);
  if (chance(30)) reassign();
  if (chance(15)) {
    const std::string masked = fresh();
    emit("and.b32 {}, {}, 7", masked, counter);
    emit("add.s32 {}, {}, {}", counter, counter, masked);
  }
  values_.resize(known);
  emit("{}.s32 {}, {}, {}", one_of({"add", "add", "add", "sub"}), counter, counter, step);
  emit("sub.s32 {}, {}, 1", left, left);
  emit("setp.ne.s32 {}, {}, 0", predicate, left);
  emit("@{} bra {}", predicate, name);
}

// An address of 64 bits that moves on in each round.
void Writer::moving_pointer(int depth) {
  static_cast<void>(depth);
  bytes_ = one_of({1u, 4u, 4u, 8u, 16u});
  const std::string address = fresh_wide(), wide = fresh_wide(), left = fresh(), predicate = fresh_predicate();
  const std::string name = fmt::format("L{}", labels_++);
  emit("mul.wide.s32 {}, {}, {}", wide, index().name, bytes_);
  emit("add.s64 {}, %rd{}, {}", address, below(pointers), wide);
  const std::string step = fresh_wide();
  const bool by_register = chance(50);
  if (by_register) emit("mul.wide.s32 {}, {}, {}", step, leaf().name, bytes_);
  emit("mov.u32 {}, {}", left, 1 + below(4));
  label(name);
  ++accesses_;
  transfer("global", address, "");
  emit("add.s64 {}, {}, {}", address, address, by_register ? step : std::to_string(bytes_ * (1 + below(40))));
  if (chance(40)) {
    transfer("global", address, "");
    emit("add.s64 {}, {}, {}", address, address, bytes_ * below(9));
  }
  emit("sub.s32 {}, {}, 1", left, left);
  emit("setp.ne.s32 {}, {}, 0", predicate, left);
  emit("@{} bra {}", predicate, name);
}

void Writer::branch(int depth) {
  const std::string other = fmt::format("L{}", labels_++), end = fmt::format("L{}", labels_++);
  const std::string predicate = condition(true);
  emit("@{}{} bra {}", chance(50) ? "!" : "", predicate, other);
  if (chance(40)) reassign();
  block(depth);
  if (chance(50)) {
    emit("bra.uni {}", end);
    label(other);
    block(depth);
    if (chance(40)) reassign();
    label(end);
  } else {
    label(other);
  }
}

// A number that depends on the way that was taken.
void Writer::diamond() {
  const std::string other = fmt::format("L{}", labels_++), end = fmt::format("L{}", labels_++), name = fresh();
  const Value a = leaf(), b = leaf();
  const std::string predicate = condition(true);
  emit("@{} bra {}", predicate, other);
  emit("add.s32 {}, {}, {}", name, a.name, number());
  emit("bra.uni {}", end);
  label(other);
  emit("add.s32 {}, {}, {}", name, chance(50) ? a.name : b.name, number());
  label(end);
  values_.push_back(made_of(name, made_of(name, a, b), {"", true, false, true}));
}

// A register gets another value; in a branch or under a condition only for some.
void Writer::reassign() {
  const Value& variable = variables_[below(2)];
  const std::string prefix = chance(30) ? "@" + condition(true) + " " : "";
  switch (below(3)) {
    case 0: emit("{}add.s32 {}, {}, {}", prefix, variable.name, variable.name, number()); break;
    case 1: emit("{}mov.u32 {}, {}", prefix, variable.name, values_[below(9)].name); break;
    default: emit("{}add.s32 {}, {}, {}", prefix, variable.name, variable.name, values_[below(9)].name); break;
  }
}

RandomKernel Writer::write() {
  choose_launch();
  begin();
  while (accesses_ == 0 || chance(50)) block(0);
  std::string parameters;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    parameters += fmt::format("{}.param .{} k_param_{}", i == 0 ? "" : ", ", i < pointers ? "u64" : "u32", i);
  }
  kernel_.text = fmt::format(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k({})\n{{\n"
      "  .reg .pred %p<{}>;\n  .reg .b32 %r<{}>;\n  .reg .b64 %rd<{}>;\n"
      "  .shared .align 4 .b8 tile[1000];\n  .shared .align 16 .b8 other[4096];\n{}  ret;\n}}\n",
      parameters, predicates_ + 1, registers_ + 1, wide_ + 1, body_);
  return std::move(kernel_);
}

}  // namespace

RandomKernel random_kernel(std::uint64_t seed) { return Writer(seed).write(); }

}  // namespace frx::testing
