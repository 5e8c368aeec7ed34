#include "derive/tune/cholesky.h"

#include <cmath>
#include <utility>

namespace frx::derive::tune {

std::optional<Cholesky> Cholesky::of(std::vector<double> matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
      if (i != j) {
        matrix[i * n + j] = sum / matrix[j * n + j];
      } else if (sum > 0 && std::isfinite(sum)) {
        matrix[i * n + i] = std::sqrt(sum);
      } else {
        return std::nullopt;
      }
    }
  }
  return Cholesky(std::move(matrix), n);
}

std::vector<double> Cholesky::forward(std::span<const double> b) const {
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower_[i * n_ + k] * x[k];
    x[i] /= lower_[i * n_ + i];
  }
  return x;
}

std::vector<double> Cholesky::solve(std::span<const double> b) const {
  std::vector<double> x = forward(b);
  for (std::size_t i = n_; i-- > 0;) {
    for (std::size_t k = i + 1; k < n_; ++k) x[i] -= lower_[k * n_ + i] * x[k];
    x[i] /= lower_[i * n_ + i];
  }
  return x;
}

double Cholesky::log_determinant() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) sum += std::log(lower_[i * n_ + i]);
  return 2 * sum;
}

}  // namespace frx::derive::tune
