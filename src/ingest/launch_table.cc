#include "ingest/launch_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "frx_generated/metric_ids.h"

namespace frx::ingest {
namespace {

constexpr std::size_t max_buffered_readings = 1u << 19;
constexpr std::size_t max_remembered_keys = 1u << 21;
// Distinct shapes of one kernel that are distinguished; further ones share a group marked `mixed`.
constexpr std::size_t max_groups = 12;

}  // namespace

LaunchKey LaunchKey::of(std::string_view text) {
  // FNV-1a with two offsets: 128 bits in all.
  LaunchKey key{0xcbf29ce484222325u, 0x84222325cbf29ce4u};
  for (const char c : text) {
    key.high = (key.high ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    key.low = (key.low ^ static_cast<unsigned char>(c)) * 0x10000000233u;
  }
  return key;
}

void LaunchTable::FoldedKeys::add(const LaunchKey& key) {
  if (end_ - begin_ + others_.size() >= max_remembered_keys || contains(key)) return;
  if (begin_ == end_) {
    high_ = key.high;
    begin_ = end_ = key.low;
  }
  if (key.high == high_ && key.low == end_ && end_ + 1 != 0) {
    ++end_;
  } else {
    others_.insert(KeyHash{}(key));
  }
}

bool LaunchTable::FoldedKeys::contains(const LaunchKey& key) const {
  if (key.high == high_ && key.low >= begin_ && key.low < end_) return true;
  return !others_.empty() && others_.contains(KeyHash{}(key));
}

std::size_t LaunchTable::GroupHash::operator()(const GroupKey& key) const {
  std::size_t hash = key.kernel;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u; };
  for (const std::uint32_t n : key.grid) mix(n);
  for (const std::uint32_t n : key.block) mix(n);
  mix(static_cast<std::uint64_t>(key.device) << 32 | static_cast<std::uint32_t>(key.cc));
  return hash ^ hash >> 29;
}

LaunchTable::LaunchTable(model::Session& session, const knowledge::MetricCatalogue& catalogue)
    : session_(session), catalogue_(catalogue), column_of_metric_(catalogue.size(), -1) {
  duration_column_ = column(metrics::kernel_duration);
}

std::uint32_t LaunchTable::column(model::Metric metric) {
  std::int32_t& known = column_of_metric_[metric.index];
  if (known < 0) {
    known = static_cast<std::int32_t>(session_.columns.size());
    session_.columns.push_back(metric);
    if (session_.each) session_.each->counters.push_back({metric, {}});
    const std::vector<std::string_view>& names = catalogue_[metric].ncu;
    const auto begins = [&](std::string_view with) {
      return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return name.starts_with(with); });
    };
    tells_.push_back(begins("launch__") || begins("sm__maximum_warps") || begins("smsp__maximum_warps") ? Tells::shape
                     : begins("device__")                                                               ? Tells::device
                                                                                                        : Tells::what_ran);
  }
  return static_cast<std::uint32_t>(known);
}

void LaunchTable::call(std::uint32_t column, std::string_view name) {
  if (!session_.each || name.find("__") == name.npos) return;
  std::string& known = session_.each->counters[column].name;
  if (known.empty()) known = name;
}

void LaunchTable::at(LaunchKey key, const model::LaunchIdentity& identity, std::uint64_t line) {
  if (current_ && current_->key == key) return;
  const auto known = by_key_.find(key);
  if (known == by_key_.end() && !came_back_ && folded_.contains(key)) {
    came_back_ = true;
    session_.notes.push_back({line, "rows of one launch stand very far apart; such launches are counted more than once"});
  }
  current_ = known != by_key_.end() ? known->second : open(key, identity, line);
}

void LaunchTable::at_next(const model::LaunchIdentity& identity, std::uint64_t line) {
  current_ = open({~std::uint64_t{0}, anonymous_++}, identity, line);
}

void LaunchTable::set_count(std::uint64_t launches) { current_->count = launches; }

