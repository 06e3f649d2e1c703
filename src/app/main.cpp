// The entry point of `profile`: selects the command, and turns errors into a message and an exit status.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "app/options.h"
#include "app/print.h"
#include "app/session.h"
#include "app/subcommands.h"
#include "support/error.h"
#include "support/signals.h"

namespace profile {
namespace {

// If a standard descriptor is closed, the next open() would reuse it, and our output would go into that file. /dev/null
// fills the gap; on stdout it is read-only, so that writing to it is an error, as it should be.
void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

// Runs a command that takes no samples. It has nothing to save, so SIGINT, SIGTERM and SIGHUP end it at once.
int without_run(const std::function<int()>& command) {
  const EndSignalsKill kill;
  return command();
}

// Where the options come from a file, how the program is called is no question.
bool has_config(std::span<const char* const> arguments) {
  return std::ranges::any_of(arguments, [](std::string_view argument) { return argument.starts_with("--config"); });
}

int run(std::span<const char* const> arguments) {
  const std::string_view command = arguments.empty() ? "" : arguments.front();
  for (const Subcommand* const one : subcommands()) {
    if (command != one->name) continue;
    const auto run_it = [&] { return one->run(arguments.subspan(1)); };
    return one->is_run ? run_it() : without_run(run_it);
  }
  const Options options = parse_options(arguments);
  const auto print = [](const std::function<void(std::ostream&)>& text) {
    return without_run([&] { return print_on_stdout(text); });
  };
  if (options.help) return print([&](std::ostream& out) { print_help(out, options.help_all); });
  if (options.version) return print([](std::ostream& out) { out << "profile " PROFILE_VERSION "\n"; });
  if (options.list_events) return print(print_events);
  if (options.list_languages) return print(print_languages);
  if (!options.completion.empty()) return print([&](std::ostream& out) { print_completion(out, options.completion); });
  return run_session(options, [&] { static_cast<void>(parse_options(arguments)); });
}

}  // namespace
}  // namespace profile

int main(int argc, char** argv) {
  using namespace profile;
  hold_end_signals();
  fill_standard_descriptors();
  settle_signals();
  const std::span<const char* const> arguments(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  try {
    return run(arguments);
  } catch (const Error& error) {
    if (error.exit_status() == Error::misused && !has_config(arguments)) print_usage_line(std::cerr);
    say(std::string("profile: ") + error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    say(std::string("profile: ") + error.what());
    return 1;
  }
}
