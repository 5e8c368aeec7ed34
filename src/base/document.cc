#include "base/document.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace frx {

std::string_view Value::text() const { return is_text() ? view_->pool.substr(node().begin, node().size) : std::string_view(); }

std::optional<double> Value::number() const {
  const std::string_view digits = trim(text());
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<bool> Value::boolean() const {
  const std::string_view word = text();
  if (word == "true") return true;
  if (word == "false") return false;
  return std::nullopt;
}

// Called thousands of times while the catalogues are built, so lengths are compared before texts.
Value Value::operator[](std::string_view name) const {
  if (!is_map()) return {};
  const char* const pool = view_->pool.data();
  const DocumentNode* key = &view_->nodes[node().begin];
  for (std::uint32_t i = 0; i < node().size; ++i, key += 2) {
    if (key->size != name.size() || key->kind != DocumentNode::text) continue;
    const char* const text = pool + key->begin;
    // Most keys of the same length differ in their first letter: the call costs more than looking.
    if (name.empty() || (*text == name[0] && std::memcmp(text, name.data(), name.size()) == 0)) return value(i);
  }
  return {};
}

Result<Value> Value::list(std::string_view key) const {
  const Value value = (*this)[key];
  if (value && !value.is_list()) return fail(ErrorKind::malformed, "expected a list under '{}'", key).at(value.where());
  return value;
}

std::vector<std::string_view> Value::texts() const {
  if (is_text()) return {text()};
  std::vector<std::string_view> result;
  if (!is_list()) return result;
  result.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) result.push_back(item(i).text());
  return result;
}

std::string Value::where() const {
  if (!view_) return {};
  std::string place(view_->file);
  return place.append(":").append(std::to_string(node().line));
}

}  // namespace frx
