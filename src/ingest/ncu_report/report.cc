#include "ingest/ncu_report/report.h"

#include <algorithm>
#include <exception>

#include "base/in_order.h"
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

// A launch that is decoded and prepared, or why its bytes cannot be decoded.
struct DecodedLaunch {
  Launch launch;
  std::exception_ptr damage;

  void decode(const Message& message, const ReportConsumer& consumer) {
    damage = nullptr;
    try {
      read_launch(message, launch);
      consumer.prepare(launch);
    } catch (const protozero::exception&) {
      damage = std::current_exception();
    }
  }
};

constexpr std::size_t slots = 16;

// Launches are decoded on all cores, and handed on in the order of the file.
class Reader : public Pieces {
 public:
  Reader(ByteSource& source, ReportConsumer& consumer, const std::function<void(std::uint64_t)>& progress)
      : file_(source), consumer_(consumer), progress_(progress) {}

  Result<ReportSummary> whole_file() {
    TRY(file_.header());
    take_in_order(slots, *this);
    TRY(std::move(state_));
    // Results that waited were already decoded once without an error.
    TRY(decoding("report", 0, [&] { return hand_out_waiting(true); }));
    return std::move(summary_);
  }

  bool read(std::size_t slot) override { return file_.next(held_[slot].batch); }

  void work(std::size_t slot) override {
    Held& held = held_[slot];
    std::size_t launches = 0;
    for (const Entry& entry : held.batch.entries) {
      if (entry.kind != Entry::Kind::result) continue;
      if (launches == held.launches.size()) held.launches.emplace_back();
      held.launches[launches++].decode(entry.message, consumer_);
    }
  }

  bool take(std::size_t slot) override {
    Held& held = held_[slot];
    state_ = entries(held);
    if (state_ && held.batch.failure) state_ = Failure{std::move(*held.batch.failure)};
    if (state_ && progress_) progress_(held.batch.end);
    return state_.has_value();
  }

 private:
  struct Held {
    EntryBatch batch;
    std::vector<DecodedLaunch> launches;  // of the results in `batch`; the memory of earlier ones is used again
  };

  Result<> entries(Held& held) {
    std::size_t launches = 0;
    for (const Entry& entry : held.batch.entries) {
      const Message& message = entry.message;
      switch (entry.kind) {
        case Entry::Kind::block: TRY(decoding("block header", message.offset, [&] { return block(message); })); break;
        case Entry::Kind::source: TRY(decoding("source", message.offset, [&] { return source(message); })); break;
        case Entry::Kind::passed_over: ++summary_.totals.passed_over; break;
        case Entry::Kind::result:
          TRY(decoding("result", message.offset, [&] { return result(message, held.launches[launches]); }));
          ++launches;
      }
    }
    return {};
  }

  Result<> block(const Message& header) {
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

  Result<> source(const Message& message) {
    ++summary_.totals.sources;
    return consumer_.source(read_source(message.bytes));
  }

  Result<> result(const Message& message, DecodedLaunch& decoded) {
    ++summary_.totals.results;
    if (decoded.damage) std::rethrow_exception(decoded.damage);
    summary_.totals.unknown_fields += decoded.launch.unknown_fields;
    const std::size_t needed = names_needed(decoded.launch);
    if (waiting_.empty() && needed <= names_.size()) return consumer_.launch(decoded.launch, process_, names_);
    waiting_bytes_ += message.bytes.size();
    waiting_.push_back({std::string(message.bytes), message.offset, process_, needed});
    if (waiting_bytes_ <= max_waiting_bytes) return {};
    return hand_out_waiting(true);
  }

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

  static std::size_t names_needed(const Launch& launch) {
    std::size_t needed = 0;
    for (const MetricResult& metric : launch.metrics) needed = std::max<std::size_t>(needed, std::size_t{metric.name} + 1);
    return needed;
  }

  // Delivers in the order of the file. `at_once`: also those with names that never came.
  Result<> hand_out_waiting(bool at_once) {
    while (!waiting_.empty()) {
      const Waiting& first = waiting_.front();
      if (first.names > names_.size() && !at_once) return {};
      late_.decode({first.bytes, first.offset}, consumer_);
      if (late_.damage) std::rethrow_exception(late_.damage);
      if (first.names > names_.size()) {
        const std::vector<MetricResult>& metrics = late_.launch.metrics;
        summary_.totals.unnamed_values += static_cast<std::uint64_t>(
            std::ranges::count_if(metrics, [&](const MetricResult& metric) { return metric.name >= names_.size(); }));
      }
      TRY(consumer_.launch(late_.launch, first.process, names_));
      waiting_bytes_ -= first.bytes.size();
      waiting_.pop_front();
    }
    return {};
  }

  ReportFile file_;
  ReportConsumer& consumer_;
  const std::function<void(std::uint64_t)>& progress_;
  std::array<Held, slots> held_;
  Result<> state_;
  ReportSummary summary_;
  StringTable names_;
  std::size_t name_bytes_ = 0;
  DecodedLaunch late_;  // its memory is used again
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
  return Reader(source, consumer, progress).whole_file();
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
