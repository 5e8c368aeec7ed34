// Loading the libraries of the driver, which are there only where a driver is.
#pragma once

#include <string>

#include "base/library_function.h"
#include "base/result.h"
#include "capture/host.h"

namespace frx::capture {

// `path`, or where it is "" `name` where the system looks for it, else in the folder of WSL. `what` names it in the error.
Result<void*> open_driver_library(const std::string& path, const std::string& name, std::string_view what);

// Whether this machine has a driver whose libraries can be loaded.
inline bool has_driver(const Host& host) { return host.exists("/dev/nvidiactl") || host.exists("/dev/dxg"); }

}  // namespace frx::capture
