#include "report/kernels/kernel_launches.h"

#include <regex.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/text.h"
#include "derive/compare/two_samples.h"
#include "frx_generated/metric_ids.h"
#include "report/report.h"

namespace frx::report {
namespace {

constexpr std::string_view expression_prefix = "regex:";
constexpr std::size_t longest_expression = 1000;
constexpr std::size_t names_shown = 5, longest_name_shown = 60;

struct FreeExpression {
  void operator()(regex_t* expression) const {
    ::regfree(expression);
    delete expression;
  }
};
using Expression = std::unique_ptr<regex_t, FreeExpression>;

Result<Expression> expression_of(std::string_view text) {
  auto expression = std::make_unique<regex_t>();
  if (text.size() > longest_expression || ::regcomp(expression.get(), std::string(text).c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return fail(ErrorKind::usage, "--name: expected a regular expression (POSIX extended) of at most {} characters, found '{}'",
                longest_expression, shorten(printable(text), longest_name_shown));
  return Expression(expression.release());
}

template <typename Fits>
std::vector<std::size_t> kernels_that(const model::Session& session, Fits&& fits) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < session.kernels.size(); ++i) {
    if (fits(session.kernels[i].name)) found.push_back(i);
  }
  return found;
}

Result<std::vector<std::size_t>> kernels_called(const model::Session& session, std::string_view name) {
  if (name.starts_with(expression_prefix)) {
    TRY_ASSIGN(const Expression expression, expression_of(name.substr(expression_prefix.size())));
    return kernels_that(session, [&](const std::string& one) { return ::regexec(expression.get(), one.c_str(), 0, nullptr, 0) == 0; });
  }
  auto found = kernels_that(session, [&](const std::string& one) { return one == name; });
  if (found.empty()) found = kernels_that(session, [&](const std::string& one) { return short_kernel_name(one) == name; });
  if (found.empty()) found = kernels_that(session, [&](const std::string& one) { return one.find(name) != one.npos; });
  return found;
}

Failure no_kernel(const model::Session& session, std::string_view name) {
  std::vector<std::string> names;
  for (const model::Kernel& kernel : session.kernels) {
    if (names.size() == names_shown) break;
    names.push_back(shorten(printable(short_kernel_name(kernel.name)), longest_name_shown));
  }
  return fail(ErrorKind::not_enough, "no kernel is called '{}'", shorten(printable(name), longest_name_shown))
      .at(session.source)
      .hint(fmt::format("there {} {}{}", session.kernels.size() == 1 ? "is" : "are", join(names, ", "),
                        session.kernels.size() > names.size() ? ", ..." : ""));
}

std::vector<double> samples_of(const model::Session& session, const std::string& kernel, const model::LaunchGroup& group) {
  std::vector<double> samples;
  if (!session.each || group.mixed) return samples;
  for (const model::MeasuredLaunch& launch : session.each->launches) {
    if (session.each->names[launch.kernel] != kernel || launch.grid != group.grid || launch.block != group.block ||
        launch.device != group.device)
      continue;
    if (const auto duration = session.each->value_of(launch, metrics::kernel_duration)) samples.push_back(*duration / 1e3);
  }
  return samples;
}

// A group of the session, with its times.
struct LaunchCandidate {
  std::size_t kernel = 0, group = 0;
  MatchedLaunches launches;
  std::vector<double> samples_us;
};

LaunchCandidate candidate_of(const model::Session& session, std::size_t kernel_at, std::size_t group_at) {
  const model::Kernel& kernel = session.kernels[kernel_at];
  const model::LaunchGroup& group = kernel.groups[group_at];
  LaunchCandidate one{
      kernel_at,
      group_at,
      {kernel.name, shape_text(group.grid), shape_text(group.block), group.device, group.launches, group.timed_launches, {}, {}, {}, {}},
      samples_of(session, kernel.name, group)};
  const auto column = session.column_of(metrics::kernel_duration);
  if (column && *column < group.spreads.size() && group.spreads[*column].count > 0) {
    const model::Spread& spread = group.spreads[*column];
    one.launches.total_us = spread.sum / 1e3;
    one.launches.min_us = spread.min / 1e3;
    one.launches.max_us = spread.max / 1e3;
  }
  if (!one.samples_us.empty()) one.launches.median_us = derive::compare::median_of(one.samples_us);
  return one;
}

// Everything else is left out: labels and readings are then of these launches alone.
void keep_only(model::Session& session, const LaunchCandidate& chosen) {
  model::Kernel kernel = std::move(session.kernels[chosen.kernel]);
  kernel.groups = {model::LaunchGroup(kernel.groups[chosen.group])};
  std::erase_if(session.rules, [&](const model::ProfilerRule& rule) { return rule.kernel != kernel.name; });
  session.launches = kernel.groups[0].launches;
  session.timed_launches = kernel.groups[0].timed_launches;
  if (const auto device = kernel.groups[0].device) std::erase_if(session.devices, [&](const auto& one) { return one.first != *device; });
  session.kernels.clear();
  session.kernels.push_back(std::move(kernel));
  session.each.reset();
}

}  // namespace

Result<ChosenLaunches> choose_launches(model::Session session, std::string_view name) {
  TRY_ASSIGN(const std::vector<std::size_t> kernels, kernels_called(session, name));
  std::vector<LaunchCandidate> candidates;
  for (const std::size_t kernel : kernels) {
    for (std::size_t group = 0; group < session.kernels[kernel].groups.size(); ++group) {
      if (session.kernels[kernel].groups[group].launches > 0) candidates.push_back(candidate_of(session, kernel, group));
    }
  }
  if (candidates.empty()) return no_kernel(session, name);
  std::ranges::stable_sort(candidates, std::ranges::greater{},
                           [](const LaunchCandidate& one) { return one.launches.total_us.value_or(-1); });
  ChosenLaunches chosen;
  chosen.samples_us = candidates.front().samples_us;
  for (const LaunchCandidate& one : candidates) chosen.matches.push_back(one.launches);
  keep_only(session, candidates.front());
  chosen.session = std::move(session);
  return chosen;
}

}  // namespace frx::report
