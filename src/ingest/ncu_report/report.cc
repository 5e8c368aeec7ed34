#include "ingest/ncu_report/report.h"

#include <algorithm>

#include "base/text.h"
#include "ingest/ncu_report/fields.h"

namespace frx::ingest::nsight {
namespace {

// Real tables hold a few thousand names; waiting results of real files a few hundred kilobytes.
constexpr std::size_t max_strings = 1'000'000;
constexpr std::size_t max_string_bytes = std::size_t{64} << 20;
constexpr std::size_t max_waiting_bytes = std::size_t{256} << 20;
constexpr std::size_t max_facts = 1000;

std::string text_of(std::string_view bytes) {
  while (bytes.ends_with('\0')) bytes.remove_suffix(1);  // Windows stores the terminating zero of its strings too
  return printable(shorten(std::string(bytes), 200));
}

std::pair<std::string_view, std::string_view> read_pair(std::string_view message) {
  std::pair<std::string_view, std::string_view> pair;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: pair.first = field.bytes(); break;
      case 2: pair.second = field.bytes(); break;
      default: field.skip();
    }
  }
  return pair;
}

Device read_device(std::string_view message) {
  Device device;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: device.id = field.integer(); break;
      case 2: device.name = text_of(field.bytes()); break;
      default: field.skip();
    }
  }
  return device;
}

void merge_session(std::string_view message, SessionFacts& facts) {
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 2: facts.created = field.integer(); break;
      case 6:
        if (facts.devices.size() < max_facts) {
          Device device = read_device(field.bytes());
          const bool known =
              std::any_of(facts.devices.begin(), facts.devices.end(), [&](const Device& other) { return other.id == device.id; });
          if (!known) facts.devices.push_back(std::move(device));
        } else {
          field.skip();
        }
        break;
      case 8: {
        const auto [provider, version] = read_pair(field.bytes());
        if (facts.versions.size() < max_facts) facts.versions.emplace(text_of(provider), text_of(version));
        break;
      }
      default: field.skip();  // host, target, command line: private, or stored elsewhere
    }
  }
}

SourceData::Function read_function(std::string_view message) {
  SourceData::Function function;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: function.mangled = field.bytes(); break;
      case 2: function.address = field.integer(); break;
      default: field.skip();
    }
  }
  return function;
}

SourceData read_source(std::string_view message) {
  SourceData source;
  for (Fields field(message); field.next();) {
    switch (field.number()) {
      case 1: source.reference = field.integer(); break;
      case 3: source.ptx = field.bytes(); break;
      case 4: source.cubin = field.bytes(); break;
      case 6: {
        const std::uint64_t revision = field.integer();
        source.sm_major = static_cast<int>(revision >> 16 & 0xFFFF);
        source.sm_minor = static_cast<int>(revision & 0xFFFF);
        break;
      }
      case 8:
        for (Fields part(field.bytes()); part.next();) {
          if (part.number() != 1) {
            part.skip();
            continue;
          }
          const auto [path, text] = read_pair(part.bytes());
          source.files.push_back({path, text});
        }
        break;
      case 9:
        for (Fields part(field.bytes()); part.next();) {
          part.number() == 1 ? source.functions.push_back(read_function(part.bytes())) : part.skip();
        }
        break;
      default: field.skip();
    }
  }
  return source;
}

std::uint64_t product(const std::array<std::uint64_t, 3>& xyz) { return xyz[0] * xyz[1] * xyz[2]; }

class Reader : public BlockVisitor {
 public:
  explicit Reader(ReportConsumer& consumer) : consumer_(consumer) {}

  Result<> block(const Message& header) override {
    ++summary_.totals.blocks;
    for (Fields field(header.bytes); field.next();) {
      switch (field.number()) {
        case 3: merge_session(field.bytes(), summary_.session); break;
        case 4: TRY(add_strings(field.bytes(), header.offset)); break;
        case 6:
          for (Fields part(field.bytes()); part.next();) {
            part.number() == 1 ? void(process_ = part.integer()) : part.skip();
          }
          break;
        default: field.skip();
      }
    }
    return hand_out_waiting(false);
  }

