// Builds a Session from readings that arrive launch by launch.
//
// A reader says which launch it is at (at()), then sets readings; the table folds finished launches into groups of equal launches. Recent
// launches stay open, so that a file with rows in any order gives the same session, as long as it holds fewer than about half a million
// readings; beyond that the oldest are folded to bound memory, and a later row of such a launch is noted.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "knowledge/metrics.h"
#include "model/session.h"

namespace frx::ingest {

// Unique per launch within a file. 128 bits: of the ids themselves where they are numbers, else of a hash.
struct LaunchKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const LaunchKey&) const = default;
  static LaunchKey of(std::string_view text);
};

// Statements of the profiler's own rules that are kept of a report.
inline constexpr std::size_t most_rules = 5000;

class LaunchTable {
 public:
  LaunchTable(model::Session& session, const knowledge::MetricCatalogue& catalogue);

  // The column of a metric; columns are created on first use.
  std::uint32_t column(model::Metric metric);
  // How the file calls the counter of a column; the first name stays.
  void call(std::uint32_t column, std::string_view name);

  // Moves to the launch with this key, opening it when new.
  void at(LaunchKey key, const model::LaunchIdentity& identity, std::uint64_t line);
  void at(std::string_view key, const model::LaunchIdentity& identity, std::uint64_t line) { at(LaunchKey::of(key), identity, line); }
  // Opens a further launch equal to the current one: formats without launch ids repeat their metrics.
  void at_next(const model::LaunchIdentity& identity, std::uint64_t line);
  bool has_launch() const { return current_ != nullptr; }
  // The values of the current launch; valid until the next at().
  model::Kernel& kernel() { return session_.kernels[current_->kernel]; }
  // Its place among the kernels of the session.
  std::size_t kernel_index() const { return current_->kernel; }
  // How many launches the current entry represents (per-kernel summaries have "Invocations").
  void set_count(std::uint64_t launches);

  // Whether the current launch has a reading in this column already.
  bool has(std::uint32_t column) const;
  // Sets a value in the metric's own unit. The first reading of a launch stays.
  void set(std::uint32_t column, double value, std::uint64_t line);

  // Notes that a value was looked for in the current launch and is n/a, nan or empty.
  void set_absent();

  // Folds everything; the session is complete afterwards.
  void finish();

 private:
  struct Value {
    std::uint32_t column;
    double value;
    std::uint64_t line;
  };
  static constexpr std::uint32_t no_launch = 0xFFFFFFFF;
  struct Open {
    LaunchKey key;
    std::size_t kernel = 0;
    std::size_t group = 0;
    std::uint64_t line = 0;
    std::uint64_t count = 1;
    bool without_threads = false;
    bool has_absent = false;
    std::uint32_t measured = no_launch;  // of session_.each
    std::vector<Value> values;
  };

  struct KeyHash {
    std::size_t operator()(const LaunchKey& key) const noexcept { return key.high * 0x9E3779B97F4A7C15u ^ key.low; }
  };
  // The keys of launches that were folded early. Launches mostly come in the order of their ids, without gaps.
  class FoldedKeys {
   public:
    void add(const LaunchKey& key);
    bool contains(const LaunchKey& key) const;

   private:
    std::uint64_t high_ = 0, begin_ = 0, end_ = 0;  // of ids that follow one another
    std::unordered_set<std::size_t> others_;        // hashes
  };
  // The launches of a group agree in all of this.
  struct GroupKey {
    std::size_t kernel = 0;
    model::Dim3 grid{}, block{};
    int device = -1, cc = -1;
    bool operator==(const GroupKey&) const = default;
  };
  struct GroupHash {
    // Not noexcept, so that the table keeps the hash with each key and does not work it out again for every key of a bucket.
    std::size_t operator()(const GroupKey& key) const;
  };

  Open* open(LaunchKey key, const model::LaunchIdentity& identity, std::uint64_t line);
  std::size_t group_of(std::size_t kernel, const model::LaunchIdentity& identity);
  void remember(Open& launch, const model::LaunchIdentity& identity);
  model::MeasuredLaunch* kept_launch(const Open& launch);
  void judge(Open& launch);
  void note_unusual();
  void fold(Open& launch);
  void fold_oldest_while_large();

  model::Session& session_;
  const knowledge::MetricCatalogue& catalogue_;
  std::vector<std::int32_t> column_of_metric_;
  enum class Tells : std::uint8_t { what_ran, shape, device };
  std::vector<Tells> tells_;  // by column
  std::uint32_t duration_column_;
  std::deque<Open> open_;
  std::unordered_map<LaunchKey, Open*, KeyHash> by_key_;
  std::unordered_map<std::string, std::size_t> kernel_by_name_;
  std::unordered_map<GroupKey, std::size_t, GroupHash> group_by_key_;
  std::vector<std::uint64_t>
      group_bits_;  // by kernel: a bit for the hash of each of its groups; most launches of a kernel with many are none
  std::vector<std::vector<Value>> spare_;  // buffers of folded launches, to be used again
  Open* current_ = nullptr;
  FoldedKeys folded_;
  bool came_back_ = false;
  std::vector<std::uint64_t> seen_in_;  // by column: the number of the fold that saw it last
  std::uint64_t folds_ = 0;
  std::size_t buffered_ = 0;
  std::uint64_t anonymous_ = 0;
  struct Unusual {
    std::uint64_t count = 0;
    std::uint64_t line = 0;  // of the first
  };
  Unusual failed_, joined_, unmeasured_;
};

}  // namespace frx::ingest
