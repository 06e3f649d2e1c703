// `profile`: the command line in, an exit status out. All errors end here.
#include <cstdio>
#include <exception>
#include <iostream>

#include "app/event_list.h"
#include "app/options.h"
#include "app/session.h"
#include "support/bpf.h"
#include "support/error.h"

int main(int argc, char** argv) {
  using namespace profile;
  try {
    const Options options = parse_options({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
    if (options.help) {
      print_help(std::cout);
      return std::cout.flush() ? 0 : 1;
    }
    if (options.version) {
      std::cout << "profile " PROFILE_VERSION "\n";
      return std::cout.flush() ? 0 : 1;
    }
    if (options.list_events) {
      print_events(std::cout);
      return std::cout.flush() ? 0 : 1;
    }
    set_bpf_log(options.verbose);
    return run_session(options);
  } catch (const Error& error) {
    if (error.exit_status() == Error::misused) print_usage_line(std::cerr);
    std::fprintf(stderr, "profile: %s\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "profile: %s\n", error.what());
    return 1;
  }
}
