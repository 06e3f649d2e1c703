#include "parse/fetcher_child.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "children/channel.h"
#include "children/kinds.h"
#include "children/wire.h"
#include "parse/debuginfod.h"
#include "parse/opener_calls.h"
#include "support/error.h"
#include "support/signals.h"

namespace profile {

bool is_build_id(std::string_view text) {
  constexpr std::size_t fewest_digits = 4;
  constexpr std::size_t most_digits = 128;
  return text.size() >= fewest_digits && text.size() <= most_digits && text.size() % 2 == 0 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void run_fetcher(ChildEnds ends) {
  const WaitingChannel main_process(std::move(ends));
  ::signal(SIGTERM, Debuginfod::give_up);
  const ChangedSignalMask heard(SIG_UNBLOCK, end_signals());
  std::optional<Debuginfod> servers;
  std::string why_not;
  try {
    const std::string cache = Debuginfod::make_cache();
    confine(ChildKind::fetcher);
    check_is_not_root("--debuginfod");
    servers.emplace(cache);
  } catch (const Error& error) {
    why_not = error.what();
  }
  main_process.send(message_of(why_not));
  std::array<std::optional<WaitingChannel>, most_parsers> parsers;
  while (auto message = main_process.receive()) {
    WireReader in(message->bytes);
    const auto way = in.get<WayNumber>();
    if (way % way_count >= parsers.size()) continue;
    auto& parser = parsers[way % way_count];
    if (!message->fds.empty()) {
      parser.emplace(std::move(message->fds[0]));
      continue;
    }
    const auto number = in.get<FileNumber>();
    const auto owner = in.get<std::uint64_t>();
    const std::string build_id(in.text());
    const Fd found = in.is_whole() && servers && is_build_id(build_id) ? servers->find(build_id, owner) : Fd();
    const bool is_given = found && parser && hand_over(*parser, value_of(number), found.get());
    const bool is_asked = !is_given && servers;
    const std::int32_t no_answer = is_asked ? servers->no_answer() : 0;
    main_process.send(message_of(number, is_given, is_asked && servers->has_given_up(), no_answer));
  }
  ::_exit(0);
}

}  // namespace profile
