#include "support/ncu_report_messages.h"

#include <map>
#include <protozero/pbf_writer.hpp>
#include <type_traits>

namespace frx::testing {
namespace {

using protozero::pbf_writer;
using Xyz = std::array<std::uint64_t, 3>;

// Field numbers that no version uses, with a value of each wire type.
void write_unknown_fields(pbf_writer& message) {
  message.add_uint64(901, 7);
  message.add_double(902, 1.5);
  message.add_string(903, "from a later version");
  message.add_float(904, 2.5F);
}

void write_text(pbf_writer& message, std::uint32_t tag, const std::string& text) {
  if (!text.empty()) message.add_string(tag, text);
}

void write_number(pbf_writer& message, std::uint32_t tag, std::uint64_t number) {
  if (number != 0) message.add_uint64(tag, number);
}

template <typename Second>
void write_pairs(pbf_writer& message, std::uint32_t tag, const std::vector<std::pair<std::string, Second>>& pairs) {
  for (const auto& [first, second] : pairs) {
    pbf_writer pair(message, tag);
    pair.add_string(1, first);
    if constexpr (std::is_integral_v<Second>) {
      pair.add_uint64(2, second);
    } else {
      pair.add_string(2, second);
    }
  }
}

void write_xyz(pbf_writer& message, std::uint32_t tag, const Xyz& xyz) {
  pbf_writer part(message, tag);
  for (std::uint32_t i = 0; i < 3; ++i) part.add_uint64(i + 1, xyz[i]);
}

// Exactly one of fields 1 to 5, in the order of the kinds of ReportValue.
struct ValueFields {
  pbf_writer& message;
  void operator()(std::monostate) const {}
  void operator()(const std::string& text) const { message.add_string(1, text); }
  void operator()(float number) const { message.add_float(2, number); }
  void operator()(double number) const { message.add_double(3, number); }
  void operator()(std::uint32_t number) const { message.add_uint32(4, number); }
  void operator()(std::uint64_t number) const { message.add_uint64(5, number); }
};

// An absent value is an absent field, not an empty message.
void write_value(pbf_writer& message, std::uint32_t tag, const ReportValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return;
  pbf_writer part(message, tag);
  std::visit(ValueFields{part}, value);
}

void write_metric(pbf_writer& result, const ReportMetric& metric, std::uint32_t name_id) {
  pbf_writer message(result, 13);
  message.add_uint32(1, name_id);
  write_value(message, 2, metric.value);
  for (const ReportInstance& instance : metric.instances) {
    pbf_writer part(message, 3);
    write_value(part, 1, instance.correlation);
    write_value(part, 2, instance.value);
  }
  message.add_uint32(4, metric.kind);
}

void write_section(pbf_writer& result, const ReportSection& section) {
  pbf_writer message(result, 17);
  message.add_string(1, section.identifier);
  message.add_string(2, section.name);
  if (section.header.empty()) return;
  pbf_writer header(message, 4);
  header.add_uint32(1, static_cast<std::uint32_t>(section.header.size()));
  write_pairs(header, 2, section.header);
}

// Each item of the body holds one thing: a message, what it looked at, or what it promises.
class RuleBody {
 public:
  RuleBody(pbf_writer& rule, const ReportRule& from) : body_(rule, 3), from_(from) {}

  void write(const ReportMessage& message) {
    pbf_writer item(body_, 1);
    const std::uint32_t id = ++messages_;
    {
      pbf_writer part(item, 1);
      part.add_string(1, message.text);
      part.add_uint32(2, message.type);
      part.add_uint32(3, id);
      write_text(part, 4, message.title);
    }
    if (id != 1) return;  // what follows is about the first message
    for (const ReportFocus& focus : from_.focus) write_focus(item, focus);
    if (from_.speedup == ReportRule::unknown) return;
    pbf_writer part(item, 10);
    part.add_uint32(1, from_.speedup);
    part.add_double(2, from_.speedup_pct);
  }

 private:
  static void write_focus(pbf_writer& item, const ReportFocus& focus) {
    pbf_writer part(item, 8);
    part.add_uint32(1, 1);
    part.add_string(2, focus.metric);
    part.add_double(3, focus.value);
    part.add_uint32(4, focus.severity);
    write_text(part, 5, focus.advice);
  }

