#include "report/layout/trial_tensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace frx::report {
namespace {

template <typename Number>
double element_of(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return static_cast<double>(number);
}

double half_of(const char* bytes) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double bfloat_of(const char* bytes) {
  std::uint16_t upper = 0;
  std::memcpy(&upper, bytes, sizeof upper);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16));
}

struct ElementType {
  std::string_view name;
  std::size_t size;
  double (*read)(const char* bytes);
};
constexpr std::array<ElementType, 10> element_types = {{{"float64", 8, element_of<double>},
                                                        {"float32", 4, element_of<float>},
                                                        {"float16", 2, half_of},
                                                        {"bfloat16", 2, bfloat_of},
                                                        {"int64", 8, element_of<std::int64_t>},
                                                        {"int32", 4, element_of<std::int32_t>},
                                                        {"int16", 2, element_of<std::int16_t>},
                                                        {"int8", 1, element_of<std::int8_t>},
                                                        {"uint8", 1, element_of<std::uint8_t>},
                                                        {"bool", 1, element_of<std::uint8_t>}}};

const ElementType* type_called(std::string_view name) {
  for (const ElementType& type : element_types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::string mismatch_of(const TrialTensor& one, std::string_view before, const TrialTensor& other, std::string_view after) {
  const ElementType* type = type_called(one.dtype);
  if (one.dtype != other.dtype) return "the types differ: " + one.dtype + " and " + other.dtype;
  if (one.sizes != other.sizes || one.stride != other.stride || one.elements != other.elements) return "the sizes differ";
  if (!type) return "values of the type " + one.dtype + " are not compared here";
  // Counts of a file are not trusted: a division cannot overflow.
  const auto holds = [&](std::string_view bytes) { return bytes.size() % type->size == 0 && bytes.size() / type->size == one.elements; };
  if (!holds(before) || !holds(after)) return "a file has not as many bytes as its description says";
  return {};
}

void add_element(OutputDifference& sum, double before, double after, const knowledge::ToleranceRule* tolerance) {
  if (!std::isfinite(before)) return;
  ++sum.elements;
  sum.largest_value = std::max(sum.largest_value, std::abs(before));
  if (!std::isfinite(after)) {
    ++sum.newly_not_finite;
    ++sum.outside;
    return;
  }
  const double difference = std::abs(after - before);
  if (difference == 0) return;
  const double allowed = tolerance ? tolerance->atol + tolerance->rtol * std::abs(before) : 0;
  sum.largest_difference = std::max(sum.largest_difference, difference);
  sum.largest_times_tolerance = std::max(sum.largest_times_tolerance, allowed > 0 ? difference / allowed : HUGE_VAL);
  if (difference > allowed) ++sum.outside;
}

double share_of_largest(const knowledge::ToleranceRule* tolerance, std::optional<double> longest_sum) {
  if (!tolerance) return 0;
  if (!tolerance->per_root_of_terms) return tolerance->of_largest;
  return std::min(tolerance->of_largest * std::sqrt(std::max(longest_sum.value_or(1), 1.0)), tolerance->at_most);
}

}  // namespace

OutputDifference compare_outputs(const TrialTensor& baseline, std::string_view before, const TrialTensor& other, std::string_view after,
                                 const knowledge::ToleranceRule* tolerance, std::optional<double> longest_sum) {
  OutputDifference sum;
  sum.share_of_largest = share_of_largest(tolerance, longest_sum);
  sum.name = baseline.name;
  sum.dtype = baseline.dtype;
  sum.mismatch = mismatch_of(baseline, before, other, after);
  if (!sum.mismatch.empty()) return sum;
  const ElementType& type = *type_called(baseline.dtype);
  for (std::size_t at = 0; at < before.size(); at += type.size) {
    add_element(sum, type.read(before.data() + at), type.read(after.data() + at), tolerance);
  }
  return sum;
}

}  // namespace frx::report
