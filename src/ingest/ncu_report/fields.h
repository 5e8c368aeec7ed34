// The fields of one protobuf message, taken one after the other.
//
// A thin wrapper around protozero: a field of an unexpected wire type reads as empty instead of stopping the program, because a file may
// contain any bytes. Malformed bytes throw protozero::exception; ReportFile (report_file.h) catches it and names the place.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace frx::ingest::nsight {

class Fields {
 public:
  explicit Fields(std::string_view message) : reader_(message.data(), message.size()) {}

  bool next() { return reader_.next(); }
  std::uint32_t number() const { return reader_.tag(); }
  void skip() { reader_.skip(); }

  bool is_message() const { return reader_.wire_type() == protozero::pbf_wire_type::length_delimited; }

  // Each of these consumes the field; for another wire type it returns 0, NaN or "".
  std::uint64_t integer() {
    if (reader_.wire_type() == protozero::pbf_wire_type::varint) return reader_.get_uint64();
    reader_.skip();
    return 0;
  }
  double real() {
    if (reader_.wire_type() == protozero::pbf_wire_type::fixed64) return reader_.get_double();
    if (reader_.wire_type() == protozero::pbf_wire_type::fixed32) return static_cast<double>(reader_.get_float());
    reader_.skip();
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::string_view bytes() {
    if (!is_message()) {
      reader_.skip();
      return {};
    }
    const protozero::data_view view = reader_.get_view();
    return {view.data(), view.size()};
  }
  // Calls visit(bytes) for this field and for those behind it of the same number: the instances of a metric, of which a report holds
  // millions. Only messages of less than 128 bytes are followed without next(); it takes what is longer or cut off.
  template <typename Visit>
  void each_message(const Visit& visit) {
    const std::uint32_t tag = number() << 3 | static_cast<std::uint32_t>(protozero::pbf_wire_type::length_delimited);
    std::string_view message = bytes();
    const protozero::data_view left = reader_.data();
    const char* at = left.data();
    const char* const end = at + left.size();
    while (true) {
      visit(message);
      if (tag >= 0x80 || end - at < 2 || static_cast<unsigned char>(*at) != tag) break;
      const std::size_t size = static_cast<unsigned char>(at[1]);
      if (size >= 0x80 || size > static_cast<std::size_t>(end - at - 2)) break;
      message = std::string_view(at + 2, size);
      at += 2 + size;
    }
    reader_ = protozero::pbf_reader(at, static_cast<std::size_t>(end - at));
  }

 private:
  protozero::pbf_reader reader_;
};

// A message of one field in the usual form: a double as field 3, a whole number below 2^63 as field 4 or 5. False for all others, which
// Fields reads; most values of a report are like this.
inline bool read_whole_double(std::string_view message, double& number) {
  constexpr char double_field = 3 << 3 | 1;
  if (message.size() != 1 + sizeof number || message[0] != double_field) return false;
  std::memcpy(&number, message.data() + 1, sizeof number);  // little endian, as the machines this runs on
  return true;
}

inline bool read_whole_integer(std::string_view message, std::uint64_t& number) {
  constexpr char uint32_field = 4 << 3, uint64_field = 5 << 3;
  constexpr std::size_t longest = 9;  // 63 bits
  const std::size_t size = message.size();
  if (size < 2 || size > 1 + longest || (message[0] != uint64_field && message[0] != uint32_field)) return false;
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(message[i]);
    sum |= std::uint64_t{byte & 0x7Fu} << (7 * (i - 1));
    if ((byte < 0x80) != (i + 1 == size)) return false;
  }
  number = sum;
  return true;
}

}  // namespace frx::ingest::nsight
