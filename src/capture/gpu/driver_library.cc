#include "capture/gpu/driver_library.h"

namespace frx::capture {

Result<void*> open_driver_library(const std::string& path, const std::string& name, std::string_view what) {
  void* library = ::dlopen(path.empty() ? name.c_str() : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && path.empty()) library = ::dlopen(("/usr/lib/wsl/lib/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* why = ::dlerror();
  return fail(ErrorKind::environment, "cannot load {}: {}", what, why == nullptr ? "not found" : why);
}

}  // namespace frx::capture
