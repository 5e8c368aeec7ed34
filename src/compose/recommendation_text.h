// A recommendation as people read it: the card of the reports, and the phrases other texts share.
#pragma once

#include <string>

#include "compose/parts.h"
#include "report/report.h"

namespace frx::compose {

// "10 to 30 %", "up to 12 %", "" when neither the card nor the file says.
std::string speedup_text(const advise::Recommendation& recommendation);

// One line for a shell that measures again what the card is judged by, "" when it names no counter.
std::string validation_command(const advise::Recommendation& recommendation);

// "<--" falls, "-->" rises, "   " stays.
std::string_view arrow(std::string_view direction);

// "DRAM throughput %: was 82.0 %; falls as ... (target: 60.0 %)".
std::string step_text(const advise::ValidationStep& step);

// "17 us or less", "40 % or more", "62 % to 82 %".
std::string predicted_text(const advise::Prediction& prediction, const advise::Bound& bound);

// "Kernel duration of a launch: 118.4 us now, then 98.3 us or less"; "" where nothing is predicted.
std::string forecast_text(const advise::Forecast& forecast);

struct CardOptions {
  std::size_t max_actions = 100;
  bool brief = false;        // the reason in a sentence, without estimate, risks and notes
  bool names_kernel = true;  // false when there is only one
  bool ncu_runs = true;      // on this GPU
};

// The best of them, at most `most`; `none` where there are none.
void add_recommendations(Document& page, const advise::Advice& advice, std::size_t most, std::string_view none, CardOptions options);

}  // namespace frx::compose
