// A growing array of numbers for columns of many millions of rows.
//
// As std::vector, but growing asks the system to move pages instead of copying them where it can: at no time does the
// memory hold the old and the new array, and unused capacity costs none. Where memory is short it lies in a file (base/spill.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/memory_budget.h"

namespace frx {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  Column() = default;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() { MemoryBudget::freed(data_, capacity_ * sizeof(T)); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }

  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  void append(std::span<const T> values) {
    if (values.empty()) return;
    std::memcpy(extend(values.size()), values.data(), values.size_bytes());
  }
  // Adds capacity for `count` more; returns where they are to be written.
  T* extend(std::size_t count) {
    if (capacity_ - size_ < count) grow(size_ + count);
    size_ += count;
    return data_ + size_ - count;
  }

 private:
  void grow(std::size_t least) {
    const std::size_t wanted = std::max({least, capacity_ + capacity_ / 2, std::size_t{64}});
    if (wanted > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(MemoryBudget::resized(data_, capacity_ * sizeof(T), wanted * sizeof(T)));
    capacity_ = wanted;
  }
  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace frx
