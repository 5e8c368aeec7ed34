// A text that many things carry and none of them changes, such as the name of the file they were found in. Copies are one
// text; it lives as long as the last of them.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace frx {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(std::string_view text) : SharedText(std::string(text)) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  std::string_view view() const { return text_ ? std::string_view(*text_) : std::string_view(); }
  operator std::string_view() const { return view(); }
  bool empty() const { return text_ == nullptr; }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_ || a.view() == b.view(); }
  template <typename Text>
  requires std::convertible_to<const Text&, std::string_view>
  friend bool operator==(const SharedText& a, const Text& b) { return a.view() == std::string_view(b); }

 private:
  std::shared_ptr<const std::string> text_;  // null: empty
};

}  // namespace frx