  Result<> source(const Message& message) override {
    ++summary_.totals.sources;
    return consumer_.source(read_source(message.bytes));
  }

  Result<> result(const Message& message) override {
    ++summary_.totals.results;
    read_launch(message, launch_);
    summary_.totals.unknown_fields += launch_.unknown_fields;
    if (waiting_.empty() && names_needed() <= names_.size()) return consumer_.launch(launch_, process_, names_);
    waiting_bytes_ += message.bytes.size();
    waiting_.push_back({std::string(message.bytes), message.offset, process_, names_needed()});
    if (waiting_bytes_ <= max_waiting_bytes) return {};
    return hand_out_waiting(true);
  }

  void passed_over(std::uint64_t) override { ++summary_.totals.passed_over; }

  Result<ReportSummary> finish() {
    TRY(hand_out_waiting(true));
    return std::move(summary_);
  }

 private:
  struct Waiting {
    std::string bytes;
    std::uint64_t offset;
    std::uint64_t process;
    std::size_t names;  // how long the table of names must be
  };

  Result<> add_strings(std::string_view table, std::uint64_t offset) {
    for (Fields field(table); field.next();) {
      if (field.number() != 1) {
        field.skip();
        continue;
      }
      const std::string_view name = field.bytes();
      name_bytes_ += name.size();
      if (names_.size() >= max_strings || name_bytes_ > max_string_bytes) {
        return fail(ErrorKind::malformed, "more names of metrics than any report has, at byte {}", offset);
      }
      names_.add(name);
    }
    return {};
  }

  std::size_t names_needed() const {
    std::size_t needed = 0;
    for (const MetricResult& metric : launch_.metrics) needed = std::max<std::size_t>(needed, std::size_t{metric.name} + 1);
    return needed;
  }

  // Delivers in the order of the file. `at_once`: also those with names that never came.
  Result<> hand_out_waiting(bool at_once) {
    while (!waiting_.empty()) {
      const Waiting& first = waiting_.front();
      if (first.names > names_.size() && !at_once) return {};
      read_launch({first.bytes, first.offset}, launch_);
      if (first.names > names_.size()) {
        summary_.totals.unnamed_values += static_cast<std::uint64_t>(std::count_if(
            launch_.metrics.begin(), launch_.metrics.end(), [&](const MetricResult& metric) { return metric.name >= names_.size(); }));
      }
      TRY(consumer_.launch(launch_, first.process, names_));
      waiting_bytes_ -= first.bytes.size();
      waiting_.pop_front();
    }
    return {};
  }

  ReportConsumer& consumer_;
  ReportSummary summary_;
  StringTable names_;
  std::size_t name_bytes_ = 0;
  Launch launch_;  // its memory is reused
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t process_ = 0;  // of the last block that named one
};

}  // namespace

std::string SessionFacts::tool_version() const {
  const auto found = versions.find("Nsight Compute Target");
  return found == versions.end() ? std::string() : found->second.substr(0, found->second.find(' '));
}

Result<ReportSummary> read_report(ByteSource& source, ReportConsumer& consumer, const std::function<void(std::uint64_t)>& progress) {
  Reader reader(consumer);
  TRY(read_report_file(source, reader, progress));
  // Results that waited were already read once without an error.
  ReportSummary summary;
  TRY(decoding("report", 0, [&]() -> Result<> {
    TRY_ASSIGN(summary, reader.finish());
    return {};
  }));
  return summary;
}

std::array<std::uint64_t, 3> grid_of(const Launch& launch, const std::optional<std::array<std::uint64_t, 3>>& grid_dim,
                                     std::optional<std::uint64_t> grid_size) {
  if (grid_dim) return *grid_dim;
  const std::array<std::uint64_t, 3>& work = launch.work;
  if (!grid_size || product(launch.block) == 0 || *grid_size == product(work)) return work;
  std::array<std::uint64_t, 3> blocks{};
  for (std::size_t i = 0; i < 3; ++i) blocks[i] = work[i] / launch.block[i];
  return product(blocks) == *grid_size ? blocks : work;
}

}  // namespace frx::ingest::nsight
