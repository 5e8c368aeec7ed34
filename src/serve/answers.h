// What the endpoints share: an analysis with the options of a request, and its answer in the form that was asked for.
#pragma once

#include <string>
#include <string_view>

#include "analyse/answer.h"
#include "answer/answer.h"
#include "http/message.h"
#include "serve/api.h"
#include "serve/asked.h"

namespace frx::serve {

constexpr std::uint64_t largest_text = std::uint64_t{1} << 30;  // bytes of one file of code

// For one request: its GPU (gpu_model, else "environment": {"gpu_model"}), its scope, and its stop token.
Result<analyse::Options> options_of(const Asked& asked, const http::Request& request, const ApiOptions& api);

// A failure becomes a problem, whatever it is about.
template <typename Work>
http::Response answered(Work&& work) {
  Result<http::Response> response = work();
  return response ? std::move(*response) : http::problem(response.error());
}

// For one answer, with the analysts of all requests.
inline analyse::Context context_of(analyse::Options options, const ApiOptions& api) {
  std::shared_ptr<analyse::Analysts> analysts = api.analysts.of(options.knowledge);
  return {std::move(options), std::move(analysts)};
}

// What most endpoints do: `work` gets what was asked, and a context with the options of the request.
template <typename Work>
http::Response answered_in_context(http::Request& request, const ApiOptions& api, Work&& work) {
  return answered([&]() -> Result<http::Response> {
    TRY_ASSIGN(Asked asked, Asked::in(request));
    TRY_ASSIGN(analyse::Options options, options_of(asked, request, api));
    analyse::Context context = context_of(std::move(options), api);
    return work(asked, context);
  });
}

// The result alone, as its schema describes it.
http::Response result_of(const answer::Answer& answer);
// The result alone where JSON is asked for; else as rendered().
Result<http::Response> result_or_page(const answer::Answer& answer, const Asked& asked, const http::Request& request);
// What the command line prints: in the format of ?format=, else of Accept, else JSON.
Result<http::Response> rendered(const answer::Answer& answer, const Asked& asked, const http::Request& request);

}  // namespace frx::serve
