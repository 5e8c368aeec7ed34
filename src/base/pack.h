// Values as bytes and back: whole numbers in as few bytes as they need, texts and lists after their length.
//
// What a type consists of is said once, for both directions, beside the code that stores it:
//
//   template <class Archive> void fields(Archive& archive, Point& point) { archive(point.x, point.y); }
//
//   Packer out;                      Unpacker in(bytes);
//   out(point);                      in(point);  if (!in.ok()) ...
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace frx {

// Small magnitudes of either sign as small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
constexpr std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unfolded(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

// Of the lowest `width` bytes, the lowest first.
void put_fixed(std::string& bytes, std::uint64_t value, int width);

class Packer {
 public:
  static constexpr bool reads = false;

  template <typename... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }
  // One of an enumeration, up to `last`.
  template <typename Enum>
  void choice(Enum& value, Enum) {
    number(static_cast<std::uint64_t>(value));
  }
  void number(std::uint64_t value);  // seven bits a byte, the lowest first

  std::string bytes;

 private:
  template <typename Value>
  void put(Value& value) {
    if constexpr (std::is_same_v<Value, double>) {
      put_fixed(bytes, std::bit_cast<std::uint64_t>(value), 8);
    } else if constexpr (std::is_signed_v<Value>) {
      number(folded(static_cast<std::int64_t>(value)));
    } else if constexpr (std::is_integral_v<Value>) {
      number(static_cast<std::uint64_t>(value));
    } else {
      fields(*this, value);
    }
  }
  void put(std::string& text);
  template <typename Value>
  void put(std::optional<Value>& value) {
    number(value.has_value());
    if (value) put(*value);
  }
  template <typename Value>
  void put(std::vector<Value>& values) {
    number(values.size());
    for (Value& value : values) put(value);
  }
  template <typename Value, std::size_t count>
  void put(std::array<Value, count>& values) {
    for (Value& value : values) put(value);
  }
};

// Of bytes that are not trusted: what does not fit leaves ok() false, and every value read from then on is empty.
class Unpacker {
 public:
  static constexpr bool reads = true;

  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  bool ok() const { return ok_; }
  std::size_t bytes_left() const { return left_.size(); }
  void refuse() {
    ok_ = false;
    left_ = {};
  }

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    const std::uint64_t read = number();
    if (read > static_cast<std::uint64_t>(last)) return refuse();
    value = static_cast<Enum>(read);
  }
  std::uint64_t number();
  // The next `count` bytes.
  std::string_view text(std::uint64_t count);

 private:
  template <typename Value>
  void get(Value& value) {
    if constexpr (std::is_same_v<Value, double>) {
      value = std::bit_cast<double>(fixed());
    } else if constexpr (std::is_same_v<Value, bool>) {
      const std::uint64_t read = number();
      value = read == 1;
      if (read > 1) refuse();
    } else if constexpr (std::is_signed_v<Value>) {
      narrow(value, unfolded(number()));
    } else if constexpr (std::is_integral_v<Value>) {
      narrow(value, number());
    } else {
      fields(*this, value);
    }
  }
  template <typename Value, typename Wide>
  void narrow(Value& value, Wide wide) {
    value = static_cast<Value>(wide);
    if (static_cast<Wide>(value) != wide) refuse();
  }
  void get(std::string& text);
  template <typename Value>
  void get(std::optional<Value>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (present && ok_) get(value.emplace());
  }
  // A count that lies ends where the bytes do: every element takes at least one.
  template <typename Value>
  void get(std::vector<Value>& values) {
    const std::uint64_t count = number();
    values.clear();
    if (count > left_.size()) return refuse();
    for (std::uint64_t i = 0; i < count && ok_; ++i) get(values.emplace_back());
  }
  template <typename Value, std::size_t count>
  void get(std::array<Value, count>& values) {
    for (Value& value : values) get(value);
  }
  std::uint64_t fixed();

  std::string_view left_;
  bool ok_ = true;
};

}  // namespace frx
