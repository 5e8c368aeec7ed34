#include "ingest/ncu_report/launch.h"

#include <map>
#include <utility>

#include "ingest/ncu_report/fields.h"

namespace frx::ingest::nsight {
namespace {

// A hostile message may open millions of ranges or frames; only the first ones are used.
constexpr std::size_t max_listed = 1000;

std::array<std::uint64_t, 3> read_xyz(std::string_view message) {
  std::array<std::uint64_t, 3> xyz{};
  for (Fields field(message); field.next();) {
    // Called first: the right side of an assignment is evaluated before the left, and a truncated field has no number.
    const std::uint32_t axis = field.number();
    if (axis >= 1 && axis <= 3) {
      xyz[axis - 1] = field.integer();
    } else {
      field.skip();
    }
  }
  return xyz;
}

MetricValue read_any_value(std::string_view message) {
  MetricValue value;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: value.kind = MetricValue::Kind::text, value.text = field.bytes(); break;
      case 2:
      case 3: value.kind = MetricValue::Kind::real, value.real = field.real(); break;
      case 4:
      case 5: value.kind = MetricValue::Kind::integer, value.integer = field.integer(); break;
      default: field.skip();
    }
  }
  return value;
}

// A double or a whole number, as nearly all are, is decoded directly.
MetricValue read_value(std::string_view message) {
  MetricValue value;
  if (read_whole_double(message, value.real)) {
    value.kind = MetricValue::Kind::real;
  } else if (read_whole_integer(message, value.integer)) {
    value.kind = MetricValue::Kind::integer;
  } else {
    return read_any_value(message);
  }
  return value;
}

// The name and the value in front of `message`, where it begins with both in the usual form; the rest of it.
std::string_view read_begin_of_metric(std::string_view message, MetricResult& metric) {
  constexpr char name_field = 1 << 3, value_field = 2 << 3 | 2;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(message[i]); };
  if (message.size() < 4 || message[0] != name_field) return message;
  const std::size_t name_size = byte(1) < 0x80 ? 1 : byte(2) < 0x80 ? 2 : 0;
  const std::size_t value_at = 1 + name_size + 2;
  if (name_size == 0 || message.size() < value_at || message[value_at - 2] != value_field) return message;
  const std::size_t value_size = byte(value_at - 1);
  if (value_size >= 0x80 || value_size > message.size() - value_at) return message;
  metric.name = name_size == 1 ? byte(1) : (byte(1) & 0x7Fu) | std::uint32_t{byte(2)} << 7;
  metric.value = read_value(message.substr(value_at, value_size));
  return message.substr(value_at + value_size);
}

// The rest of a metric, behind what read_begin_of_metric() took.
void read_rest_of_metric(std::string_view rest, MetricResult& metric) {
  for (Fields field(rest); field.next();) {
    switch (field.number()) {
      case 1: metric.name = static_cast<std::uint32_t>(field.integer()); break;
      case 2: metric.value = read_value(field.bytes()); break;
      case 3: metric.has_instances = true, field.each_message([](std::string_view) {}); break;
      case 4: metric.kind = field.integer(); break;
      default: field.skip();
    }
  }
}

constexpr char instance_field = 3 << 3 | 2;

// The instance at the front, when it has the usual form: its size with the two bytes before it, else 0.
std::size_t size_of_first_instance(std::string_view rest) {
  if (rest.size() < 2 || rest[0] != instance_field) return 0;
  const std::size_t size = static_cast<unsigned char>(rest[1]);
  return size < 0x80 && size <= rest.size() - 2 ? size + 2 : 0;
}

// Reads the metrics of a launch. Most bytes of a report are instances, and where one begins is known only when the one before was looked
// at: the instances of two metrics are passed over side by side, so that the processor waits for memory half as often.
class MetricsReader {
 public:
  MetricsReader(std::vector<MetricResult>& metrics, bool side_by_side) : metrics_(metrics), side_by_side_(side_by_side) {}

  void take(std::string_view message) {
    MetricResult& metric = metrics_.emplace_back();
    metric.message = message;
    const std::string_view rest = read_begin_of_metric(message, metric);
    if (!side_by_side_ || size_of_first_instance(rest) == 0) return read_rest_of_metric(rest, metric);
    metric.has_instances = true;
    if (!waits_) {
      waits_ = true;
      waiting_ = metrics_.size() - 1;
      rest_ = rest;
      return;
    }
    waits_ = false;
    const auto [first, second] = behind_common_instances(rest_, rest);
    read_rest_of_metric(first, metrics_[waiting_]);
    read_rest_of_metric(second, metric);
  }

