#include "capture/permission.h"

#include "base/text.h"

namespace frx::capture {
namespace {

constexpr int cap_sys_admin = 21;  // linux/capability.h

// The value after "name:" on a line of its own.
std::optional<std::string> field(const std::string& text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    return std::string(trim(line.substr(name.size() + 1)));
  }
  return std::nullopt;
}

bool has_sys_admin(const Host& host) {
  const std::optional<std::string> status = host.file("/proc/self/status");
  const std::optional<std::string> mask = status ? field(*status, "CapEff") : std::nullopt;
  if (!mask) return false;
  unsigned long long bits = 0;
  const auto [end, error] = std::from_chars(mask->data(), mask->data() + mask->size(), bits, 16);
  return error == std::errc() && (bits >> cap_sys_admin & 1) != 0;
}

bool in_container(const Host& host) {
  if (host.exists("/.dockerenv") || host.exists("/run/.containerenv")) return true;
  if (host.variable("KUBERNETES_SERVICE_HOST") || host.variable("container")) return true;
  const std::string groups = host.file("/proc/1/cgroup").value_or("");
  for (const std::string_view word : {"docker", "kubepods", "containerd", "libpod", "lxc"}) {
    if (groups.find(word) != groups.npos) return true;
  }
  return contains_ignoring_case(host.file("/proc/version").value_or(""), "gvisor");
}

}  // namespace

Place place_of(const Host& host) {
  if (contains_ignoring_case(host.file("/proc/version").value_or(""), "microsoft")) return Place::wsl2;
  return in_container(host) ? Place::container : Place::bare_metal;
}

std::optional<bool> CounterPermission::allowed() const {
  if (!admin_only) return std::nullopt;
  return !*admin_only || is_admin;
}

CounterPermission counter_permission(const Host& host) {
  CounterPermission permission;
  permission.place = place_of(host);
  permission.is_admin = has_sys_admin(host);
  if (const auto parameters = host.file("/proc/driver/nvidia/params")) {
    if (const auto value = field(*parameters, "RmProfilingAdminOnly")) permission.admin_only = *value != "0";
  }
  return permission;
}

std::string permission_cause(const CounterPermission& permission) {
  if (permission.place == Place::wsl2) return "Windows lets administrators only read GPU performance counters";
  const std::string setting = !permission.admin_only   ? ""
                              : *permission.admin_only ? " (RmProfilingAdminOnly: 1)"
                                                       : " (RmProfilingAdminOnly: 0)";
  if (permission.place == Place::container) {
    return "the driver of the host keeps GPU performance counters from this container" + setting;
  }
  return "the driver lets administrators only read GPU performance counters" + setting;
}

std::vector<std::string> permission_remedy(const CounterPermission& permission) {
  switch (permission.place) {
    case Place::wsl2:
      return {"on Windows: NVIDIA Control Panel > Desktop > Enable Developer Settings, then Developer >",
              "Manage GPU Performance Counters > Allow access to all users; then: wsl --shutdown"};
    case Place::container:
      return {"start the container with --cap-add=SYS_ADMIN (Kubernetes: securityContext.capabilities.add),",
              "or set NVreg_RestrictProfilingToAdminUsers=0 on the host; nothing inside the container changes it"};
    case Place::bare_metal:
      return {"now:     run it as root (or with CAP_SYS_ADMIN)", "forever: echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' |",
              "           sudo tee /etc/modprobe.d/nvidia-profiling.conf",
              "         sudo update-initramfs -u    (Fedora, RHEL: sudo dracut --force)", "         then reboot"};
  }
  return {};
}

}  // namespace frx::capture
