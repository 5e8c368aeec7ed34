// The short form of a C++ kernel name: no return type, no template arguments, no parameters.

#include <string>
#include <string_view>

#include "base/text.h"
#include "report/report.h"

namespace frx::report {

std::string short_kernel_name(std::string_view name) {
  std::string kept;
  int angle = 0, round = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') {
      ++angle;
    } else if (c == '>') {
      if (angle > 0)
        --angle;
      else
        kept.clear();  // "unnamed>::kernel": ncu cut the opening of "<unnamed>"
    } else if (c == '(' && name.substr(i).starts_with("(anonymous namespace)") && angle == 0 && round == 0) {
      i += std::string_view("(anonymous namespace)").size() - 1;
      if (name.substr(i + 1).starts_with("::")) i += 2;
    } else if (c == '(' && angle == 0) {
      if (round == 0 && !kept.empty() && kept.back() != ' ') break;  // parameters: the rest is not the name
      ++round;
    } else if (c == ')' && angle == 0 && round > 0) {
      --round;
    } else if (angle == 0 && round == 0) {
      kept += c;
    }
  }
  std::string_view text = trim(kept);
  if (const std::size_t blank = text.rfind(' '); blank != text.npos) text = text.substr(blank + 1);
  while (text.starts_with("::")) text.remove_prefix(2);
  return text.empty() ? std::string(trim(name)) : std::string(text);
}

std::string kernel_called(std::string_view name) {
  const std::string readable = short_kernel_name(readable_symbol(name));
  const std::size_t scope = readable.rfind("::");
  return scope == readable.npos ? readable : readable.substr(scope + 2);
}

}  // namespace frx::report
