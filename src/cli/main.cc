// frx, also called fournex.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "base/leftovers.h"
#include "cli/run.h"
#include "cli/terminate.h"

namespace {

// A program started with closed standard streams would otherwise write its report into the first
// file it opens.
void open_standard_streams() {
  for (int descriptor = ::open("/dev/null", O_RDWR); descriptor >= 0; descriptor = ::open("/dev/null", O_RDWR)) {
    if (descriptor > 2) {
      ::close(descriptor);
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  std::set_terminate(frx::cli::terminate);
  std::signal(SIGBUS, frx::cli::end_of_a_failed_disk);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error of the write, as a full disk is
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves (frx ... | head) ends the output, not the work
  frx::Leftover::remove_on_signals();
  // Never destroyed, nor what it keeps: the process ends anyway.
  static frx::cli::ProcessIo& process = *new frx::cli::ProcessIo(argc > 0 ? argv[0] : "frx");
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return frx::cli::run(args, process.io());
}