  void finish() {
    if (waits_) read_rest_of_metric(rest_, metrics_[waiting_]);
  }

 private:
  // Both without as many instances in front as both have.
  static std::pair<std::string_view, std::string_view> behind_common_instances(std::string_view a, std::string_view b) {
    while (true) {
      const std::size_t in_a = size_of_first_instance(a), in_b = size_of_first_instance(b);
      if (in_a == 0 || in_b == 0) return {a, b};
      a.remove_prefix(in_a);
      b.remove_prefix(in_b);
    }
  }

  std::vector<MetricResult>& metrics_;
  bool side_by_side_;
  bool waits_ = false;  // one with instances for another one
  std::size_t waiting_ = 0;
  std::string_view rest_;
};

std::uint64_t first_integer(std::string_view message) {
  for (Fields field(message); field.next();) {
    if (field.number() == 1) return field.integer();
    field.skip();
  }
  return 0;
}

// The memory of a list that is no longer needed.
template <typename Element>
std::vector<Element> emptied(std::vector<Element>& list) {
  list.clear();
  return std::move(list);
}

// The text under field `number`, "" when there is none.
std::string_view text_in(std::string_view message, std::uint32_t number) {
  for (Fields field(message); field.next();) {
    if (field.number() == number) return field.bytes();
    field.skip();
  }
  return {};
}

RuleMessage read_rule_message(std::string_view message) {
  RuleMessage result;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: result.text = field.bytes(); break;
      case 2: result.type = field.integer(); break;
      case 4: result.title = field.bytes(); break;
      default: field.skip();
    }
  }
  return result;
}

RuleFocus read_focus(std::string_view message) {
  RuleFocus focus;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 2: focus.metric = field.bytes(); break;
      case 3: focus.value = field.real(); break;
      case 5: focus.advice = field.bytes(); break;
      default: field.skip();
    }
  }
  return focus;
}

RuleMarker read_marker(std::string_view message) {
  RuleMarker marker;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 3: marker.address = field.integer(); break;
      case 4: marker.text = field.bytes(); break;
      default: field.skip();
    }
  }
  return marker;
}

void read_speedup(std::string_view message, RuleMessage& of) {
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: of.speedup_type = field.integer(); break;
      case 2: of.estimated_speedup_pct = field.real(); break;
      default: field.skip();
    }
  }
}

// One result of a rule: its text, and the estimated gain of a fix.
void read_rule_item(std::string_view message, Rule& rule) {
  RuleMessage speedup;
  const std::size_t before = rule.messages.size();
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: rule.messages.push_back(read_rule_message(field.bytes())); break;
      case 8: rule.focus.push_back(read_focus(field.bytes())); break;
      case 10: read_speedup(field.bytes(), speedup); break;
      default: field.skip();  // tables and charts of metrics that are in the launch
    }
  }
  for (std::size_t i = before; i < rule.messages.size(); ++i) {
    rule.messages[i].speedup_type = speedup.speedup_type;
    rule.messages[i].estimated_speedup_pct = speedup.estimated_speedup_pct;
  }
}

// The names of the ranges a message holds under `number`, joined by " / ".
std::string range_names(std::string_view message, std::uint32_t number, std::uint32_t name_field) {
  std::string names;
  std::size_t count = 0;
  for (Fields field(message); field.next();) {
    if (field.number() != number || ++count > max_listed) {
      field.skip();
      continue;
    }
    const std::string_view name = text_in(field.bytes(), name_field);
    if (!names.empty()) names += " / ";
    names += name;
  }
  return names;
}

using Domains = std::map<std::uint64_t, std::string_view>;

void add_ranges(std::string_view domain_message, std::uint32_t name_field, const Domains& domains, std::vector<std::string>& into) {
  const std::string names = range_names(domain_message, 3, name_field);
  if (names.empty() || into.size() >= max_listed) return;
  const auto domain = domains.find(first_integer(domain_message));
  const bool named = domain != domains.end() && !domain->second.empty() && domain->second[0] != '<';
  into.push_back(named ? std::string(domain->second) + ": " + names : names);
}