  pbf_writer body_;
  const ReportRule& from_;
  std::uint32_t messages_ = 0;
};

void write_rule(pbf_writer& result, const ReportRule& rule) {
  pbf_writer message(result, 19);
  message.add_string(1, rule.identifier);
  message.add_string(2, rule.name);
  if (!rule.messages.empty()) {
    RuleBody body(message, rule);
    for (const ReportMessage& one : rule.messages) body.write(one);
  }
  write_text(message, 4, rule.section);
  for (const ReportMarker& marker : rule.markers) {
    pbf_writer part(message, 5);
    part.add_uint64(3, marker.address);
    part.add_string(4, marker.text);
  }
}

// {1 domains {1 id, 2 name}, 2 threads {1 thread, 2 domains {1 id, 3 stack of {1 name}}},
//  3 domains {1 id, 3 started ranges {1 id, 2 name}}, 4 default domain}
class NvtxState {
 public:
  NvtxState(pbf_writer& result, const ReportNvtx& nvtx) : message_(result, 21), nvtx_(nvtx) {}

  void write(std::uint64_t thread) {
    write_domains();
    write_pushed(thread);
    write_started();
    message_.add_uint64(4, 0);
  }

 private:
  std::uint64_t id(const std::string& domain) { return domain.empty() ? 0 : ids_.try_emplace(domain, ids_.size() + 1).first->second; }

  void write_domain(std::uint64_t number, const std::string& name) {
    pbf_writer part(message_, 1);
    part.add_uint64(1, number);
    part.add_string(2, name);
  }
  void write_domains() {
    for (const auto* ranges : {&nvtx_.pushed, &nvtx_.started}) {
      for (const auto& [domain, names] : *ranges) id(domain);
    }
    write_domain(0, "<default domain>");
    for (const auto& [name, number] : ids_) write_domain(number, name);
  }
  void write_pushed(std::uint64_t thread) {
    pbf_writer part(message_, 2);
    part.add_uint64(1, thread);
    if (nvtx_.pushed.empty()) pbf_writer(part, 2).add_uint64(1, 0);
    for (const auto& [name, stack] : nvtx_.pushed) {
      pbf_writer domain(part, 2);
      domain.add_uint64(1, id(name));
      for (const std::string& range : stack) pbf_writer(domain, 3).add_string(1, range);
    }
  }
  void write_started() {
    if (nvtx_.started.empty()) pbf_writer(message_, 3).add_uint64(1, 0);
    std::uint64_t number = 0;
    for (const auto& [name, ranges] : nvtx_.started) {
      pbf_writer domain(message_, 3);
      domain.add_uint64(1, id(name));
      for (const std::string& range : ranges) {
        pbf_writer part(domain, 3);
        part.add_uint64(1, ++number);
        part.add_string(2, range);
      }
    }
  }

