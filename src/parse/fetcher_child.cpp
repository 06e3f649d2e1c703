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
  WireWriter readiness;
  try {
    servers.emplace();
    readiness.text("");
  } catch (const Error& error) {
    readiness.text(error.what());
  }
  main_process.send(readiness.bytes());
  std::optional<WaitingChannel> parser;
  while (auto message = main_process.receive()) {
    if (!message->fds.empty()) {
      parser.emplace(std::move(message->fds[0]));
      continue;
    }
    WireReader in(message->bytes);
    const auto number = in.number<std::uint64_t>();
    const std::string build_id(in.text());
    const Fd found = in.ok() && servers ? servers->find(build_id) : Fd();
    const bool is_given = found && parser && hand_over(*parser, number, found.get());
    WireWriter out;
    out.put(static_cast<std::uint8_t>(is_given ? 1 : 0));
    main_process.send(out.bytes());
  }
  ::_exit(0);
}

}  // namespace profile
