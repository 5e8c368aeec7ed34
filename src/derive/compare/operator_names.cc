#include "derive/compare/operator_names.h"

namespace frx::derive::compare {
namespace {

constexpr std::string_view maker = "triton_", mark = "_fused_", framework = "aten::", digits = "0123456789";

bool is_letter(char c) { return c != '_'; }

}  // namespace

std::string_view canonical_name(std::string_view name) {
  if (!name.starts_with(maker)) return name;
  const std::size_t last = name.find_last_not_of(digits);
  return last != name.npos && last + 1 < name.size() && last > 0 && name[last] == '_' ? name.substr(0, last) : name;
}

bool is_fused_name(std::string_view name) { return name.starts_with(maker) && name.find(mark) != name.npos; }

bool is_fused_of(std::string_view fused, std::string_view operation) {
  const std::size_t at = fused.find(mark);
  if (!is_fused_name(fused) || !operation.starts_with(framework)) return false;
  const std::string_view parts = canonical_name(fused).substr(at + mark.size());
  std::string_view wanted = operation.substr(framework.size());
  while (wanted.ends_with('_')) wanted.remove_suffix(1);  // in place
  while (wanted.starts_with('_')) wanted.remove_prefix(1);
  if (wanted.empty()) return false;
  for (std::size_t found = parts.find(wanted); found != parts.npos; found = parts.find(wanted, found + 1)) {
    const std::size_t end = found + wanted.size();
    if ((found == 0 || !is_letter(parts[found - 1])) && (end == parts.size() || !is_letter(parts[end]))) return true;
  }
  return false;
}

}  // namespace frx::derive::compare
