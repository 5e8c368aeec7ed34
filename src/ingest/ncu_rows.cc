#include "ingest/ncu_rows.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace frx::ingest {
namespace {

// Calls take(line) for each line of a text.
template <typename Take>
void each_line(std::string_view text, const Take& take) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const auto* const found = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const stop = found ? found : end;
    std::string_view line(at, static_cast<std::size_t>(stop - at));
    if (line.ends_with('\r')) line.remove_suffix(1);
    take(line);
    at = found ? found + 1 : end;
  }
}

// Appends the first `count` fields, each in quotes and with a comma behind it. The position behind the last comma; null where the line does
// not begin with such fields, or quotes are within one.
const char* read_quoted_fields(std::string_view line, std::size_t count, std::vector<std::string_view>& fields) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (at >= end || *at++ != '"') return nullptr;
    const auto* const close = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (!close || close + 1 >= end || close[1] != ',') return nullptr;
    fields.emplace_back(at, static_cast<std::size_t>(close - at));
    at = close + 2;
  }
  return at;
}

class WideRows {
 public:
  WideRows(const NcuLayout& layout, NcuRows& rows)
      : layout_(layout), rows_(rows), width_(layout.uses.size()), texts_of_row_(layout.uses_as_text()) {}

  void take(std::string_view line) {
    NcuRow& row = rows_.rows.emplace_back();
    row.line = line;
    const std::size_t fields = rows_.fields.size(), texts = rows_.texts.size(), numbers = rows_.numbers.size();
    rows_.numbers.resize(numbers + width_);
    if (read(line, fields, numbers)) {
      row.index = regular_++;
      return;
    }
    rows_.fields.resize(fields);
    rows_.texts.resize(texts);
    rows_.numbers.resize(numbers);
  }

 private:
  bool read(std::string_view line, std::size_t fields, std::size_t numbers) {
    const char* const at = read_quoted_fields(line, layout_.first_number, rows_.fields);
    if (!at || !describes_launch(fields)) return false;
    others_.clear();
    double* const into = rows_.numbers.data() + numbers;
    return read_quoted_numbers(at, line.data() + line.size(), width_, into, others_) && take_others(into);
  }

  bool describes_launch(std::size_t fields) const {
    const NcuColumns& columns = layout_.columns;
    const auto field = [&](int column) { return rows_.fields[fields + static_cast<std::size_t>(column)]; };
    if (columns.id >= 0 && !is_launch_id(field(columns.id))) return false;
    return columns.kernel < 0 || (!trim(field(columns.kernel)).empty() && field(columns.kernel) != layout_.kernel_heading);
  }

  // False when a text stands where a number should: the reader of the table has words for that.
  bool take_others(double* numbers) {
    const std::size_t texts = rows_.texts.size();
    for (const OtherField& other : others_) {
      const NcuLayout::Use use = layout_.uses[other.index];
      if (use == NcuLayout::Use::text) rows_.texts.push_back(other.text);
      if (use != NcuLayout::Use::reading && use != NcuLayout::Use::other) continue;
      if (const std::optional<double> number = parse_number(other.text, NumberStyle::point)) {
        numbers[other.index] = *number;
      } else if (use == NcuLayout::Use::reading && !is_absent_value(other.text)) {
        return false;
      }
    }
    return rows_.texts.size() - texts == texts_of_row_;
  }

  const NcuLayout& layout_;
  NcuRows& rows_;
  std::size_t width_, texts_of_row_;
  std::vector<OtherField> others_;
  std::uint32_t regular_ = 0;
};

class TallRows {
 public:
  TallRows(const NcuLayout& layout, NcuRows& rows) : layout_(layout), rows_(rows) {}

