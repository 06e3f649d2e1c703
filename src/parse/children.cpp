#include "parse/children.h"

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "parse/channel.h"
#include "parse/keeper.h"
#include "parse/opener.h"
#include "parse/parser.h"
#include "parse/probes.h"
#include "parse/wire.h"
#include "support/error.h"
#include "support/fd.h"
#include "support/plural.h"

namespace profile {
namespace {

// The fetcher must load its library, and that library loads others.
constexpr std::chrono::seconds most_starting{10};

// Starts a child and returns our end of the channel to it. Throws Error when it cannot be started.
Fd start_child(Keeper& keeper, ChildKind kind, std::uint32_t& tgid) {
  auto child = keeper.start(kind);
  if (!child) throw Error("cannot start a process of its own");
  tgid = static_cast<std::uint32_t>(child->pid);
  return std::move(child->channel);
}

// Waits until the fetcher says that it can work. Throws Error, with the fetcher's words, when it cannot.
Channel started_fetcher(Keeper& keeper, std::uint32_t& tgid) {
  Channel channel(start_child(keeper, ChildKind::fetcher, tgid));
  channel.allow({.messages = 1, .bytes = WireReader::most_text_bytes});
  const auto message = channel.receive(most_starting);
  if (!message) throw Error("--debuginfod: the process for it does not start");
  const std::string why(WireReader(message->bytes).text());
  if (!why.empty()) throw Error(why);
  return channel;
}

}  // namespace

struct Children::State {
  State(const std::vector<std::string>& debug_directories, bool debuginfod)
      : keeper(debug_directories),
        opener(start_child(keeper, ChildKind::opener, opener_tgid)),
        fetcher(debuginfod ? std::optional(started_fetcher(keeper, fetcher_tgid)) : std::nullopt),
        parser(keeper, opener, fetcher ? &*fetcher : nullptr),
        probes(keeper, opener, parser) {
    opener.set_process(static_cast<pid_t>(opener_tgid));
    parser.start();
  }

  Keeper keeper;
  std::uint32_t opener_tgid = 0;
  std::uint32_t fetcher_tgid = 0;
  Opener opener;
  std::optional<Channel> fetcher;
  Parser parser;
  Probes probes;
};

Children::Children(const std::vector<std::string>& debug_directories, bool debuginfod)
    : state_(std::make_unique<State>(debug_directories, debuginfod)) {}

Children::~Children() = default;

FileKeeper& Children::files() { return state_->opener; }
FileReader& Children::reader() { return state_->parser; }
FileProbes& Children::probes() { return state_->probes; }
StackReader& Children::stacks() { return state_->opener; }
Children::Seen Children::look(const std::string& what, const std::string& path, bool to_write) {
  const auto seen = state_->opener.look(path, to_write);
  if (!seen) throw Error(what + ": " + state_->opener.why_no_answer());
  return *seen;
}

int Children::poll_fd() const { return state_->opener.fd(); }

bool Children::has_lost_opener() const { return state_->opener.is_gone(); }

std::vector<std::uint32_t> Children::tgids() const {
  std::vector<std::uint32_t> tgids{static_cast<std::uint32_t>(state_->keeper.pid()), state_->opener_tgid};
  if (state_->fetcher_tgid != 0) tgids.push_back(state_->fetcher_tgid);
  for (const pid_t parser : state_->parser.pids()) tgids.push_back(static_cast<std::uint32_t>(parser));
  if (const auto prober = state_->probes.pid()) tgids.push_back(static_cast<std::uint32_t>(*prober));
  return tgids;
}

std::vector<std::string> Children::notes() const {
  std::vector<std::string> lines;
  const Opener& opener = state_->opener;
  if (opener.is_gone()) {
    lines.emplace_back("the process that opens files was ended; what it had not opened has no names");
  } else if (opener.is_silent()) {
    lines.emplace_back("the process that opens files does not answer; what it had not opened has no names");
  } else if (opener.is_exhausted()) {
    lines.emplace_back("too many file systems do not answer; what was not open by then has no names");
  } else if (opener.unanswered() != 0) {
    lines.push_back(number_of(opener.unanswered(), "file") + " could not be opened: their file systems do not answer");
  }
  if (state_->parser.is_missing()) {
    lines.emplace_back("the process that reads files was ended, and no other could be started; the rest has no names");
  } else if (state_->parser.given_up() != 0) {
    std::string line =
        "reading " + number_of(state_->parser.given_up(), "file") + " was given up: it did not come to an end";
    std::string_view between = " (";
    for (const std::string& path : state_->parser.given_up_paths()) {
      line += std::exchange(between, ", ");
      line += path;
    }
    lines.push_back(between == ", " ? line + ")" : line);
  }
  if (const std::size_t plain = state_->parser.left_plain(); plain != 0) {
    lines.push_back("the names of " + number_of(plain, "file") +
                    " are as the file spells them: to demangle them did not come to an end");
  }
  return lines;
}

}  // namespace profile
