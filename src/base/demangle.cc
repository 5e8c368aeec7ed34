#include "base/demangle.h"

#include <algorithm>
#include <csetjmp>

// The function behind abi::__cxa_demangle in libstdc++: it delivers the text in pieces. The other one allocates all of it before its size
// can be limited.
extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*piece)(const char*, std::size_t, void*), void* context);

namespace frx {
namespace {

struct Text {
  std::string bytes;
  std::size_t most = 0;
  std::jmp_buf too_long;
};

// The callback cannot ask its caller to stop. The frames that are left are C without anything to clean up.
void append(const char* piece, std::size_t size, void* context) {
  Text& text = *static_cast<Text*>(context);
  if (size > text.most - text.bytes.size()) std::longjmp(text.too_long, 1);  // NOLINT(cert-err52-cpp)
  text.bytes.append(piece, size);
}

// False: no name, or too long a text.
bool write_text(const char* mangled, Text& text) {
  if (setjmp(text.too_long) != 0) return false;  // NOLINT(cert-err52-cpp)
  return __gcclibcxx_demangle_callback(mangled, &append, &text) == 0;
}

}  // namespace

std::string demangled(std::string_view mangled, DemanglingBudget& budget) {
  constexpr std::size_t longest_name = 4096, longest_text = std::size_t{64} << 10;
  if (!mangled.starts_with("_Z") || mangled.size() > longest_name) return "";
  Text text;
  text.most = std::min(longest_text, budget.bytes);
  const std::string name(mangled);
  const bool written = write_text(name.c_str(), text);
  budget.bytes -= text.bytes.size();
  return written ? std::move(text.bytes) : "";
}

}  // namespace frx
