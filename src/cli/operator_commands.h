// What the commands of frx operators share: files that they write, and the answer that they print.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "analyse/operators.h"
#include "answer/json_object.h"
#include "cli/analysis.h"
#include "cli/io.h"
#include "report/operators/operator_manifest.h"

namespace frx::cli {

// A JSON file whose members put(out) writes, as it is made; it appears whole.
Result<> write_json_file(const std::string& path, const std::function<void(answer::JsonObject& out)>& put);

// Counters may be null.
Result<> write_operator_profile(const std::string& path, const report::OperatorManifest& manifest,
                                const analyse::OperatorCounters* counters);

// What makes a recording a manifest.
struct ManifestRequest {
  std::string report, nsys = "nsys";                 // .nsys-rep or its export
  std::string output;                                // manifest.json
  std::string capture_facts, correlation, inductor;  // NAME.capture.json, NAME.corr.json, the folder of generated code; "": none
  std::string model_name, compile_mode;              // "": as the capture says
};

// Reads the recording, attributes its kernels and writes the manifest. The report about it names the file.
Result<report::OperatorReport> make_manifest(const ManifestRequest& request, Session& session);

Result<int> print_operators(report::OperatorReport report, const std::string& format, Io& io, std::uint64_t rows = 20);

// Says on standard error what is run, and runs it with capture::run_tool.
Result<> run_shown(std::string_view what, const std::vector<std::string>& argv, Io& io,
                   const std::vector<std::pair<std::string, std::string>>& environment = {});

}  // namespace frx::cli
