#include "derive/cuda/builtin_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace frx::derive::cuda {

std::optional<Op> triple_named(std::string_view name) {
  if (name == "threadIdx") return Op::thread_x;
  if (name == "blockIdx") return Op::block_x;
  if (name == "blockDim") return Op::block_dim_x;
  return name == "gridDim" ? std::optional(Op::grid_dim_x) : std::nullopt;
}

std::optional<Op> coordinate_named(std::string_view name) {
  if (!name.starts_with("hip") || name.size() < 6 || name[name.size() - 2] != '_') return std::nullopt;
  const int axis = name.back() - 'x';
  if (axis < 0 || axis > 2) return std::nullopt;
  const std::string_view triple = name.substr(3, name.size() - 5);
  const std::optional<Op> first = triple == "ThreadIdx"  ? Op::thread_x
                                  : triple == "BlockIdx" ? Op::block_x
                                  : triple == "BlockDim" ? Op::block_dim_x
                                  : triple == "GridDim"  ? std::optional(Op::grid_dim_x)
                                                         : std::nullopt;
  return first ? std::optional(static_cast<Op>(static_cast<int>(*first) + axis)) : std::nullopt;
}

namespace {

// In lower case, without underscores.
std::string letters_of(std::string_view name) {
  std::string letters = to_lower(name);
  std::erase(letters, '_');
  return letters;
}

}  // namespace

bool is_warp_size(std::string_view name) { return letters_of(name).ends_with("warpsize"); }

bool is_full_mask(std::string_view name) {
  const std::string letters = letters_of(name);
  return letters.ends_with("fullmask") || letters.ends_with("fullwarpmask") || letters.ends_with("finalmask");
}

bool is_of_mathematics(std::string_view function) {
  // clang-format off
  static constexpr std::array<std::string_view, 88> of_double = {
      "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "cospi", "cyl_bessel_i0",
      "cyl_bessel_i1", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "fdivide", "floor",
      "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb", "isfinite", "isinf", "isnan", "j0", "j1", "jn", "ldexp", "lgamma", "llrint",
      "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "modf", "nan", "nearbyint", "nextafter", "norm", "norm3d",
      "norm4d", "normcdf", "normcdfinv", "pow", "powi", "rcbrt", "remainder", "remquo", "rhypot", "rint", "rnorm", "rnorm3d", "rnorm4d",
      "round", "rsqrt", "scalbln", "scalbn", "signbit", "sin", "sincos", "sincospi", "sinh", "sinpi", "sqrt", "tan", "tanh", "tgamma", "trunc",
      "y0", "y1", "yn"};
  static constexpr std::array<std::string_view, 16> of_half = {"ceil", "cos",  "exp",   "exp10", "exp2", "floor", "log",  "log10",
                                                               "log2", "rcp",  "rint",  "rsqrt", "sin",  "sqrt",  "tanh", "trunc"};
  // clang-format on
  static_assert(std::ranges::is_sorted(of_double) && std::ranges::is_sorted(of_half));
  const auto is_double = [](std::string_view name) { return std::ranges::binary_search(of_double, name); };
  if (is_double(function) || (function.ends_with('f') && is_double(function.substr(0, function.size() - 1)))) return true;
  if (!function.starts_with('h')) return false;
  function.remove_prefix(function.starts_with("h2") ? 2 : 1);
  return std::ranges::binary_search(of_half, function);
}

}  // namespace frx::derive::cuda