  void read(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
      if (const char* const next = take_as_the_last(at, end)) {
        at = next;
        continue;
      }
      const auto* const found = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      take(at, found ? found + 1 : end);
      at = found ? found + 1 : end;
    }
  }

 private:
  static bool begins_with(const char* at, const char* end, std::string_view text) {
    return static_cast<std::size_t>(end - at) >= text.size() && std::memcmp(at, text.data(), text.size()) == 0;
  }

  // The launch, the middle of its next row, a number, and what stood behind the last one: the begin of the next line. Null for all others.
  const char* take_as_the_last(const char* line, const char* end) {
    if (launch_.empty() || place_ >= layout_.middles.size() || !begins_with(line, end, launch_)) return nullptr;
    const std::string_view middle = layout_.middles[place_].text;
    const char* at = line + launch_.size();
    if (middle.empty() || !begins_with(at, end, middle)) return nullptr;
    double number = 0;
    at = read_quoted_number(at + middle.size() - 1, end, number);
    if (!at || tail_.empty() || !begins_with(at, end, tail_)) return nullptr;
    add_row(line, at + tail_.size(), number);
    return at + tail_.size();
  }

  void take(const char* begin, const char* end) {
    const std::string_view line = without_end(begin, end);
    if (launch_.empty() || !line.starts_with(launch_)) return begin_launch(line);
    const char* const behind = place_ < layout_.middles.size() ? value(line.substr(launch_.size())) : nullptr;
    if (!behind) {
      rows_.rows.push_back({line});
      ++place_;
      return;
    }
    if (end[-1] == '\n') tail_ = std::string_view(behind, static_cast<std::size_t>(end - behind));
    add_row(begin, end, number_);
  }

  // The position behind the value, which is then in `number_`; null where the row is not one with the next middle and a number.
  const char* value(std::string_view rest) {
    const NcuLayout::Middle& middle = layout_.middles[place_];
    if (middle.text.empty() || !rest.starts_with(middle.text)) return nullptr;
    const char* const begin = rest.data() + middle.text.size();
    const char* const end = rest.data() + rest.size();
    const auto* const close = static_cast<const char*>(std::memchr(begin, '"', static_cast<std::size_t>(end - begin)));
    if (!close || (close + 1 < end && close[1] != ',')) return nullptr;
    const std::optional<double> number = parse_number({begin, static_cast<std::size_t>(close - begin)}, NumberStyle::point);
    number_ = number.value_or(0);
    return number ? close + 1 : nullptr;
  }

  static std::string_view without_end(const char* begin, const char* end) {
    std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void add_row(const char* begin, const char* end, double number) {
    rows_.rows.push_back({without_end(begin, end), static_cast<std::uint32_t>(place_), static_cast<std::uint32_t>(launch_.size()), number});
    ++place_;
  }

  void begin_launch(std::string_view line) {
    rows_.rows.push_back({line});
    fields_.clear();
    const auto count = static_cast<std::size_t>(layout_.last_of_launch + 1);
    const char* const middle = read_quoted_fields(line, count, fields_);
    launch_ = middle ? line.substr(0, static_cast<std::size_t>(middle - line.data())) : std::string_view();
    place_ = 1;
  }

  const NcuLayout& layout_;
  NcuRows& rows_;
  std::string_view launch_;  // the begin of the line that describes it
  std::string_view tail_;    // of the last row: what stands behind its value, and the end of the line
  std::size_t place_ = 0;    // of the next row among those of its launch
  double number_ = 0;
  std::vector<std::string_view> fields_;
};

}  // namespace

bool is_launch_id(std::string_view text) { return !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == text.npos; }

std::size_t NcuLayout::uses_as_text() const { return static_cast<std::size_t>(std::ranges::count(uses, Use::text)); }

void NcuRows::clear() {
  rows.clear();
  numbers.clear();
  fields.clear();
  texts.clear();
}

void read_wide_rows(const NcuLayout& layout, std::string_view text, NcuRows& into) {
  WideRows rows(layout, into);
  each_line(text, [&](std::string_view line) { rows.take(line); });
}

void read_tall_rows(const NcuLayout& layout, std::string_view text, NcuRows& into) { TallRows(layout, into).read(text); }

}  // namespace frx::ingest
