#include "derive/trace/transfers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "derive/trace/activities.h"
#include "derive/trace/counts.h"
#include "derive/trace/judged_names.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

void add_copy(CopyRate& rate, std::uint64_t bytes, std::int64_t ns) {
  ++rate.count;
  rate.bytes += bytes;
  rate.ns += ns;
  if (bytes < rate.largest_bytes || (bytes == rate.largest_bytes && rate.largest_ns > 0 && ns >= rate.largest_ns)) return;
  rate.largest_bytes = bytes;
  rate.largest_ns = ns;
}

std::optional<std::uint64_t> message_bytes(const Timeline& timeline, const model::CollectiveArguments& call) {
  const std::optional<std::uint64_t> element = bytes_of_element(timeline.names[call.type]);
  const std::uint64_t elements = std::max(call.in_elements, call.out_elements);
  if (!element || elements == 0 || elements > UINT64_MAX / *element) return std::nullopt;
  return elements * *element;
}

// "[0, 1, 2]"; 0 where it is cut ("[0, 1, ..., 7]") or says nothing.
std::uint64_t ranks_listed(std::string_view list) {
  if (list.size() < 3 || list.find('.') != list.npos || list.find_first_of("0123456789") == list.npos) return 0;
  return static_cast<std::uint64_t>(std::ranges::count(list, ',')) + 1;
}

}  // namespace

std::optional<double> gigabytes_per_second(std::uint64_t bytes, std::int64_t ns) {
  return ns > 0 ? std::optional(static_cast<double>(bytes) / static_cast<double>(ns)) : std::nullopt;
}

std::optional<double> bus_factor(std::string_view collective, std::uint64_t ranks) {
  if (ranks < 1) return std::nullopt;
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  std::string name = to_lower(collective);
  std::erase(name, '_');
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("allreduce")) return 2 * others;
  if (has("allgather") || has("reducescatter") || has("alltoall")) return others;
  if (has("broadcast") || has("reduce") || has("send") || has("recv")) return 1.0;
  return std::nullopt;
}

std::optional<std::uint64_t> bytes_of_element(std::string_view type) {
  static const std::map<std::string_view, std::uint64_t> sizes = {{"Double", 8},   {"Long", 8},  {"Float", 4}, {"Int", 4},  {"Half", 2},
                                                                  {"BFloat16", 2}, {"Short", 2}, {"Byte", 1},  {"Char", 1}, {"Bool", 1}};
  if (type.starts_with("Float8")) return 1;
  const auto at = sizes.find(type);
  return at == sizes.end() ? std::nullopt : std::optional(at->second);
}

std::vector<CopyRate> copy_rates(const Timeline& timeline, const Attribution& attribution, std::int64_t rank) {
  std::map<std::uint32_t, CopyRate> by_name;
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::memcpy || !is_of_rank(timeline, one.event, rank)) continue;
    CopyRate& rate = by_name[timeline.name[one.event]];
    const auto at = std::ranges::lower_bound(timeline.copy_events, one.event);
    if (at == timeline.copy_events.end() || *at != one.event) {
      ++rate.without_bytes;
      continue;
    }
    add_copy(rate, timeline.copy_bytes[static_cast<std::size_t>(at - timeline.copy_events.begin())], timeline.duration[one.event]);
  }
  std::vector<CopyRate> rates;
  for (auto& [name, rate] : by_name) {
    rate.name = timeline.names[name];
    rates.push_back(std::move(rate));
  }
  std::ranges::stable_sort(rates, std::ranges::greater{}, &CopyRate::ns);
  return rates;
}

CollectiveRates collective_rates(const Timeline& timeline, const Attribution& attribution, std::int64_t rank) {
  CollectiveRates found;
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;  // name, type, ranks, bytes
  std::map<Key, CollectiveRate> by_key;
  for (const model::CollectiveArguments& call : timeline.collectives) {
    if (!is_of_rank(timeline, call.event, rank)) continue;
    const std::uint64_t ranks = call.group_size > 0 ? call.group_size : ranks_listed(timeline.names[call.group_ranks]);
    const std::optional<std::uint64_t> bytes = message_bytes(timeline, call);
    const std::optional<double> factor = bus_factor(timeline.names[call.name], ranks);
    if (!bytes || !factor) continue;
    CollectiveRate& rate = by_key[{call.name, call.type, ranks, *bytes}];
    rate.ranks = ranks;
    rate.bytes = *bytes;
    rate.factor = *factor;
    ++rate.calls;
    rate.ns += timeline.duration[call.event];
    rate.shortest_ns = std::min(rate.shortest_ns, timeline.duration[call.event]);
  }
  std::uint64_t counted = 0;
  for (auto& [key, rate] : by_key) {
    rate.name = timeline.names[std::get<0>(key)];
    rate.type = timeline.names[std::get<1>(key)];
    counted += rate.calls;
    found.rates.push_back(std::move(rate));
  }
  std::ranges::stable_sort(found.rates, std::ranges::greater{}, &CollectiveRate::ns);
  JudgedNames communicates(timeline, is_communication);
  std::uint64_t all = 0;
  for (const GpuWork& one : attribution.work) {
    if (timeline.kind[one.event] != EventKind::kernel || !is_of_rank(timeline, one.event, rank)) continue;
    all += communicates.holds_for(one.event);
  }
  found.without_message = all > counted ? all - counted : 0;
  return found;
}

}  // namespace frx::derive::trace
