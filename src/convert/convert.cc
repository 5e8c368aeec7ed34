#include "convert/convert.h"

#include <unordered_map>

#include "base/text.h"
#include "convert/launch_writer.h"

namespace frx::convert {
namespace {

class Converter : public nsight::ReportConsumer {
 public:
  Converter(const Request& request, const Counters& known, const Write& write)
      : request_(request),
        known_(known),
        write_(write),
        writer_(request.format == Format::csv ? csv_writer(request) : json_writer(request)) {}

  Result<> launch(const nsight::Launch& launch, std::uint64_t process, const nsight::StringTable& names) override {
    learn(names);
    const std::uint64_t id = outcome_.launches++;
    if (!is_wanted(launch, id)) return {};
    choose_metrics(launch);
    if (outcome_.written++ == 0) writer_->begin(text_);
    outcome_.values += metrics_.size();
    const nsight::Identity identity = identities_.of(launch);
    writer_->launch({launch, id, process, identity, metrics_, counters_}, text_);
    return bring_out();
  }

  Result<> source(const nsight::SourceData& source) override {
    identities_.learn(source);
    writer_->source(source);
    return {};
  }

  Result<Outcome> finish(const nsight::ReportSummary& summary) {
    if (outcome_.written == 0) {
      TRY(explain_nothing());
      writer_->begin(text_);
    }
    writer_->finish(summary, text_);
    TRY(bring_out());
    return outcome_;
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  void learn(const nsight::StringTable& names) {
    identities_.learn(names);
    while (counters_.size() < names.size()) {
      const std::string_view name = names[static_cast<std::uint32_t>(counters_.size())];
      first_of_name_.push_back(id_of_name_.emplace(name, counters_.size()).first->second);
      counters_.push_back({printable(name), known_.unit_of(name)});
    }
    taken_by_.resize(counters_.size(), 0);
  }

  bool is_wanted(const nsight::Launch& launch, std::uint64_t id) const {
    if (request_.launch && id != *request_.launch) return false;
    return request_.kernel.empty() || contains_ignoring_case(launch.best_name(), request_.kernel);
  }

  // A repeated name in one launch would make an object with two equal keys; the first one stays.
  void choose_metrics(const nsight::Launch& launch) {
    metrics_.clear();
    for (const nsight::MetricResult& metric : launch.metrics) {
      if (metric.name >= counters_.size() || counters_[metric.name].name.empty()) continue;
      std::uint64_t& taken_by = taken_by_[first_of_name_[metric.name]];
      if (taken_by == outcome_.launches) continue;
      taken_by = outcome_.launches;
      metrics_.push_back(&metric);
    }
  }

  Result<> bring_out() {
    const bool read_on = text_.empty() || write_(text_);
    text_.clear();
    if (read_on) return {};
    outcome_.stopped = true;
    return fail(ErrorKind::negative, "the output was closed before it was complete");
  }

  // A report without launches is a valid result; a filter that no launch matches is an error.
  Result<> explain_nothing() const {
    if (request_.kernel.empty() && !request_.launch) return {};
    const std::string launches = fmt::format("{} launch{}", outcome_.launches, outcome_.launches == 1 ? "" : "es");
    if (!request_.kernel.empty()) {
      return fail(ErrorKind::negative, "no {} with '{}' in the name of its kernel among {}",
                  request_.launch ? fmt::format("launch {}", *request_.launch) : "launch", printable(request_.kernel), launches);
    }
    return fail(ErrorKind::negative, "no launch {}: the report holds {}, counted from 0", *request_.launch, launches);
  }

  const Request& request_;
  const Counters& known_;
  const Write& write_;
  std::unique_ptr<LaunchWriter> writer_;
  nsight::IdentityReader identities_;
  std::vector<Counter> counters_;                                 // by id of the name
  std::vector<std::size_t> first_of_name_;                        // the first id with the same name
  std::unordered_map<std::string_view, std::size_t> id_of_name_;  // views into the table of the reader
  std::vector<std::uint64_t> taken_by_;                           // the number of the launch that last had this name
  std::vector<const nsight::MetricResult*> metrics_;
  std::string text_;
  Outcome outcome_;
};

}  // namespace

Result<Counters> Counters::load(const knowledge::Library& library) {
  Counters counters;
  TRY_ASSIGN(counters.units, knowledge::CounterUnits::load(library));
  TRY_ASSIGN(counters.metrics, knowledge::MetricCatalogue::load(library));
  return counters;
}

// Our catalogue has the units of counters whose names are not specific enough: operations per second.
std::optional<std::string> Counters::unit_of(std::string_view counter) const {
  if (std::optional<std::string> unit = units.of(counter)) return unit;
  const std::optional<model::Metric> metric = metrics.called({}, counter, std::nullopt);
  if (!metric) return std::nullopt;
  const knowledge::MetricDefinition& definition = metrics[*metric];
  const bool is_base = definition.unit.scale == knowledge::scale_of_base_unit(definition.unit.dimension);
  return is_base ? std::optional(std::string(definition.unit_text)) : std::nullopt;
}

std::string ChosenLaunch::kernel() const {
  const std::string name = printable(launch.best_name());
  return name.empty() ? "(unnamed kernel)" : name;
}

Result<Outcome> convert_ncu_report(ByteSource& report, const Request& request, const Counters& counters, const Write& write,
                                   const std::function<void(std::uint64_t)>& progress) {
  Converter converter(request, counters, write);
  Result<nsight::ReportSummary> summary = nsight::read_report(report, converter, progress);
  Result<Outcome> outcome = Outcome{};
  if (summary) outcome = converter.finish(*summary);
  if (converter.outcome().stopped) return converter.outcome();
  if (!summary) return Failure{std::move(summary).error()};
  return outcome;
}

}  // namespace frx::convert
