#include "ingest/ncu_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.h"
#include "ingest/csv.h"

namespace frx::ingest {
void NcuTable::take_row(std::string_view line) { columns_.is_tall() ? take_tall(line) : take_wide(); }

model::LaunchIdentity NcuTable::identity() const {
  model::LaunchIdentity launch;
  launch.kernel = columns_.kernel >= 0 ? unquoted(trim(field(columns_.kernel))) : std::string("(unnamed kernel)");
  launch.block = parse_dim3(field(columns_.block));
  launch.grid = parse_dim3(field(columns_.grid));
  launch.without_threads = launch.block && std::find(launch.block->begin(), launch.block->end(), 0u) != launch.block->end();
  if (launch.without_threads) {
    launch.grid.reset();
    launch.block.reset();
  }
  launch.cc = parse_cc(field(columns_.cc));
  int device = 0;
  const std::string_view text = field(columns_.device);
  if (is_launch_id(text) && std::from_chars(text.data(), text.data() + text.size(), device).ec == std::errc()) {
    launch.device = device;
  }
  std::uint64_t stream = 0;
  const std::string_view stream_text = field(columns_.stream);
  if (is_launch_id(stream_text) && std::from_chars(stream_text.data(), stream_text.data() + stream_text.size(), stream).ec == std::errc()) {
    launch.stream = stream;
  }
  return launch;
}

// Unique per launch: the id within its process and its table, else the shape of a summary row,
// else the n-th time this kernel is met.
LaunchKey NcuTable::launch_key(const model::LaunchIdentity& launch) {
  const auto number = [](std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  if (columns_.id >= 0) {
    return {static_cast<std::uint64_t>(tables_) << 48 ^ number(field(columns_.process_id)), number(field(columns_.id))};
  }
  if (columns_.invocations >= 0) {
    return LaunchKey::of(fmt::format("{}/{}/{}/{}/{}/{}", tables_, launch.kernel, field(columns_.block), field(columns_.grid),
                                     field(columns_.device), field(columns_.invocations)));
  }
  return LaunchKey::of(fmt::format("{}/{}#{}", tables_, launch.kernel, counts_[launch.kernel]));
}

void NcuTable::move_to_launch() {
  model::LaunchIdentity launch = identity();
  if (launch.device && launch.cc) session_.devices[*launch.device].cc = launch.cc;
  const LaunchKey key = launch_key(launch);
  table_.at(key, launch, line_number());
  if (columns_.invocations >= 0) {
    std::uint64_t count = 1;
    const std::string_view text = field(columns_.invocations);
    std::from_chars(text.data(), text.data() + text.size(), count);
    table_.set_count(std::max<std::uint64_t>(count, 1));
  }
}

// A row of the same launch as the last one, with a metric in the place where the last launch had it, needs two comparisons and one number
// instead of splitting twenty fields. With this a 1 GB file takes about a second.
bool NcuTable::take_like_the_last(std::string_view line) {
  if (prefix_.empty() || line.size() <= prefix_.size() || std::memcmp(line.data(), prefix_.data(), prefix_.size()) != 0) {
    return false;
  }
  const std::string_view rest = line.substr(prefix_.size());
  if (at_in_sequence_ >= sequence_.size()) return false;
  const auto& [text, plan] = *sequence_[at_in_sequence_];
  if (rest.size() <= text.size() || std::memcmp(rest.data(), text.data(), text.size()) != 0) return false;
  const char* const begin = rest.data() + text.size();
  const auto* end = static_cast<const char*>(std::memchr(begin, '"', rest.size() - text.size()));
  if (!end || end == begin) return false;  // an empty value: a rule row
  ++at_in_sequence_;
  values_.take(plan.plan, std::string_view(begin, static_cast<std::size_t>(end - begin)), style_, lines_.line_number());
  return true;
}

void NcuTable::take_tall(std::string_view line) {
  const std::string_view name = field(columns_.metric);
  const std::string_view value = field(columns_.value);
  if (name.empty()) return take_rule();
  remember_prefix(line);
  const bool anonymous = columns_.id < 0 && columns_.invocations < 0;
  if (!same_launch_) move_to_launch();
  const Middle& middle = middle_of(line, name);
  if (anonymous && middle.plan.kind == ValuePlan::Kind::reading && table_.has(middle.plan.column)) {
    // Without launch ids a metric that comes again belongs to the next launch of its kernel.
    ++counts_[unquoted(trim(field(columns_.kernel)))];
    move_to_launch();
  }
  for (std::size_t i = 0; i < direct_plans_.size(); ++i) {
    if (direct_plans_[i].kind == ValuePlan::Kind::reading && !table_.has(direct_plans_[i].column)) {
      values_.take(direct_plans_[i], field(columns_.direct[i]), style_, line_number());
    }
  }
  take_value(middle.plan, value);
}

void NcuTable::take_value(const ValuePlan& plan, std::string_view text) {
  if (plan.kind == ValuePlan::Kind::device_name) {
    if (is_absent_value(trim(text))) return;
    int device = 0;
    const std::string_view id = field(columns_.device);
    std::from_chars(id.data(), id.data() + id.size(), device);
    session_.devices[device].name = printable(unquoted(trim(text)));
    return;
  }
  values_.take(plan, text, style_, line_number());
}

// The part of the line that describes the launch, up to and with the comma before the first other
// column. Usable when the layout puts all of it first, as the tool does.
void NcuTable::remember_prefix(std::string_view line) {
  const int first_other = first_column_after_identity();
  if (columns_.id < 0 || !quoted_ || first_other <= columns_.last_identity) {
    same_launch_ = false;
    return;
  }
  const char* const other = fields_[static_cast<std::size_t>(first_other)].data() - 1;  // its opening quote
  const auto size = static_cast<std::size_t>(other - line.data());
  same_launch_ = size == prefix_.size() && std::memcmp(prefix_.data(), line.data(), size) == 0;
  if (same_launch_) return;
  prefix_.assign(line.data(), size);
  at_in_sequence_ = 0;
}

int NcuTable::first_column_after_identity() const {
  int first = columns_.metric;
  if (columns_.section >= 0) first = std::min(first, columns_.section);
  return first;
}

// Everything between the launch and the value: section, (item), metric, unit. Its meaning is worked
// out once per spelling.
const NcuTable::Middle& NcuTable::middle_of(std::string_view line, std::string_view name) {
  const auto make = [&] {
    return Middle{values_.plan(unquoted(trim(field(columns_.section))), unquoted(trim(name)), field(columns_.unit), columns_.unit >= 0,
                               line_number())};
  };
  const std::size_t value_at = static_cast<std::size_t>(std::max(columns_.value, 0));
  const bool contiguous = !prefix_.empty() && columns_.value > columns_.metric && columns_.value > columns_.unit &&
                          value_at < fields_.size() && fields_[value_at].data() > line.data() && fields_[value_at].data()[-1] == '"' &&
                          line.size() > prefix_.size();
  if (!contiguous) {
    const std::string key = fmt::format("{}\x1f{}\x1f{}", field(columns_.section), name, field(columns_.unit));
    const auto known = middle_by_text_.find(key);
    return known != middle_by_text_.end() ? known->second : middle_by_text_.emplace(key, make()).first->second;
  }
  const char* const begin = line.data() + prefix_.size();
  const std::string key(begin, static_cast<std::size_t>(fields_[value_at].data() - begin));
  auto known = middle_by_text_.find(key);
  if (known == middle_by_text_.end()) known = middle_by_text_.emplace(key, make()).first;
  if (at_in_sequence_ < sequence_.size()) {
    sequence_has_changed_ |= std::exchange(sequence_[at_in_sequence_], &*known) != &*known;
  } else if (sequence_.size() < 4096) {
    sequence_has_changed_ = true;
    sequence_.push_back(&*known);
  }
  ++at_in_sequence_;
  return known->second;
}

void NcuTable::move_to_wide_launch(std::uint64_t line) {
  const model::LaunchIdentity launch = identity();
  if (launch.device && launch.cc) session_.devices[*launch.device].cc = launch.cc;
  if (columns_.id >= 0) {
    table_.at(launch_key(launch), launch, line);
  } else {
    table_.at_next(launch, line);
  }
}

void NcuTable::take_wide() {
  move_to_wide_launch(line_number());
  for (std::size_t i = 0; i < wide_plans_.size(); ++i) {
    const ValuePlan& plan = wide_plans_[i];
    if (plan.has_value()) {
      values_.take(plan, fields_[static_cast<std::size_t>(columns_.direct[i])], style_, line_number());
    } else if (plan.kind == ValuePlan::Kind::device_name) {
      take_value(plan, field(columns_.direct[i]));
    }
  }
}

void NcuTable::take_rule() {
  if (field(columns_.rule_name).empty()) return;
  if (columns_.id >= 0) move_to_launch();
  values_.take_quoted(unquoted(field(columns_.rule_text)), line_number());
  if (session_.rules.size() >= most_rules) return;
  model::ProfilerRule& rule = session_.rules.emplace_back();
  rule.kernel = unquoted(trim(field(columns_.kernel)));
  rule.section = unquoted(field(columns_.section));
  rule.name = unquoted(field(columns_.rule_name));
  rule.type = unquoted(field(columns_.rule_type));
  rule.text = printable(unquoted(field(columns_.rule_text)));
  rule.estimated_speedup_pct = parse_number(field(columns_.speedup), style_);
  rule.is_local_estimate = equals_ignoring_case(trim(unquoted(field(columns_.speedup_type))), "local");
  rule.line = line_number();
}

}  // namespace frx::ingest
