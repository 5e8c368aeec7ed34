// What is known about a kernel or a run, as the rules of data/recommendations ask for it: names with
// a truth, a number or a text.
//
// A signal that was not measured is absent. It equals nothing, so it neither opens nor closes a rule.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace frx::advise {

using SignalValue = std::variant<bool, double, std::string>;

// "mfu_low: true", "roofline_region: memory_bound".
struct Condition {
  std::string_view signal;
  SignalValue value;
};

class SignalMap {
 public:
  void set(std::string_view name, bool value) { put(name, value); }
  void set(std::string_view name, double value) { put(name, value); }
  void set(std::string_view name, std::string_view text) { put(name, std::string(text)); }
  void set(std::string_view name, const char* text) { put(name, std::string(text)); }
  // What is unknown stays absent.
  template <typename T>
  void set(std::string_view name, const std::optional<T>& value) {
    if (value) set(name, *value);
  }

  const SignalValue* find(std::string_view name) const {
    const auto at = values_.find(name);
    return at == values_.end() ? nullptr : &at->second;
  }
  bool meets(const Condition& condition) const {
    const SignalValue* value = find(condition.signal);
    return value && *value == condition.value;
  }
  std::optional<double> number(std::string_view name) const {
    const SignalValue* value = find(name);
    const double* number = value ? std::get_if<double>(value) : nullptr;
    return number ? std::optional(*number) : std::nullopt;
  }
  const auto& all() const { return values_; }

 private:
  void put(std::string_view name, SignalValue value) { values_.insert_or_assign(std::string(name), std::move(value)); }

  std::map<std::string, SignalValue, std::less<>> values_;
};

}  // namespace frx::advise
