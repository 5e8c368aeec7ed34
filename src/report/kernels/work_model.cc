#include "report/kernels/work_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "knowledge/expression.h"

namespace frx::report {
namespace {

struct Operation {
  std::string_view name;
  std::string_view formula;  // over M, N and K; "" where only an expression tells
  std::size_t fewest_dimensions;
  bool is_square_by_size;  // --size N stands for N,N,N
};

constexpr Operation operations[] = {
    {"gemm", "2*M*N*K", 3, true},       {"conv", "2*M*N*K", 3, false},    {"attention", "4*M*N*K", 3, false},
    {"elementwise", "M*N*K", 1, false}, {"reduction", "M*N*K", 1, false}, {"custom", "", 0, false},
};
constexpr std::size_t most_of_a_shape = 3;

Failure wrong(std::string_view option, std::string_view expected, std::string_view found) {
  return fail(ErrorKind::usage, "{}: expected {}, found '{}'", option, expected, printable(found));
}

Result<std::vector<std::uint32_t>> dimensions_of(const std::string& shape) {
  std::vector<std::uint32_t> dimensions;
  for (const std::string_view part : split(shape, ',')) {
    const std::string_view text = trim(part);
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number == 0 || dimensions.size() == most_of_a_shape)
      return wrong("--shape", "one to three whole numbers above 0, such as 4096,4096,512", shape);
    dimensions.push_back(number);
  }
  return dimensions;
}

// Of M, N, K and SIZE, in this order; those that were not given are unknown.
using Numbers = std::vector<std::optional<double>>;

Result<double> value_of(std::string_view expression, const Numbers& numbers, std::string_view option) {
  const auto name = [](std::string_view word) -> std::optional<knowledge::Operand> {
    constexpr std::string_view names[] = {"M", "N", "K", "SIZE"};
    const auto at = std::ranges::find(names, word);
    return at == std::end(names) ? std::nullopt
                                 : std::optional(knowledge::Operand{.slot = static_cast<std::uint32_t>(at - std::begin(names))});
  };
  TRY_ASSIGN(const knowledge::Expression parsed, knowledge::Expression::parse(expression, name, std::string(option)));
  const std::optional<double> value = parsed.number([&](std::uint32_t slot) { return numbers.at(slot); });
  if (parsed.is_truth() || !parsed.dimension().is_plain_number())
    return wrong(option, "a number of operations without a unit, such as 2*M*N*K", expression);
  if (!value) return wrong(option, "numbers that --shape or --size gives (M, N, K, SIZE)", expression);
  if (!std::isfinite(*value) || *value <= 0) return wrong(option, "a number of operations above 0", expression);
  return *value;
}

Numbers numbers_of(const WorkModel& work, const WorkRequest& request) {
  Numbers numbers(4);
  // A dimension that an operation does not have counts once.
  for (std::size_t i = 0; i < most_of_a_shape && !work.dimensions.empty(); ++i)
    numbers[i] = i < work.dimensions.size() ? work.dimensions[i] : 1;
  if (request.size) numbers[3] = static_cast<double>(*request.size);
  return numbers;
}

Result<const Operation*> operation_called(const std::string& name) {
  const auto at = std::ranges::find(operations, std::string_view(name), &Operation::name);
  if (at == std::end(operations)) return wrong("--op", join(operation_names(), ", "), name);
  return at;
}

Result<> count_operations(const Operation& operation, const WorkRequest& request, const Numbers& numbers, WorkModel& work) {
  if (operation.formula.empty())
    return fail(ErrorKind::usage, "--op {} needs --flops EXPR: its operations follow from no shape", operation.name);
  const bool has_shape = !request.shape.empty() || (operation.is_square_by_size && request.size);
  if (!has_shape || work.dimensions.size() < operation.fewest_dimensions)
    return fail(ErrorKind::usage, "--op {} needs --shape with {}{}", operation.name,
                operation.fewest_dimensions == 1 ? "the number of elements" : "M,N,K", operation.is_square_by_size ? ", or --size N" : "");
  TRY_ASSIGN(work.flops, value_of(operation.formula, numbers, "--op"));
  work.from = fmt::format("{} of {} {}", operation.formula, operation.name, dimensions_text(work.dimensions));
  return {};
}

}  // namespace

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const Operation& operation : operations) names.emplace_back(operation.name);
  return names;
}

std::string dimensions_text(const std::vector<std::uint32_t>& dimensions) {
  std::string text;
  for (const std::uint32_t dimension : dimensions) text += fmt::format("{}{}", text.empty() ? "" : "x", dimension);
  return text;
}

Result<WorkModel> work_of(const WorkRequest& request) {
  WorkModel work;
  work.operation = request.operation;
  if (!request.shape.empty()) {
    TRY_ASSIGN(work.dimensions, dimensions_of(request.shape));
  } else if (request.size) {
    if (*request.size == 0 || *request.size > UINT32_MAX)
      return wrong("--size", "a number from 1 to 4294967295", fmt::to_string(*request.size));
    work.dimensions.assign(most_of_a_shape, static_cast<std::uint32_t>(*request.size));
  }
  const Numbers numbers = numbers_of(work, request);
  const Operation* operation = nullptr;
  if (!request.operation.empty()) {
    TRY_ASSIGN(operation, operation_called(request.operation));
  }
  if (!request.flops.empty()) {
    TRY_ASSIGN(work.flops, value_of(request.flops, numbers, "--flops"));
    work.from = "--flops " + request.flops;
  } else if (operation) {
    TRY(count_operations(*operation, request, numbers, work));
  }
  return work;
}

}  // namespace frx::report
