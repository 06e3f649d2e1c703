// The fetcher: a child that asks debuginfod servers for debug files, over the network, without any privilege.
#pragma once

#include <chrono>
#include <string_view>

#include "children/channel.h"

namespace profile {

// The main process's patience with one question; the fetcher's own is less.
inline constexpr std::chrono::seconds most_fetching{25};
// The same of all questions of a run together: the limit of Debuginfod, and something for each time that it is late.
inline constexpr std::chrono::seconds most_fetching_of_all{90};

// Whether it may be asked for: the servers' paths and the cache's are made of it.
[[nodiscard]] bool is_build_id(std::string_view text);

// Never returns. `main_process`: the channel to it. First it sends an empty text when it can work, or the
// reason why it cannot. Then each question is the way to a parser, a number, the owner of the file that needs it and a
// build-id; it answers with the number and whether there is a file, and sends the file with its number to that parser.
// A way with a descriptor leads to a new parser.
[[noreturn]] void run_fetcher(ChildEnds main_process);

}  // namespace profile
