// Blocks of made-up programs: what a module of a network does in each step.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "layout/torch.h"

namespace frx::testing::layout {

struct Dice {
  std::mt19937_64 random;
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(random); }
  bool one_in(int n) { return whole(1, n) == 1; }
  template <typename T>
  T of(std::initializer_list<T> values) {
    return values.begin()[whole(0, static_cast<int>(values.size()) - 1)];
  }
};

// Runs in each step; returns what the loss is made of.
using Forward = std::function<std::optional<Tensor>(Torch&, int step)>;

struct BlockKind {
  std::string_view name;
  std::string_view class_name;  // "Attention": modules are called Attention_0, Attention_1
  int line = 0;                 // of its forward() in model.py
  Forward (*make)(Torch&, Dice&) = nullptr;
  std::string_view fault;  // the detector that it was written for; "": clean, or no fault though it looks like one
};

const std::vector<BlockKind>& clean_blocks();
const std::vector<BlockKind>& faulty_blocks();

}  // namespace frx::testing::layout
