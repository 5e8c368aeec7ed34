#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace frx {
namespace {

constexpr std::size_t longest = 4096;

// Whether a reference to an earlier part of the name, or to a template argument, begins at `i`: S_, S1A_, T0_.
bool refers_at(std::string_view name, std::size_t i) {
  if (name[i] != 'S' && name[i] != 'T') return false;
  const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
  return end != name.npos && end - i < 5 && name[end] == '_';
}

// At most what the name becomes: two references may double what stands before them, and an expanded pack may
// repeat it for each of its members.
std::size_t largest_text(std::string_view name) {
  std::size_t references = 0, factor = name.size();
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    references += refers_at(name, i) ? 1 : 0;
    const std::string_view pair = name.substr(i, 2);
    if (pair == "Dp" || pair == "sp") factor *= 8;
    if (factor > DemanglingBudget().bytes || references > 60) return DemanglingBudget().bytes + 1;
  }
  return factor << (references / 2);
}

}  // namespace

std::string demangled(std::string_view mangled, DemanglingBudget& budget) {
  if (!mangled.starts_with("_Z") || mangled.size() > longest) return "";
  const std::size_t needed = largest_text(mangled);
  if (needed > budget.bytes) return "";
  budget.bytes -= needed;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : "";
}

}  // namespace frx
