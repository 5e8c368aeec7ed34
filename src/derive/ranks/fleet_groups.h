// What groups of ranks are for, and which node or pair of nodes slow ones have in common.
#pragma once

#include <vector>

#include "derive/ranks/fleet.h"

namespace frx::derive::ranks {

// By the numbers of the ranks: all; neighbours (tensor parallel); at equal distances, as Megatron and its relatives number them: those with
// the longest transfers are data parallel, larger distances are of the pipeline, and smaller ones of something else (context, experts).
void tell_roles(const std::vector<FleetRank>& ranks, std::vector<FleetGroup>& groups);

// Of each role that occurs.
std::vector<FleetRoles> roles_of(const std::vector<FleetGroup>& groups);

// Slow groups that a node explains, all of whose other groups across nodes are slow, too; what no node explains, by the nodes it has.
std::vector<FleetLink> links_of(const std::vector<FleetRank>& ranks, const std::vector<FleetGroup>& groups);

}  // namespace frx::derive::ranks
