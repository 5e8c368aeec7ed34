#include "derive/compare/kernel_pairs.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace frx::derive::compare {

std::vector<KernelPair> pair_up(std::span<const std::string> first, std::span<const std::string> second) {
  std::map<std::string_view, KernelPair> by_name;  // in the order of names, which does not depend on the side
  for (std::size_t i = 0; i < first.size(); ++i) by_name[first[i]].first.push_back(i);
  for (std::size_t i = 0; i < second.size(); ++i) by_name[second[i]].second.push_back(i);
  std::vector<KernelPair> pairs;
  KernelPair left_over;
  for (const auto& [name, same] : by_name) {
    for (std::size_t i = 0; i < std::max(same.first.size(), same.second.size()); ++i) {
      if (i < same.first.size() && i < same.second.size()) {
        pairs.push_back({{same.first[i]}, {same.second[i]}});
      } else if (i < same.first.size()) {
        left_over.first.push_back(same.first[i]);
      } else {
        left_over.second.push_back(same.second[i]);
      }
    }
  }
  if (!left_over.first.empty() || !left_over.second.empty()) pairs.push_back(std::move(left_over));
  return pairs;
}

}  // namespace frx::derive::compare