bool LaunchTable::has(std::uint32_t column) const {
  for (const Value& value : current_->values) {
    if (value.column == column) return true;
  }
  return false;
}

void LaunchTable::set(std::uint32_t column, double value, std::uint64_t line) {
  current_->values.push_back({column, value, line});
  ++buffered_;
}

LaunchTable::Open* LaunchTable::open(LaunchKey key, const model::LaunchIdentity& identity, std::uint64_t line) {
  const std::size_t usual_size = current_ ? current_->values.size() : 0;  // launches of one file resemble each other
  fold_oldest_while_large();
  const auto [kernel, is_new] = kernel_by_name_.try_emplace(identity.kernel, session_.kernels.size());
  if (is_new) {
    session_.kernels.emplace_back().name = identity.kernel;
    session_.kernels.back().first_line = line;
  }
  Open& launch = open_.emplace_back();
  launch.key = key;
  launch.kernel = kernel->second;
  launch.group = group_of(kernel->second, identity);
  launch.without_threads = identity.without_threads;
  launch.line = line;
  if (session_.each) remember(launch, identity);
  if (!spare_.empty()) {
    launch.values = std::move(spare_.back());
    spare_.pop_back();
  } else {
    launch.values.reserve(usual_size);
  }
  by_key_.emplace(launch.key, &launch);
  return &launch;
}

// Launches stand in the order of the file, which is that of their numbers; what has no threads is no launch that a timeline could have.
void LaunchTable::remember(Open& launch, const model::LaunchIdentity& identity) {
  if (identity.without_threads) return;
  model::MeasuredLaunches& each = *session_.each;
  launch.measured = static_cast<std::uint32_t>(each.launches.size());
  model::MeasuredLaunch& kept = each.launches.emplace_back();
  kept.kernel = each.names.add(identity.kernel);
  if (!identity.mangled.empty()) kept.mangled = each.names.add(identity.mangled);
  kept.grid = identity.grid;
  kept.block = identity.block;
  kept.device = identity.device;
  kept.stream = identity.stream;
}

// Where the values of the launch go, besides into its group; null: nowhere.
model::MeasuredLaunch* LaunchTable::kept_launch(const Open& launch) {
  if (!session_.each) return nullptr;
  session_.each->summaries += launch.count > 1;
  if (launch.measured == no_launch) return nullptr;
  model::MeasuredLaunch& kept = session_.each->launches[launch.measured];
  kept.first_value = static_cast<std::uint32_t>(session_.each->values.size());
  return &kept;
}

std::size_t LaunchTable::group_of(std::size_t kernel, const model::LaunchIdentity& identity) {
  std::vector<model::LaunchGroup>& groups = session_.kernels[kernel].groups;
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  const GroupKey key{kernel, identity.grid.value_or(model::Dim3{unknown, 0, 0}), identity.block.value_or(model::Dim3{unknown, 0, 0}),
                     identity.device.value_or(-1), identity.cc ? identity.cc->major * 10 + identity.cc->minor : -1};
  const std::uint64_t bit = std::uint64_t{1} << (GroupHash{}(key) >> 58);
  group_bits_.resize(session_.kernels.size());
  if ((group_bits_[kernel] & bit) != 0) {
    if (const auto known = group_by_key_.find(key); known != group_by_key_.end()) return known->second;
  }
  if (groups.size() >= max_groups) {
    groups.back().mixed = true;
    groups.back().grid.reset();
    groups.back().block.reset();
    return groups.size() - 1;
  }
  model::LaunchGroup& group = groups.emplace_back();
  group.grid = identity.grid;
  group.block = identity.block;
  group.device = identity.device;
  group.cc = identity.cc;
  group_bits_[kernel] |= bit;
  group_by_key_.emplace(key, groups.size() - 1);
  return groups.size() - 1;
}

void LaunchTable::set_absent() {
  ++session_.absent_values;
  if (current_) current_->has_absent = true;
}

