// POST /export: a report of Nsight Compute as CSV or JSON, with nothing concluded.

#include "convert/convert.h"
#include "serve/answers.h"

namespace frx::serve {
namespace {

http::Response convert_report(http::Request& request, const ApiOptions&) {
  return answered([&]() -> Result<http::Response> {
    TRY_ASSIGN(Asked asked, Asked::in(request));
    TRY_ASSIGN(const std::string format, asked.option("format"));
    TRY_ASSIGN(const std::string kernel, asked.option("kernel"));
    if (!format.empty() && format != "csv" && format != "json") return fail(ErrorKind::usage, "expected csv or json").at("format");
    TRY_ASSIGN(std::vector<ingest::Source> files, asked.files("report.ncu-rep"));
    if (files.size() != 1) return fail(ErrorKind::usage, "expected one report, found {} files", files.size());
    static const Result<convert::Counters> counters = convert::Counters::load(knowledge::Library::builtin());
    if (!counters) return Failure{counters.error()};
    TRY_ASSIGN(const std::unique_ptr<ByteSource> report, files.front().bytes());
    http::Response response;
    response.content_type = format == "json" ? "application/json" : "text/csv; charset=utf-8";
    convert::Request wanted;
    wanted.format = format == "json" ? convert::Format::json : convert::Format::csv;
    wanted.kernel = kernel;
    wanted.source = files.front().name();
    TRY(convert::convert_ncu_report(*report, wanted, *counters, [&](std::string_view text) {
      response.body += text;
      return !request.stop.stop_requested();
    }));
    return response;
  });
}

}  // namespace

constinit const Endpoint export_endpoint = {
    .path = "/export",
    .summary = "Write an Nsight Compute report as CSV or JSON",
    .description = "The .ncu-rep as the body or in a form; ?format=csv (or json), ?kernel=TEXT.",
    .request = "",
    .response = "",
    .handler = convert_report,
};

}  // namespace frx::serve
