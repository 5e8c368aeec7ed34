// The fields of one protobuf message, taken one after the other.
//
// A thin wrapper around protozero: a field of an unexpected wire type reads as empty instead of stopping the program, because a file may
// contain any bytes. Malformed bytes throw protozero::exception; ReportFile (report_file.h) catches it and names the place.
#pragma once

#include <cstdint>
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

 private:
  protozero::pbf_reader reader_;
};

}  // namespace frx::ingest::nsight
