// The least work that could be called reading an Nsight Compute report, on one thread: walks the blocks
// and takes every message of a result apart as far as its metrics, and sums each of them. It reads no names,
// checks nothing beyond what keeps it inside its buffer, and analyses nothing; frx is measured as a
// multiple of it.
//
//   limit_ncurep FILE
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

namespace {

using protozero::pbf_reader;

constexpr std::size_t window = std::size_t{1} << 20;

class File {
 public:
  explicit File(const char* path) : descriptor_(::open(path, O_RDONLY)), buffer_(2 * window) {}
  bool is_open() const { return descriptor_ >= 0; }

  // The next `size` bytes, fewer at the end; valid until the next call.
  std::string_view take(std::size_t size) {
    while (end_ - begin_ < size && fill(size)) {
    }
    const std::string_view bytes(buffer_.data() + begin_, std::min(size, end_ - begin_));
    begin_ += bytes.size();
    return bytes;
  }

 private:
  bool fill(std::size_t size) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    buffer_.resize(std::max(buffer_.size(), size + window));
    const ssize_t got = ::read(descriptor_, buffer_.data() + end_, window);
    if (got > 0) end_ += static_cast<std::size_t>(got);
    return got > 0;
  }

  int descriptor_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

std::uint32_t take_size(File& file) {
  const std::string_view bytes = file.take(4);
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data(), bytes.size());
  return size;
}

class Sums {
 public:
  void take_result(std::string_view message) {
    ++results_;
    pbf_reader result(message.data(), message.size());
    while (result.next()) {
      if (result.tag() == 13) {
        take_metric(result.get_message());
      } else {
        result.skip();
      }
    }
  }
  void print() const {
    double checksum = 0;
    std::uint64_t numbers = 0;
    for (const Cell& cell : cells_) checksum += cell.sum, numbers += cell.count;
    std::printf("%llu results, %llu numbers, %zu metrics, checksum %.10g\n", static_cast<unsigned long long>(results_),
                static_cast<unsigned long long>(numbers), cells_.size(), checksum);
  }

 private:
  struct Cell {
    double sum = 0;
    std::uint64_t count = 0;
  };

  void take_metric(pbf_reader metric) {
    std::uint32_t name = 0;
    while (metric.next()) {
      switch (metric.tag()) {
        case 1: name = metric.get_uint32() & 0xFFFF; break;
        case 2: take_value(name, metric.get_message()); break;
        default: metric.skip();  // instances are passed over, one by one
      }
    }
  }

  void take_value(std::uint32_t name, pbf_reader value) {
    while (value.next()) {
      switch (value.tag()) {
        case 2: add(name, static_cast<double>(value.get_float())); break;
        case 3: add(name, value.get_double()); break;
        case 4:
        case 5: add(name, static_cast<double>(value.get_uint64())); break;
        default: value.skip();
      }
    }
  }

  void add(std::uint32_t name, double number) {
    if (name >= cells_.size()) cells_.resize(name + 1);
    cells_[name].sum += number;
    ++cells_[name].count;
  }

  std::vector<Cell> cells_;
  std::uint64_t results_ = 0;
};

void take_block(File& file, std::string_view bytes, Sums& sums) {
  pbf_reader header(bytes.data(), bytes.size());
  std::uint64_t sources = 0, results = 0;
  while (header.next()) {
    switch (header.tag()) {
      case 1: sources = header.get_uint64(); break;
      case 2: results = header.get_uint64(); break;
      default: header.skip();
    }
  }
  for (; sources > 0; --sources) file.take(take_size(file));
  for (; results > 0; --results) sums.take_result(file.take(take_size(file)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: limit_ncurep FILE\n"), 2;
  File file(argv[1]);
  const bool is_report = file.is_open() && file.take(4) == std::string_view("NVR\0", 4);
  if (!is_report) return std::fprintf(stderr, "limit_ncurep: no report\n"), 1;
  file.take(take_size(file));
  Sums sums;
  while (const std::uint32_t size = take_size(file)) take_block(file, file.take(size), sums);
  sums.print();
  return 0;
}