  pbf_writer message_;
  const ReportNvtx& nvtx_;
  std::map<std::string, std::uint64_t> ids_;
};

void write_names_of_kernel(pbf_writer& message, const ReportLaunch& launch) {
  message.add_string(5, launch.mangled);
  message.add_string(6, launch.function);
  message.add_string(7, launch.demangled);
}

void write_shape(pbf_writer& message, const ReportLaunch& launch) {
  Xyz work = launch.grid;
  for (std::size_t i = 0; i < 3; ++i) work[i] *= launch.grid_in_threads ? launch.block[i] : 1;
  message.add_uint32(8, 3);
  write_xyz(message, 9, {});
  write_xyz(message, 10, work);
  write_xyz(message, 11, launch.block);
}

void write_host_stack(pbf_writer& message, const std::vector<ReportFrame>& frames) {
  if (frames.empty()) return;
  pbf_writer stack(message, 28);
  for (const ReportFrame& frame : frames) {
    pbf_writer part(stack, 1);
    part.add_string(1, frame.module);
    part.add_string(4, frame.function);
  }
}

void write_source(pbf_writer& message, const ReportSource& source) {
  message.add_uint64(1, source.reference);
  write_text(message, 3, source.ptx);
  if (!source.cubin.empty()) message.add_bytes(4, source.cubin);
  if (source.sm_major != 0) message.add_uint32(6, source.sm_major << 16 | source.sm_minor);
  if (!source.files.empty()) {
    pbf_writer part(message, 8);
    write_pairs(part, 1, source.files);
  }
  if (source.functions.empty()) return;
  pbf_writer table(message, 9);
  write_pairs(table, 1, source.functions);
}

void write_device(pbf_writer& session, const ReportDevice& device) {
  pbf_writer part(session, 6);
  part.add_uint32(1, device.id);
  part.add_string(2, device.name);
  for (const auto& [name, value] : device.attributes) {
    pbf_writer attribute(part, 3);
    attribute.add_string(1, name);
    write_value(attribute, 2, value);
  }
}

void write_session(pbf_writer& header, const ReportSession& session) {
  if (session.empty()) return;
  pbf_writer part(header, 3);
  write_number(part, 1, session.process);
  write_number(part, 2, session.created);
  if (!session.host_os.empty() || !session.host_name.empty()) {
    pbf_writer host(part, 3);
    write_text(host, 1, session.host_os);
    write_text(host, 5, session.host_name);
  }
  for (const ReportDevice& device : session.devices) write_device(part, device);
  write_pairs(part, 8, session.versions);
  write_text(part, 11, session.command_line);
}

void write_process(pbf_writer& header, const ReportProcess& process) {
  pbf_writer part(header, 6);
  part.add_uint64(1, process.id);
  part.add_string(2, process.host);
  part.add_string(3, process.name);
}

void write_table(pbf_writer& header, const std::vector<std::string>& names) {
  pbf_writer table(header, 4);  // most blocks carry an empty one
  for (const std::string& name : names) table.add_string(1, name);
}

}  // namespace

std::string result_message(const ReportLaunch& launch, const NameId& name_id) {
  std::string bytes;
  pbf_writer message(bytes);
  message.add_uint64(1, launch.thread);
  message.add_uint64(2, launch.call);
  write_names_of_kernel(message, launch);
  write_shape(message, launch);
  for (const ReportMetric& metric : launch.metrics) {
    write_metric(message, metric, metric.name_id ? *metric.name_id : name_id(metric.name));
  }
  write_number(message, 14, launch.created);
  if (launch.source != 0) pbf_writer(message, 15).add_uint64(1, launch.source);
  message.add_uint32(16, 0);
  for (const ReportSection& section : launch.sections) write_section(message, section);
  for (const ReportRule& rule : launch.rules) write_rule(message, rule);
  if (launch.nvtx) NvtxState(message, *launch.nvtx).write(launch.thread);
  if (launch.context) message.add_uint32(22, *launch.context);
  if (launch.stream) message.add_uint32(23, *launch.stream);
  write_host_stack(message, launch.host_stack);
  if (launch.unknown_fields) write_unknown_fields(message);
  return bytes;
}

std::string source_message(const ReportSource& source) {
  std::string bytes;
  pbf_writer message(bytes);
  write_source(message, source);
  return bytes;
}

std::string header_message(const ReportBlock& block, const std::vector<std::string>& names, std::size_t payload) {
  std::string bytes;
  pbf_writer header(bytes);
  header.add_uint32(1, static_cast<std::uint32_t>(block.sources.size()));
  header.add_uint32(2, static_cast<std::uint32_t>(block.results.size()));
  write_session(header, block.session);
  write_table(header, names);
  header.add_uint32(5, block.payload_size.value_or(static_cast<std::uint32_t>(payload)));
  if (block.process) write_process(header, *block.process);
  if (!block.ranges.empty()) header.add_uint32(7, static_cast<std::uint32_t>(block.ranges.size()));
  if (block.unknown_fields) write_unknown_fields(header);
  return bytes;
}

bool ReportSession::empty() const {
  return process == 0 && created == 0 && host_os.empty() && host_name.empty() && devices.empty() && versions.empty() &&
         command_line.empty();
}

}  // namespace frx::testing
