// What the work of a steady step moves and how long it takes, and how much of that is of layout.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "derive/layout/copies.h"
#include "derive/layout/traffic.h"
#include "report/layout/layout_report.h"

namespace frx::report {

// Of all work. `measured_bytes`: as in LayoutRequest; they replace modelled ones, also those of the copies.
derive::layout::WorkTraffic layout_traffic(const derive::layout::LayoutTrace& trace, std::span<const double> measured_bytes,
                                           std::vector<derive::layout::Copy>& copies);

// `least_coverage_pct`: of the GPU time, whose bytes must be known for a share of traffic to be told.
LayoutTotals layout_totals(const derive::layout::LayoutTrace& trace, std::span<const derive::layout::Copy> copies,
                           const derive::layout::WorkTraffic& traffic, double least_coverage_pct);

// In percent; nothing where either is not known, or the whole is 0.
std::optional<double> percent_of(std::optional<double> part, std::optional<double> whole);

}  // namespace frx::report