// Without threads a launch failed, unless something was counted: then it is a range, a graph or one of OptiX, measured as one,
// and zeros stand where the shape of a launch would.
void LaunchTable::judge(Open& launch) {
  const bool ran = std::any_of(launch.values.begin(), launch.values.end(), [&](const Value& value) {
    return tells_[value.column] == Tells::what_ran && (value.value > 0 || !launch.without_threads);
  });
  if (!launch.without_threads && (ran || !launch.has_absent)) return;
  Unusual& kind = !launch.without_threads ? unmeasured_ : ran ? joined_ : failed_;
  if (kind.count++ == 0) kind.line = launch.line;
  if (launch.without_threads) {
    std::erase_if(launch.values, [&](const Value& value) { return !ran || tells_[value.column] == Tells::shape; });
  }
}

void LaunchTable::note_unusual() {
  const auto note = [&](const Unusual& what, std::string_view text) {
    if (what.count == 0) return;
    session_.notes.push_back({what.line, what.count > 1 ? fmt::format("{} ({} times)", text, what.count) : std::string(text)});
  };
  note(failed_, "a launch failed: it has no threads, so nothing was measured");
  note(joined_,
       "a result has counters and no threads: several launches (a range, a graph) or one of OptiX, measured as one; what follows from the "
       "shape of a launch, like occupancy, is not known");
  note(unmeasured_, "no counter of a launch could be collected: the tool wrote nan or n/a for each; profile it by itself to get them");
}

void LaunchTable::fold(Open& launch) {
  const std::size_t read = launch.values.size();
  judge(launch);
  model::MeasuredLaunch* const kept = kept_launch(launch);
  model::LaunchGroup& group = session_.kernels[launch.kernel].groups[launch.group];
  double duration = 0;
  bool timed = false;
  for (const Value& value : launch.values) {
    if (value.column == duration_column_ && !timed) {
      duration = value.value;
      timed = true;
    }
  }
  group.launches += launch.count;
  session_.launches += launch.count;
  if (timed) {
    group.timed_launches += launch.count;
    session_.timed_launches += launch.count;
  }
  if (group.spreads.size() < session_.columns.size()) group.spreads.resize(session_.columns.size());
  const auto count = static_cast<double>(launch.count);
  seen_in_.resize(session_.columns.size(), 0);
  ++folds_;
  for (const Value& value : launch.values) {
    model::Spread& spread = group.spreads[value.column];
    // The same counter may be listed in two sections of one launch; it is one reading.
    if (std::exchange(seen_in_[value.column], folds_) == folds_) continue;
    if (kept) {
      session_.each->values.push_back({value.column, value.value});
      ++kept->value_count;
    }
    if (spread.count == 0) {
      spread.min = spread.max = value.value;
    } else {
      spread.min = std::min(spread.min, value.value);
      spread.max = std::max(spread.max, value.value);
    }
    spread.count += static_cast<std::uint32_t>(launch.count);
    spread.sum += value.value * count;
    spread.weighted_sum += value.value * duration * count;
    spread.weight += duration * count;
    if (duration > spread.longest) {
      spread.longest = duration;
      spread.of_longest = value.value;
      spread.line = value.line;
    }
  }
  buffered_ -= read;
  launch.values.clear();
  spare_.push_back(std::move(launch.values));
}

void LaunchTable::fold_oldest_while_large() {
  while (buffered_ > max_buffered_readings && open_.size() > 1) {
    by_key_.erase(open_.front().key);
    folded_.add(open_.front().key);
    fold(open_.front());
    open_.pop_front();
  }
}

void LaunchTable::finish() {
  for (Open& launch : open_) fold(launch);
  note_unusual();
  open_.clear();
  by_key_.clear();
  current_ = nullptr;
  for (model::Kernel& kernel : session_.kernels) {
    for (model::LaunchGroup& group : kernel.groups) group.spreads.resize(session_.columns.size());
  }
}

}  // namespace frx::ingest
