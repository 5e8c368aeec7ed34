// Whether this process may read the GPU's performance counters, and if not, the remedy on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/host.h"

namespace frx::capture {

enum class Place { bare_metal, container, wsl2 };

// WSL2 wins over container: there the switch is on the Windows side, also for containers.
Place place_of(const Host& host);

struct CounterPermission {
  Place place = Place::bare_metal;
  std::optional<bool> admin_only;  // RmProfilingAdminOnly of the driver; absent when it cannot be read
  bool is_admin = false;           // this process has CAP_SYS_ADMIN

  // nullopt: unknown.
  std::optional<bool> allowed() const;
};

CounterPermission counter_permission(const Host& host);

// Why the counters are refused, in one line, and the remedies, one per line.
std::string permission_cause(const CounterPermission& permission);
std::vector<std::string> permission_remedy(const CounterPermission& permission);

}  // namespace frx::capture
