#include "parse/children.h"

#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "children/channel.h"
#include "children/keeper.h"
#include "children/wire.h"
#include "parse/disassembler.h"
#include "parse/fetcher_child.h"
#include "parse/listings.h"
#include "parse/opener.h"
#include "parse/opener_child.h"
#include "parse/parser.h"
#include "parse/parser_child.h"
#include "parse/prober_child.h"
#include "parse/probes.h"
#include "support/error.h"
#include "support/fd.h"
#include "support/plural.h"

namespace profile {
namespace {

// The fetcher must load its library, and that library loads others.
constexpr std::chrono::seconds most_starting{10};

int run_child(ChildKind kind, std::vector<Fd> channels, const std::vector<std::string>& debug_directories) {
  switch (kind) {
    case ChildKind::opener:
      run_opener(std::move(channels[0]), debug_directories);
    case ChildKind::parser:
      run_parser(std::move(channels[0]), std::move(channels[1]), channels.size() > 2 ? std::move(channels[2]) : Fd());
    case ChildKind::fetcher:
      run_fetcher({.socket = std::move(channels[0]), .answers = std::move(channels[1])});
    case ChildKind::prober:
      run_prober(std::move(channels[0]), std::move(channels[1]));
    default:
      return 1;  // it parses nothing
  }
}

Keeper::Child started_child(Keeper& keeper, ChildKind kind) {
  auto child = keeper.start(kind);
  if (!child) throw Error("cannot start a process of its own");
  return std::move(*child);
}

// Waits until the fetcher says that it can work. Throws Error, with the fetcher's words, when it cannot.
Fetcher started_fetcher(Keeper& keeper) {
  Keeper::Child child = started_child(keeper, ChildKind::fetcher);
  Fetcher fetcher(std::move(child.process), std::move(child.channel));
  Channel& channel = fetcher.channel;
  channel.allow({.messages = 1, .bytes = WireReader::most_text_bytes});
  const auto message = channel.receive(most_starting);
  if (!message) throw Error("--debuginfod: the process for it does not start");
  const std::string why(WireReader(message->bytes).text());
  if (!why.empty()) throw Error(why);
  return fetcher;
}

}  // namespace

struct Children::State {
  State(const std::vector<std::string>& debug_directories, bool debuginfod, bool shows_code)
      : can_show_code(shows_code && Disassembler::load()),
        keeper([&](ChildKind kind, auto channels) { return run_child(kind, std::move(channels), debug_directories); }),
        opener_child(started_child(keeper, ChildKind::opener)),
        opener(std::move(opener_child.channel), opener_child.times.child()),
        fetcher(debuginfod ? std::optional(started_fetcher(keeper)) : std::nullopt),
        parser(keeper, opener, fetcher ? &*fetcher : nullptr),
        probes(keeper, opener, parser),
        listings(opener, parser, debug_directories) {
    parser.start();
  }

  bool can_show_code;  // before the keeper, so that the parsers have the library
  Keeper keeper;
  Keeper::Child opener_child;
  Opener opener;
  std::optional<Fetcher> fetcher;
  Parser parser;
  Probes probes;
  Listings listings;
};

Children::Children(const std::vector<std::string>& debug_directories, bool debuginfod, bool shows_code)
    : state_(std::make_unique<State>(debug_directories, debuginfod, shows_code)) {}

Children::~Children() = default;

FileKeeper& Children::files() { return state_->opener; }
FileReader& Children::reader() { return state_->parser; }
FileProbes& Children::probes() { return state_->probes; }
StackReader& Children::stacks() { return state_->opener; }
ListingReader& Children::listings() { return state_->listings; }
Children::Seen Children::look(const std::string& what, const std::string& path, bool to_write) {
  const auto seen = state_->opener.look(path, to_write);
  if (!seen) throw Error(what + ": " + state_->opener.why_no_answer());
  return *seen;
}

int Children::poll_fd() const { return state_->opener.fd(); }

bool Children::has_lost_opener() const { return state_->opener.is_gone(); }

std::vector<std::string> Children::notes() const {
  std::vector<std::string> lines;
  const Opener& opener = state_->opener;
  if (opener.is_gone()) {
    lines.push_back(in_words(ChildKind::opener) + " was ended; what it had not opened has no names");
  } else if (opener.is_silent()) {
    lines.push_back(in_words(ChildKind::opener) + " does not answer; what it had not opened has no names");
  } else if (opener.is_exhausted()) {
    lines.emplace_back("too many file systems do not answer; what was not open by then has no names");
  } else if (opener.unanswered() != 0) {
    lines.push_back(number_of(opener.unanswered(), "file") + " could not be opened: their file systems do not answer");
  }
  if (state_->fetcher && state_->fetcher->channel.is_gone()) {
    lines.push_back(in_words(ChildKind::fetcher) + " was ended or does not answer; debug files of servers are missing");
  } else if (state_->fetcher && state_->fetcher->given_up != 0) {
    lines.push_back("the debug files of " + number_of(state_->fetcher->given_up, "file") +
                    " were given up: the debuginfod servers were too slow, or sent too much");
  }
  if (state_->fetcher && state_->fetcher->unanswered != 0) {
    lines.push_back("the debuginfod servers could not be asked for " + number_of(state_->fetcher->unanswered, "file") +
                    ": " + std::strerror(state_->fetcher->no_answer));
  }
  if (state_->parser.is_missing()) {
    lines.push_back(in_words(ChildKind::parser) +
                    " was ended, and no other could be started; what it had not read has no names");
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
