#include "ingest/nsys/names.h"

#include <array>

#include <fmt/format.h>

namespace frx::ingest::nsys {
namespace {

constexpr std::array<std::string_view, 14> directions = {"",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                                         "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
constexpr std::int64_t first_of_managed_memory = 11;
constexpr std::array<std::string_view, 7> memories = {"Pageable", "Pinned", "Device", "Array", "Managed", "Device", "Managed"};
constexpr std::array<std::string_view, 5> syncs = {"Synchronization", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};

template <std::size_t Size>
std::string_view one_of(const std::array<std::string_view, Size>& names, std::int64_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < Size ? names[static_cast<std::size_t>(number)] : std::string_view();
}

}  // namespace

std::string_view call_name(std::string_view name) {
  if (!name.starts_with("cuda")) return name;
  if (const std::size_t at = name.rfind("_v"); at != name.npos && name.find_first_not_of("0123456789", at + 2) == name.npos)
    name = name.substr(0, at);
  for (const std::string_view of_streams : {"_ptsz", "_ptds"}) {
    if (name.ends_with(of_streams)) name.remove_suffix(of_streams.size());
  }
  return name;
}

model::EventKind kind_of_call(std::string_view name) {
  const bool is_driver = name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  return is_driver ? model::EventKind::driver : model::EventKind::runtime;
}

std::string copy_name(std::int64_t copy_kind, std::int64_t source_kind, std::int64_t destination_kind) {
  const std::string_view direction = one_of(directions, copy_kind);
  if (is_of_managed_memory(copy_kind) && !direction.empty()) return fmt::format("Unified Memory {}", direction);
  const std::string_view from = one_of(memories, source_kind), to = one_of(memories, destination_kind);
  std::string name = "Memcpy";
  if (!direction.empty()) name += fmt::format(" {}", direction);
  if (!from.empty() && !to.empty()) name += fmt::format(" ({} -> {})", from, to);
  return name;
}

bool is_of_managed_memory(std::int64_t copy_kind) { return copy_kind >= first_of_managed_memory; }

std::string fill_name(std::int64_t memory_kind) {
  const std::string_view memory = one_of(memories, memory_kind);
  return memory.empty() ? "Memset" : fmt::format("Memset ({})", memory);
}

std::string_view sync_name(std::int64_t sync_type) {
  const std::string_view name = one_of(syncs, sync_type);
  return name.empty() ? syncs[0] : name;
}

}  // namespace frx::ingest::nsys
