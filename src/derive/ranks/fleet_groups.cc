#include "derive/ranks/fleet_groups.h"

#include <algorithm>
#include <map>
#include <set>

namespace frx::derive::ranks {
namespace {

// The distance of the ranks, where it is the same between all that follow each other; 0 elsewhere.
std::int64_t stride_of(const std::vector<FleetRank>& ranks, const FleetGroup& group) {
  const auto number = [&](std::size_t i) { return ranks[group.ranks[i]].rank; };
  const std::int64_t stride = number(1) - number(0);
  for (std::size_t i = 2; i < group.ranks.size(); ++i) {
    if (number(i) - number(i - 1) != stride) return 0;
  }
  return stride;
}

// The nodes of each group, as numbers.
class Nodes {
 public:
  Nodes(const std::vector<FleetRank>& ranks, const std::vector<FleetGroup>& groups) {
    std::map<std::string, std::uint32_t> numbers;
    for (const FleetRank& rank : ranks) numbers.try_emplace(rank.node);
    for (auto& [name, number] : numbers) {
      number = static_cast<std::uint32_t>(names.size());
      names.push_back(name);
    }
    for (const FleetGroup& group : groups) {
      std::set<std::uint32_t> own;
      for (const std::uint32_t rank : group.ranks) own.insert(numbers.at(ranks[rank].node));
      of_group.emplace_back(own.begin(), own.end());
    }
  }

  std::vector<std::string> names;
  std::vector<std::vector<std::uint32_t>> of_group;
};

// Takes node after node, the one that explains most first.
class Explanation {
 public:
  Explanation(const Nodes& nodes, const std::vector<FleetGroup>& groups) : nodes_(nodes), groups_(groups), tested_(nodes.names.size()) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!groups[i].has_peers || nodes.of_group[i].size() < 2) continue;
      for (const std::uint32_t node : nodes.of_group[i]) tested_[node].push_back(i);
      if (groups[i].slow.habit != Habit::none) left_.insert(i);
    }
  }

  void explain(std::vector<FleetLink>& links) {
    while (true) {
      std::size_t best = 0;
      std::vector<std::size_t> explained;
      for (std::size_t node = 0; node < tested_.size(); ++node) {
        std::vector<std::size_t> by_node = explained_by(node);
        if (by_node.size() <= explained.size()) continue;
        best = node;
        explained = std::move(by_node);
      }
      if (explained.empty()) return;
      for (const std::size_t one : explained) left_.erase(one);
      links.push_back({std::move(explained), {nodes_.names[best]}, false});
    }
  }

 private:
  // Slow groups of a node that are not yet explained, where the node has no group that is not slow, and no other node has the same groups.
  std::vector<std::size_t> explained_by(std::size_t node) const {
    std::vector<std::size_t> slow;
    std::set<std::vector<std::uint32_t>> different;
    for (const std::size_t i : tested_[node]) {
      if (groups_[i].slow.habit == Habit::none) return {};
      if (!left_.contains(i)) continue;
      slow.push_back(i);
      different.insert(nodes_.of_group[i]);
    }
    return different.size() >= 2 ? slow : std::vector<std::size_t>();
  }

  const Nodes& nodes_;
  const std::vector<FleetGroup>& groups_;
  std::vector<std::vector<std::size_t>> tested_;  // by node: its groups across nodes that have peers
  std::set<std::size_t> left_;                    // slow ones
};

}  // namespace

std::string_view name_of(GroupRole role) {
  switch (role) {
    case GroupRole::everyone: return "all ranks";
    case GroupRole::tensor: return "tensor parallel";
    case GroupRole::data: return "data parallel";
    case GroupRole::pipeline: return "pipeline";
    case GroupRole::other: return "other";
  }
  return "";
}

void tell_roles(const std::vector<FleetRank>& ranks, std::vector<FleetGroup>& groups) {
  std::map<std::int64_t, std::pair<double, double>> families;  // by distance: time of their transfers, collectives
  for (FleetGroup& group : groups) {
    const std::int64_t stride = stride_of(ranks, group);
    if (group.ranks.size() == ranks.size()) {
      group.role = GroupRole::everyone;
    } else if (stride == 1) {
      group.role = GroupRole::tensor;
    } else if (stride > 1) {
      families[stride].first += group.transfer_ns * static_cast<double>(group.steps);
      families[stride].second += static_cast<double>(group.collectives);
    }
  }
  const auto mean = [](const auto& family) { return family.second.first / std::max(family.second.second, 1.0); };
  const auto data = std::ranges::max_element(families, {}, mean);
  for (FleetGroup& group : groups) {
    if (group.role != GroupRole::other || data == families.end()) continue;
    const std::int64_t stride = stride_of(ranks, group);
    if (stride >= data->first) group.role = stride == data->first ? GroupRole::data : GroupRole::pipeline;
  }
}

std::vector<FleetRoles> roles_of(const std::vector<FleetGroup>& groups) {
  std::map<GroupRole, FleetRoles> roles;
  for (const FleetGroup& group : groups) {
    FleetRoles& role = roles.try_emplace(group.role, FleetRoles{group.role, 0, group.ranks.size(), 0, 0}).first->second;
    ++role.groups;
    role.least = std::min(role.least, group.ranks.size());
    role.most = std::max(role.most, group.ranks.size());
    role.transfer_ns += group.transfer_ns;
  }
  std::vector<FleetRoles> list;
  for (auto& [kind, role] : roles) {
    role.transfer_ns /= static_cast<double>(role.groups);
    list.push_back(role);
  }
  return list;
}

std::vector<FleetLink> links_of(const std::vector<FleetRank>& ranks, const std::vector<FleetGroup>& groups) {
  std::vector<FleetLink> links;
  const Nodes nodes(ranks, groups);
  const bool known = std::ranges::find(nodes.names, "") == nodes.names.end();
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].slow.habit != Habit::none) left.insert(i);
  }
  if (known) {
    Explanation explanation(nodes, groups);
    explanation.explain(links);
    for (const FleetLink& link : links) {
      for (const std::size_t one : link.groups) left.erase(one);
    }
  }
  std::map<std::vector<std::uint32_t>, std::size_t> by_nodes;
  for (const std::size_t i : left) {
    const auto [at, is_new] = by_nodes.try_emplace(nodes.of_group[i], links.size());
    if (is_new || !known) {
      links.push_back({{}, {}, nodes.of_group[i].size() == 1 && known});
      for (const std::uint32_t node : nodes.of_group[i]) {
        if (known) links.back().nodes.push_back(nodes.names[node]);
      }
      at->second = links.size() - 1;
    }
    links[at->second].groups.push_back(i);
  }
  const auto cost = [&](const FleetLink& link) {
    double sum = 0;
    for (const std::size_t i : link.groups) sum += groups[i].slow.cost_ns();
    return sum;
  };
  std::ranges::stable_sort(links, std::ranges::greater{}, cost);
  return links;
}

}  // namespace frx::derive::ranks
