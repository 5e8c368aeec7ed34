// The factor of a small symmetric matrix, and what it solves.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace frx::derive::tune {

class Cholesky {
 public:
  // `matrix`: n rows of n; only its lower half is read. nullopt: it is not positive definite. O(n^3).
  static std::optional<Cholesky> of(std::vector<double> matrix, std::size_t n);

  // L^-1 b, and from that (L L^T)^-1 b. O(n^2).
  std::vector<double> forward(std::span<const double> b) const;
  std::vector<double> solve(std::span<const double> b) const;
  double log_determinant() const;  // of L L^T

 private:
  Cholesky(std::vector<double> lower, std::size_t n) : lower_(std::move(lower)), n_(n) {}
  std::vector<double> lower_;
  std::size_t n_;
};

}  // namespace frx::derive::tune
