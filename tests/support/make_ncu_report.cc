// make_ncu_report IN.yaml OUT.ncu-rep: support/ncu_report_from_yaml.h says what stands in IN.yaml.
#include <cstdio>

#include "base/files.h"
#include "support/ncu_report_from_yaml.h"

namespace {

frx::Result<> make(const std::string& from, const std::string& to) {
  TRY_ASSIGN(const std::string yaml, frx::read_file(from));
  TRY_ASSIGN(const std::string bytes, frx::testing::ncu_report_from_yaml(from, yaml));
  return frx::write_file(to, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: make_ncu_report IN.yaml OUT.ncu-rep\n"), 2;
  const frx::Result<> made = make(argv[1], argv[2]);
  if (!made) std::fprintf(stderr, "make_ncu_report: %s\n", frx::to_string(made.error()).c_str());
  return made ? 0 : frx::exit_code(made.error().kind);
}
