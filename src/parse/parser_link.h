// One running parser, and the exchange of one question with it. A hostile file may have taken the parser over, so a
// clock, a count of messages and a count of bytes bound every answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "children/channel.h"
#include "children/child_watch.h"
#include "children/keeper.h"
#include "children/wire.h"
#include "parse/fetcher_child.h"
#include "parse/opener.h"
#include "support/fd.h"

namespace profile {

struct AnswerLimits {
  std::uint64_t most_ns = ChildWatch::most_running_ns;  // time on a CPU
  std::size_t most_bytes = 0;
  bool may_be_plain = false;  // names as the file spells them are better than no answer
  bool may_fetch = true;      // a server may be asked for its debug file
  std::string source = {};    // the one source file that may be wanted for the answer; empty: none
};

// The child that asks debuginfod servers, as seen from the main process. A server may have taken it over.
struct Fetcher {
  Fetcher(Fd its_process, Channel to_it) : process(std::move(its_process)), channel(std::move(to_it)) {}
  Fetcher(Fetcher&&) = default;
  Fetcher& operator=(Fetcher&&) = default;
  // Tells it to end, and kills it if it does not.
  ~Fetcher();
  // Nothing more is asked. Kills it.
  void give_up();

  Fd process;
  Channel channel;
  std::chrono::nanoseconds patience = most_fetching_of_all;  // what is left of it
  unsigned bad_files = 0;                                    // that ended the parser which read them
  unsigned given_up = 0;                                     // files that did not come in time, or were too large
  unsigned unanswered = 0;                                   // files for which no server could be asked
  int no_answer = 0;                                         // why the last of these, as an errno
};

class ParserLink {
 public:
  enum class Ended : std::uint8_t {
    answered,
    died,
    stuck,
    too_long,
    broke_rules,
    interrupted  // the user wants the end of the run
  };
  struct Outcome {
    Ended ended = Ended::died;
    bool has_begun = false;  // it holds the file that it was asked about
    bool is_demangling = false;
    bool is_served = false;     // it got a file of a server
    std::uint64_t ran_ns = 0;   // on a CPU
    std::uint64_t took_ns = 0;  // all, but not the time in which it waited for a CPU or for a server
    std::string answer;
  };

  // `fetcher`: may be null. All arguments must outlive this.
  ParserLink(Keeper& keeper, Opener& opener, Fetcher* fetcher, WayNumber way)
      : keeper_(keeper), opener_(opener), fetcher_(fetcher), way_(way) {}

  // Starts a parser. False: it could not be started.
  bool start();
  // Kills the parser and does not wait for its end: a process that hangs in the kernel ends when what it waits for
  // ends.
  void end();
  // False when it was never started or has ended. One that has said something unasked is ended, and `offender` becomes
  // the file that it was asked about last.
  [[nodiscard]] bool is_running(FileNumber& offender);
  [[nodiscard]] std::optional<pid_t> pid() const;
  // Another one for each parser that is started.
  [[nodiscard]] WayNumber way() const { return way_; }

  // The next question is about this file (or `none`). Returns the file of the question before.
  FileNumber turn_to(FileNumber file);
  // Sends the question and waits for the answer. `meanwhile` is called now and then while it waits.
  [[nodiscard]] Outcome exchange(std::string_view words, bool is_plain, const AnswerLimits& limits,
                                 const std::function<void()>& meanwhile);
  // Has it close the files that it has read.
  void release_files();

 private:
  class Exchange;
  // Answers what the parser wants. False: it may not want that.
  [[nodiscard]] bool supply(WireReader& in, const std::string& source);
  // Asks the servers for what the parser wants. Returns the number of the question; `none`: the parser may not want
  // that.
  [[nodiscard]] FileNumber ask_fetcher(WireReader& in, bool may_fetch);
  void close_debug_files();

  Keeper& keeper_;
  Opener& opener_;
  Fetcher* fetcher_;
  WayNumber way_;
  std::optional<Keeper::Child> child_;  // not set: no parser runs
  FileNumber file_ = FileNumber::none;  // the file that it was asked about last and may still have open
  std::set<FileNumber> debug_files_;    // numbers of the debug files that it got for file_
  unsigned fetched_ = 0;                // files that servers were asked for, for this question
};

}  // namespace profile
