#include "ingest/nsys_stats/header.h"

#include <algorithm>

#include "base/text.h"

namespace frx::ingest::nsys_stats {
namespace {

struct UnitWord {
  std::string_view written, known;
};
constexpr UnitWord unit_words[] = {{"nsec", "ns"},      {"nanoseconds", "ns"}, {"usec", "us"},   {"microseconds", "us"},
                                   {"\xC2\xB5s", "us"}, {"\xCE\xBCs", "us"},   {"msec", "ms"},   {"milliseconds", "ms"},
                                   {"seconds", "s"},    {"MBps", "MB/s"},      {"KBps", "KB/s"}, {"GBps", "GB/s"}};

std::string_view known_unit(std::string_view text) {
  const auto at = std::ranges::find(unit_words, text, &UnitWord::written);
  return at == std::end(unit_words) ? text : at->known;
}

struct Title {
  std::string key;  // in lower case without blanks: "totaltime"
  std::string_view name, unit;
};

// "Total Time (ns)" and "Start(nsec)" have a unit; that of "Time (%)" is part of its key, for it is no time.
Title title_of(std::string_view text) {
  text = trim(text);
  Title title{{}, text, {}};
  if (const std::size_t open = text.rfind('('); text.ends_with(')') && open != text.npos) {
    title.name = trim(text.substr(0, open));
    title.unit = known_unit(trim(text.substr(open + 1, text.size() - open - 2)));
  }
  if (title.unit == "%") title = {{}, text, {}};
  title.key = to_lower(title.name);
  std::erase(title.key, ' ');
  return title;
}

struct Role {
  std::string_view key;
  int Header::*column;
};
constexpr Role roles[] = {
    {"name", &Header::name},
    {"operation", &Header::name},
    {"range", &Header::range},
    {"category", &Header::category},
    {"time(%)", &Header::share},
    {"totaltime", &Header::total},
    {"instances", &Header::instances},
    {"avg", &Header::average},
    {"average", &Header::average},
    {"min", &Header::shortest},
    {"minimum", &Header::shortest},
    {"max", &Header::longest},
    {"maximum", &Header::longest},
    {"numcalls", &Header::calls},
    {"calls", &Header::calls},
    {"count", &Header::calls},
    {"start", &Header::start},
    {"duration", &Header::duration},
    {"device", &Header::device},
    {"reg/trd", &Header::registers},
    {"stcsmem", &Header::static_shared},
    {"dymsmem", &Header::dynamic_shared},
    {"bytes", &Header::bytes},
    {"total", &Header::size},
    {"gridxyz", &Header::grid_text},
    {"blockxyz", &Header::block_text},
};

void take_role(Header& header, std::string_view key, int at) {
  for (const Role& role : roles) {
    if (role.key == key && header.*role.column < 0) header.*role.column = at;
  }
  constexpr std::string_view axes = "xyz";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (key == std::string("grd") + axes[axis]) header.grid[axis] = at;
    if (key == std::string("blk") + axes[axis]) header.block[axis] = at;
  }
}

bool is_time(int column, const Header& header) {
  return column >= 0 && (column == header.total || column == header.average || column == header.shortest || column == header.longest ||
                         column == header.start || column == header.duration);
}

}  // namespace

std::optional<Header> Header::of(const std::vector<std::string_view>& titles, std::string_view unit) {
  Header header;
  bool calls = false, sizes = false;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const Title title = title_of(titles[i]);
    const auto at = static_cast<int>(i);
    take_role(header, title.key, at);
    calls |= title.key == "numcalls";
    sizes |= i == 0 && title.key == "total";
    header.names.emplace_back(title.name);
    header.units.emplace_back(title.unit);
    if (title.unit.empty() && is_time(at, header)) header.units.back() = known_unit(unit);
  }
  const bool summary = header.share == 0 && header.total >= 0;
  const bool timed = header.start == 0 && header.duration >= 0 && titles.size() > 3;
  if (summary && header.category >= 0 && header.instances >= 0 && header.name >= 0) {
    header.shape = Shape::work;
  } else if (summary && header.instances >= 0 && header.name >= 0 && titles[static_cast<std::size_t>(header.name)] != "Operation") {
    header.shape = header.grid_text >= 0 || header.block_text >= 0 ? Shape::shapes : Shape::kernels;
  } else if (timed && header.name >= 0 && header.grid[0] >= 0) {
    header.shape = Shape::trace;
  } else if (summary || (sizes && header.name >= 0)) {
    header.what = calls ? "calls" : sizes ? "sizes of copies" : header.name >= 0 ? "times of copies" : "times of ranges";
  } else if (timed && !header.units[0].empty()) {
    header.what = "a trace of calls";
  } else {
    return std::nullopt;
  }
  return header;
}

}  // namespace frx::ingest::nsys_stats
