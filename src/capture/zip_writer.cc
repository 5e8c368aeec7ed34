#include "capture/zip_writer.h"

#include <zlib.h>

#include <ctime>

#include "base/pack.h"

namespace frx::capture {
namespace {

constexpr std::uint64_t largest_short = 0xffffffff;
constexpr std::uint64_t long_from = std::uint64_t{3} << 30;  // a file that may still grow beyond 4 GiB while it is read
constexpr std::uint16_t deflated = 8, sizes_follow_and_utf8 = 0x0808, unix_zip64 = 3 << 8 | 45;
constexpr std::uint32_t regular_file = 0100600u << 16;

std::string bytes_of(std::uint64_t value, int size) {
  std::string text;
  put_fixed(text, value, size);
  return text;
}
std::string two(std::uint64_t value) { return bytes_of(value, 2); }
std::string four(std::uint64_t value) { return bytes_of(value, 4); }
std::string eight(std::uint64_t value) { return bytes_of(value, 8); }

// Two seconds exactly, from 1980 on.
std::uint32_t dos_time(std::int64_t seconds) {
  const auto clock = static_cast<std::time_t>(seconds);
  std::tm utc{};
  if (::gmtime_r(&clock, &utc) == nullptr || utc.tm_year < 80 || utc.tm_year > 207) return 1 << 21 | 1 << 16;
  const int date = (utc.tm_year - 80) << 9 | (utc.tm_mon + 1) << 5 | utc.tm_mday;
  const int time = utc.tm_hour << 11 | utc.tm_min << 5 | utc.tm_sec / 2;
  return static_cast<std::uint32_t>(date) << 16 | static_cast<std::uint32_t>(time);
}

// Deflates with a level that is fast enough for interactive use.
class Deflater {
 public:
  Deflater() { ::deflateInit2(&stream_, 4, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY); }
  ~Deflater() { ::deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  template <typename Take>
  Result<> push(std::span<char> input, bool is_last, const Take& take) {
    stream_.next_in = reinterpret_cast<Bytef*>(input.data());
    stream_.avail_in = static_cast<uInt>(input.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      ::deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
      TRY(take(std::string(output_.data(), output_.size() - stream_.avail_out)));
    } while (stream_.avail_out == 0);
    return {};
  }

 private:
  z_stream stream_{};
  std::vector<char> output_ = std::vector<char>(1 << 16);
};

}  // namespace

Result<ZipWriter> ZipWriter::create(const std::string& path) {
  TRY_ASSIGN(OutputFile file, OutputFile::create(path, Access::owner_only));
  return ZipWriter(std::move(file));
}

Result<> ZipWriter::put(const std::string& bytes) {
  at_ += bytes.size();
  return file_.write(bytes);
}

Result<> ZipWriter::pack(ByteSource& content, Member& member) {
  Deflater deflater;
  std::vector<char> buffer(1 << 16);
  const auto take = [&](const std::string& packed) {
    member.packed += packed.size();
    return put(packed);
  };
  while (true) {
    TRY_ASSIGN(const std::size_t got, content.read(buffer));
    member.bytes += got;
    member.crc = static_cast<std::uint32_t>(::crc32_z(member.crc, reinterpret_cast<const Bytef*>(buffer.data()), got));
    TRY(deflater.push(std::span(buffer).first(got), got == 0, take));
    if (got == 0) return {};
  }
}

Result<> ZipWriter::add(const std::string& name, ByteSource& content, std::int64_t modified) {
  Member member{.name = name, .offset = at_, .when = dos_time(modified), .is_long = content.size_hint() >= long_from};
  const std::string extra = member.is_long ? two(1) + two(16) + eight(0) + eight(0) : "";
  const std::string size = four(member.is_long ? largest_short : 0);
  TRY(put("PK\x03\x04" + two(member.is_long ? 45 : 20) + two(sizes_follow_and_utf8) + two(deflated) + four(member.when) + four(0) + size +
          size + two(name.size()) + two(extra.size()) + name + extra));
  TRY(pack(content, member));
  if (!member.is_long && std::max(member.bytes, member.packed) > largest_short) {
    return fail(ErrorKind::unreadable, "it grew beyond 4 GiB while it was packed").at(name);
  }
  const auto number = [&](std::uint64_t value) { return member.is_long ? eight(value) : four(value); };
  TRY(put("PK\x07\x08" + four(member.crc) + number(member.packed) + number(member.bytes)));
  members_.push_back(std::move(member));
  return {};
}

Result<> ZipWriter::finish() {
  const std::uint64_t directory = at_;
  for (const Member& member : members_) {
    const bool is_long = member.is_long || std::max({member.bytes, member.packed, member.offset}) >= largest_short;
    const std::string extra = is_long ? two(1) + two(24) + eight(member.bytes) + eight(member.packed) + eight(member.offset) : "";
    const auto number = [&](std::uint64_t value) { return four(is_long ? largest_short : value); };
    TRY(put("PK\x01\x02" + two(unix_zip64) + two(is_long ? 45 : 20) + two(sizes_follow_and_utf8) + two(deflated) + four(member.when) +
            four(member.crc) + number(member.packed) + number(member.bytes) + two(member.name.size()) + two(extra.size()) + two(0) +
            two(0) + two(0) + four(regular_file) + number(member.offset) + member.name + extra));
  }
  const std::uint64_t size = at_ - directory;
  const bool is_long = members_.size() >= 0xffff || directory >= largest_short || size >= largest_short;
  if (is_long) {
    const std::uint64_t record = at_;
    TRY(put("PK\x06\x06" + eight(44) + two(unix_zip64) + two(45) + four(0) + four(0) + eight(members_.size()) + eight(members_.size()) +
            eight(size) + eight(directory)));
    TRY(put("PK\x06\x07" + four(0) + eight(record) + four(1)));
  }
  const auto shown = [&](std::uint64_t value, std::uint64_t largest) { return is_long ? largest : value; };
  TRY(put("PK\x05\x06" + two(0) + two(0) + two(shown(members_.size(), 0xffff)) + two(shown(members_.size(), 0xffff)) +
          four(shown(size, largest_short)) + four(shown(directory, largest_short)) + two(0)));
  return file_.commit();
}

}  // namespace frx::capture
