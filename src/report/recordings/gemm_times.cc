#include "report/recordings/gemm_times.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/units.h"

namespace frx::report {
namespace {

using model::Timeline;

enum class Role : std::uint8_t { product, helper, other };

class Roles {
 public:
  explicit Roles(const knowledge::KernelClasses& classes)
      : classes_(classes), product_(bit_of(classes.with_name("gemm"))), helper_(bit_of(classes.with_name("gemm_helper"))) {}

  Role of(std::string_view name) const {
    const std::uint64_t bits = classes_.of(name);
    return (bits & helper_) != 0 ? Role::helper : (bits & product_) != 0 ? Role::product : Role::other;
  }

 private:
  static std::uint64_t bit_of(std::optional<std::size_t> index) { return index ? std::uint64_t{1} << *index : 0; }

  const knowledge::KernelClasses& classes_;
  std::uint64_t product_, helper_;
};

void add_to_all(GemmTimes& times) {
  std::ranges::sort(times.rows, [](const GemmRow& a, const GemmRow& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.kernel < b.kernel;
  });
  for (const GemmRow& row : times.rows) {
    times.all.products += row.products;
    times.all.total_ns += row.total_ns;
    times.all.helper_launches += row.helper_launches;
    times.all.helper_ns += row.helper_ns;
  }
}

void note_stray(GemmTimes& times, std::uint64_t stray) {
  if (stray > 0)
    times.notes.push_back(fmt::format("{} before any product on the stream: counted into none", count_text(stray, "helper kernel")));
}

// One product after the other, while kernels are visited by stream and start.
class Products {
 public:
  explicit Products(const Timeline& timeline) : timeline_(timeline) {}

  void begin(std::uint32_t event) {
    end();
    open_ = timeline_.name[event];
    GemmRow& row = rows_[open_];
    ++row.products;
    time_ = static_cast<double>(timeline_.duration[event]);
  }
  bool add_helper(std::uint32_t event) {
    if (open_ == Timeline::no_id) return false;
    const auto ns = static_cast<double>(timeline_.duration[event]);
    GemmRow& row = rows_[open_];
    ++row.helper_launches;
    row.helper_ns += ns;
    helpers_[open_].insert(timeline_.name[event]);
    time_ += ns;
    return true;
  }
  void end() {
    if (open_ == Timeline::no_id) return;
    GemmRow& row = rows_[open_];
    row.total_ns += time_;
    row.shortest_ns = std::min(row.shortest_ns.value_or(time_), time_);
    row.longest_ns = std::max(row.longest_ns.value_or(time_), time_);
    open_ = Timeline::no_id;
  }
  void move_to(GemmTimes& times) {
    for (auto& [name, row] : rows_) {
      row.kernel = timeline_.names[name];
      for (const std::uint32_t helper : helpers_[name]) row.helpers.emplace_back(timeline_.names[helper]);
      times.rows.push_back(std::move(row));
    }
  }

 private:
  const Timeline& timeline_;
  std::map<std::uint32_t, GemmRow> rows_;  // by name of the main kernel
  std::map<std::uint32_t, std::set<std::uint32_t>> helpers_;
  std::uint32_t open_ = Timeline::no_id;
  double time_ = 0;
};

std::vector<std::uint32_t> kernels_by_stream(const Timeline& timeline) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < timeline.size(); ++i) {
    if (timeline.kind[i] == model::EventKind::kernel) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return timeline.track[a] != timeline.track[b] ? timeline.track[a] < timeline.track[b] : timeline.start[a] < timeline.start[b];
  });
  return order;
}

}  // namespace

GemmTimes gemm_times_of(const Timeline& timeline, const knowledge::KernelClasses& classes) {
  const Roles roles(classes);
  std::unordered_map<std::uint32_t, Role> known;
  std::set<std::uint32_t> others;
  GemmTimes times;
  Products products(timeline);
  std::uint64_t stray = 0;
  std::uint32_t track = Timeline::no_id;
  for (const std::uint32_t event : kernels_by_stream(timeline)) {
    if (timeline.track[event] != track) products.end();
    track = timeline.track[event];
    const auto [role, is_new] = known.try_emplace(timeline.name[event], Role::other);
    if (is_new) role->second = roles.of(timeline.name_of(event));
    if (role->second == Role::product) products.begin(event);
    if (role->second == Role::helper && !products.add_helper(event)) ++stray;
    if (role->second == Role::other) others.insert(timeline.name[event]);
  }
  products.end();
  products.move_to(times);
  times.other_kernels = others.size();
  add_to_all(times);
  note_stray(times, stray);
  return times;
}

GemmTimes gemm_times_of(const RecordedTimes& recorded, const knowledge::KernelClasses& classes) {
  const Roles roles(classes);
  GemmTimes times;
  GemmRow helpers;
  std::uint64_t untimed = 0;
  for (const model::NameTimes& row : recorded.kernels) {
    const Role role = roles.of(row.name);
    times.other_kernels += role == Role::other;
    untimed += role != Role::other && !row.total_ns;
    if (role == Role::other || !row.total_ns) continue;
    if (role == Role::product) times.rows.push_back({row.name, {}, row.calls, 0, *row.total_ns, 0, row.shortest_ns, row.longest_ns});
    if (role == Role::product) continue;
    helpers.helpers.push_back(row.name);
    helpers.helper_launches += row.calls;
    helpers.helper_ns += *row.total_ns;
  }
  if (untimed > 0) times.notes.push_back(fmt::format("{} without times left out", count_text(untimed, "kernel")));
  if (times.rows.size() == 1 && helpers.helper_launches > 0) {
    GemmRow& only = times.rows.front();
    only.helpers = helpers.helpers;
    only.helper_launches = helpers.helper_launches;
    only.helper_ns = helpers.helper_ns;
    only.total_ns += helpers.helper_ns;
    only.shortest_ns = only.longest_ns = std::nullopt;  // of one product: not in the sums
  }
  add_to_all(times);
  if (times.rows.size() > 1 && helpers.helper_launches > 0) {
    times.all.helper_launches = helpers.helper_launches;
    times.all.helper_ns = helpers.helper_ns;
    times.all.total_ns += helpers.helper_ns;
    times.notes.push_back(fmt::format("sums by name do not tell whose helpers {} are: they count in the line of all products only",
                                      count_text(helpers.helper_launches, "kernel")));
  }
  if (times.rows.empty()) note_stray(times, helpers.helper_launches);
  return times;
}

}  // namespace frx::report
