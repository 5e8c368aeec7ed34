// The least work that could be called reading an Nsight Compute CSV, on one thread: splits every field
// (RFC 4180), converts numbers, interns names and sums each (kernel, metric). It checks nothing and
// analyses nothing; frx is measured as a multiple of it.
//
//   limit_csv FILE
#include <fast_float/fast_float.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

constexpr std::size_t window = std::size_t{1} << 20;

class Names {
 public:
  std::size_t id(std::string_view name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    return ids_.emplace(std::string(name), ids_.size()).first->second;
  }
  std::size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> ids_;
};

struct Cell {
  double sum = 0;
  std::uint64_t count = 0;
};

// "1,234.56" -> 1234.56.
bool to_number(std::string_view text, double& value) {
  char digits[64];
  if (std::memchr(text.data(), ',', text.size()) != nullptr) {
    std::size_t size = 0;
    for (const char c : text) {
      if (c != ',' && size < sizeof digits) digits[size++] = c;
    }
    text = std::string_view(digits, size);
  }
  const auto result = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

class Sums {
 public:
  void take(const std::vector<std::string_view>& fields) {
    if (columns_ == 0) return take_header(fields);
    ++rows_;
    if (fields.size() != columns_ || fields[kernel_].empty()) return;
    const std::size_t kernel = kernels_.id(fields[kernel_]);
    double number = 0;
    if (tall_) {
      if (to_number(fields[value_], number)) add(kernel, metrics_.id(fields[metric_]), number);
      return;
    }
    for (std::size_t i = 0; i < columns_; ++i) {
      if (i != kernel_ && !fields[i].empty() && to_number(fields[i], number)) add(kernel, i, number);
    }
  }

  void print() const {
    double checksum = 0;
    std::uint64_t numbers = 0;
    for (const auto& row : cells_) {
      for (const Cell& cell : row) {
        if (cell.count > 0) checksum += cell.sum / static_cast<double>(cell.count);
        numbers += cell.count;
      }
    }
    std::printf("%zu rows, %llu numbers, %zu kernels, checksum %.10g\n", rows_, static_cast<unsigned long long>(numbers), kernels_.size(),
                checksum);
  }

 private:
  void take_header(const std::vector<std::string_view>& fields) {
    columns_ = fields.size();
    for (std::size_t i = 0; i < columns_; ++i) {
      if (fields[i] == "Kernel Name") kernel_ = i;
      if (fields[i] == "Metric Name") tall_ = true, metric_ = i;
      if (fields[i] == "Metric Value") value_ = i;
    }
  }

  void add(std::size_t kernel, std::size_t metric, double number) {
    if (kernel >= cells_.size()) cells_.resize(kernel + 1);
    if (metric >= cells_[kernel].size()) cells_[kernel].resize(metric + 1);
    cells_[kernel][metric].sum += number;
    ++cells_[kernel][metric].count;
  }

  std::size_t columns_ = 0, kernel_ = 0, metric_ = 0, value_ = 0, rows_ = 0;
  bool tall_ = false;
  Names kernels_, metrics_;
  std::vector<std::vector<Cell>> cells_;
};

// Calls take(fields) for every whole record in [at, end) and returns where the rest begins.
template <typename Take>
const char* split_records(const char* at, const char* end, std::vector<std::string_view>& fields, const Take& take) {
  while (at < end) {
    const char* const record = at;
    fields.clear();
    while (true) {
      const char* begin = at;
      if (at < end && *at == '"') {
        ++begin;
        at = begin;
        while (true) {
          at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
          if (at == nullptr) return record;
          if (at + 1 < end && at[1] == '"') {
            at += 2;
            continue;
          }
          break;
        }
        fields.emplace_back(begin, static_cast<std::size_t>(at - begin));
        ++at;
      } else {
        while (at < end && *at != ',' && *at != '\n') ++at;
        fields.emplace_back(begin, static_cast<std::size_t>(at - begin));
      }
      if (at >= end) return record;
      if (*at++ != ',') break;
    }
    take(fields);
  }
  return at;
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 2 ? ::open(argv[1], O_RDONLY) : -1;
  if (file < 0) return std::fprintf(stderr, "usage: limit_csv FILE\n"), 2;
  std::vector<char> buffer(2 * window);
  std::vector<std::string_view> fields;
  Sums sums;
  std::size_t have = 0;
  while (true) {
    const ssize_t got = ::read(file, buffer.data() + have, window);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
    const char* const rest = split_records(buffer.data(), buffer.data() + have, fields, [&](const auto& f) { sums.take(f); });
    have = static_cast<std::size_t>(buffer.data() + have - rest);
    if (have > window) return std::fprintf(stderr, "limit_csv: a record of more than 1 MiB\n"), 1;
    std::memmove(buffer.data(), rest, have);
  }
  sums.print();
  return 0;
}