void read_fields(const Message& message, Launch& into, bool side_by_side) {
  Launch before = std::exchange(into, Launch{});
  into.metrics = emptied(before.metrics);
  into.rules = emptied(before.rules);
  into.sections = emptied(before.sections);
  into.prepared = std::move(before.prepared);
  into.offset = message.offset;
  MetricsReader metrics(into.metrics, side_by_side);
  for (Fields field(message.bytes); field.next();) {
    switch (field.number()) {
      case 1: into.thread = field.integer(); break;
      case 2: into.call = field.integer(); break;
      case 5: into.mangled = field.bytes(); break;
      case 6: into.function = field.bytes(); break;
      case 7: into.demangled = field.bytes(); break;
      case 10: into.work = read_xyz(field.bytes()); break;
      case 11: into.block = read_xyz(field.bytes()); break;
      case 13: metrics.take(field.bytes()); break;
      case 14: into.created = field.integer(); break;
      case 15: into.source = first_integer(field.bytes()); break;
      case 17: into.sections.push_back(field.bytes()); break;
      case 19: into.rules.push_back(field.bytes()); break;
      case 21: into.nvtx = field.bytes(); break;
      case 22: into.context = field.integer(), into.has_context = true; break;
      case 23: into.stream = field.integer(), into.has_stream = true; break;
      case 28: into.host_stack = field.bytes(); break;
      case 3:  // handles of the process that was profiled
      case 4:
      case 8:  // always 3 and 0
      case 9:
      case 12:  // comments of users
      case 16:  // the API: always CUDA here
      case 18:
      case 20:
      case 24: field.skip(); break;
      default: ++into.unknown_fields, field.skip();
    }
  }
  metrics.finish();
}

}  // namespace

void read_launch(const Message& message, Launch& into) {
  try {
    read_fields(message, into, true);
  } catch (const protozero::exception&) {
    read_fields(message, into, false);  // the first damage in the order of the bytes is the one to tell
  }
}

std::vector<Instance> instances_of(const MetricResult& metric) {
  std::vector<Instance> instances;
  for (Fields field(metric.message); field.next();) {
    if (field.number() != 3) {
      field.skip();
      continue;
    }
    Instance& instance = instances.emplace_back();
    for (Fields part(field.bytes()); part.next();) {
      switch (part.number()) {
        case 1: instance.correlation = read_value(part.bytes()); break;
        case 2: instance.value = read_value(part.bytes()); break;
        default: part.skip();
      }
    }
  }
  return instances;
}

Rule read_rule(std::string_view message) {
  Rule rule;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: rule.identifier = field.bytes(); break;
      case 2: rule.name = field.bytes(); break;
      case 3:
        for (Fields item(field.bytes()); item.next();) {
          item.number() == 1 ? read_rule_item(item.bytes(), rule) : item.skip();
        }
        break;
      case 4: rule.section = field.bytes(); break;
      case 5: rule.markers.push_back(read_marker(field.bytes())); break;
      default: field.skip();
    }
  }
  return rule;
}

Section read_section(std::string_view message) {
  Section section;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: section.identifier = field.bytes(); break;
      case 2: section.name = field.bytes(); break;
      default: field.skip();
    }
  }
  return section;
}

std::vector<HostFrame> read_host_stack(std::string_view message) {
  std::vector<HostFrame> frames;
  for (Fields field(message); field.next();) {
    if (field.number() != 1 || frames.size() >= max_listed) {
      field.skip();
      continue;
    }
    const std::string_view frame = field.bytes();
    frames.push_back({text_in(frame, 4), text_in(frame, 1)});
  }
  return frames;
}

std::vector<std::string> read_nvtx(std::string_view message) {
  Domains domains;
  std::vector<std::string_view> pushed, started;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: {
        const std::string_view domain = field.bytes();
        domains.emplace(first_integer(domain), text_in(domain, 2));
        break;
      }
      case 2:  // a thread with its domains, each a stack of pushed ranges
        for (Fields part(field.bytes()); part.next();) {
          part.number() == 2 ? pushed.push_back(part.bytes()) : part.skip();
        }
        break;
      case 3: started.push_back(field.bytes()); break;
      default: field.skip();
    }
  }
  std::vector<std::string> ranges;
  for (const std::string_view domain : pushed) add_ranges(domain, 1, domains, ranges);
  for (const std::string_view domain : started) add_ranges(domain, 2, domains, ranges);
  return ranges;
}

}  // namespace frx::ingest::nsight
