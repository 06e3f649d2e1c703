#include "parse/fetcher_child.h"

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "parse/channel.h"
#include "parse/debuginfod.h"
#include "parse/sandbox.h"
#include "parse/wire.h"
#include "support/error.h"

namespace profile {

void run_fetcher(Fd questions) {
  keep_capabilities({});
  const WaitingChannel main_process(std::move(questions));
  std::optional<Debuginfod> servers;
  std::string why_not;
  try {
    servers.emplace();
  } catch (const Error& error) {
    why_not = error.what();
  }
  main_process.send(message_of(why_not));
  std::optional<WaitingChannel> parser;
  while (auto message = main_process.receive()) {
    if (!message->fds.empty()) {
      parser.emplace(std::move(message->fds[0]));
      continue;
    }
    WireReader in(message->bytes);
    const auto number = in.get<std::uint64_t>();
    const std::string build_id(in.text());
    const Fd found = in.ok() && servers ? servers->find(build_id) : Fd();
    const bool is_given = found && parser && hand_over(*parser, number, found.get());
    main_process.send(message_of(is_given));
  }
  ::_exit(0);
}

}  // namespace profile
