// Matrix products and convolutions of a trace: their operations from the shapes of their inputs, and how fast they ran.
//
// The shapes of an operator (record_shapes=True) give its multiplications and additions; the kernels that it launched give the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/trace/attribution.h"
#include "knowledge/kernel_classes.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// The work of one call.
struct ProductWork {
  double flops = 0;     // a multiplication and an addition are two
  double elements = 0;  // of inputs and output, each once; the least that is moved
};

// What an operator says of its inputs, as the file has it.
struct ProductInputs {
  std::string_view name;      // "aten::addmm"
  std::string_view shapes;    // "[[64], [8, 128], [128, 64]]"
  std::string_view concrete;  // "["", "", "[1, 1]", ...]"; "" where it was not recorded
};

// Absent where the operator is no product that is known, or its inputs do not give its work.
std::optional<ProductWork> work_of_product(const ProductInputs& inputs);

// What the kernels of an operator compute with, as their names say.
enum class ProductUnit : std::uint8_t { unknown, tensor_cores, fp32_cores };

// Calls of one operator with inputs of the same shapes and types.
struct Product {
  std::string name, shapes, type;  // type: of its first tensor, "c10::BFloat16"
  std::uint64_t calls = 0;
  std::int64_t gpu_ns = 0;
  ProductWork of_call;
  std::uint64_t element_bytes = 0;  // 0: the type was not recorded
  ProductUnit unit = ProductUnit::unknown;
  double flops() const { return of_call.flops * static_cast<double>(calls); }
};

struct Products {
  std::vector<Product> products;         // by time; the first of them
  std::uint64_t different = 0;           // how many there are
  double flops = 0;                      // of all
  std::int64_t gpu_ns = 0;               // of those, of all kernels that they launched
  std::int64_t without_shapes_ns = 0;    // of products whose shapes were not recorded
  std::int64_t without_settings_ns = 0;  // of convolutions whose strides and the like were not recorded, and of shapes that do not fit
};

Products products_of(const model::Timeline& timeline, const Attribution& attribution, const knowledge::KernelClasses& classes,
                     std::int64_t rank);

}  // namespace frx::derive::trace
