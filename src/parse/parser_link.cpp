#include "parse/parser_link.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "parse/debug_file_search.h"
#include "parse/parser_calls.h"
#include "support/clock.h"
#include "support/deadline.h"
#include "support/end_request.h"
#include "support/process_fd.h"

namespace profile {
namespace {

// Demangling a name takes microseconds, but a short name can be made to take for ever.
constexpr std::uint64_t most_demangling_ns = 200'000'000;
constexpr std::uint64_t most_demangling_one_ns = 100'000;
// The most debug files for one question: as many as the largest programs that split theirs have, and more.
constexpr std::size_t most_wanted = 20'000;
// Candidates of debug files that the opener keeps for one question.
constexpr std::size_t most_debug_files = 256;
// Each may take some seconds, of which a run has only so many.
constexpr unsigned most_fetched = 4;
constexpr std::size_t most_wanted_bytes = 16 << 20;  // of all their names
// What else a parser says about one question: that it has begun, and for each thousand names that it demangles them.
constexpr std::size_t most_remarks = 2048;
// The limit for a question with its debug files, apart from the time on a CPU and the time that this process takes.
constexpr std::uint64_t most_waiting_ns = 30'000'000'000;
// The limit for the time that this process takes to open what a question wants. Thousands of files take a second.
constexpr std::uint64_t most_supplying_ns = 20'000'000'000;
constexpr std::uint64_t look_every_ns = 100'000'000;
static_assert(look_every_ns == std::chrono::nanoseconds(ChildWatch::look_every).count());

}  // namespace

// What is known of the question that is being answered.
class ParserLink::Exchange {
 public:
  Exchange(ParserLink& link, const AnswerLimits& limits, const std::function<void()>& meanwhile)
      : link_(link),
        meanwhile_(meanwhile),
        most_ns_(limits.most_ns),
        source_(limits.source),
        may_fetch_(limits.may_fetch),
        whole_(link.child_->times, limits.most_ns, most_waiting_ns),
        part_(link.child_->times, limits.most_ns) {
    outcome_.has_begun = link.file_ == FileNumber::none;
  }

  Outcome run() {
    Outcome outcome;
    try {
      outcome = until_it_ends();
    } catch (...) {
      link_.end();  // otherwise the next question would get this answer
      throw;
    }
    static_cast<void>(whole_.look());
    outcome.ran_ns = whole_.ran_ns();
    outcome.took_ns = whole_.took_ns() + all_supplied_ns_;
    return outcome;
  }

 private:
  Outcome until_it_ends() {
    for (;;) {
      // A parser that always says something must not keep this process from looking, or from its other work.
      const std::uint64_t now_ns = monotonic_ns();
      if (meanwhile_ && now_ns - meanwhile_ns_ >= std::chrono::nanoseconds(meanwhile_every).count()) do_meanwhile();
      if (now_ns - looked_ns_ >= look_every_ns && !look()) return std::move(outcome_);
      if (const auto message = link_.child_->channel.take()) {
        if (!take(*message)) return std::move(outcome_);
        continue;
      }
      if (link_.child_->channel.is_gone()) {
        return ended(link_.child_->channel.is_broken() ? Ended::broke_rules : Ended::died);
      }
      link_.child_->channel.wait(meanwhile_ ? meanwhile_every : ChildWatch::look_every);
    }
  }

  void do_meanwhile() {
    const std::uint64_t began_ns = monotonic_ns();
    meanwhile_();
    meanwhile_ns_ = monotonic_ns();
    excuse(meanwhile_ns_ - began_ns);
  }

  Outcome ended(Ended how) {
    outcome_.ended = how;
    return std::move(outcome_);
  }
  bool end(Ended how) {
    outcome_.ended = how;
    return false;
  }

  bool look() {
    looked_ns_ = monotonic_ns();
    if (is_end_pressing()) return end(Ended::interrupted);
    const ChildWatch::Finding part = part_.look();
    const ChildWatch::Finding whole = whole_.look();
    if (part == ChildWatch::Finding::too_long || whole == ChildWatch::Finding::too_long) return end(Ended::too_long);
    if (part == ChildWatch::Finding::stuck || whole == ChildWatch::Finding::stuck) return end(Ended::stuck);
    return true;
  }

  void excuse(std::uint64_t ns) {
    part_.excuse(ns);
    whole_.excuse(ns);
  }

  // False: the exchange has ended.
  bool take(const Message& message) {
    WireReader in(message.bytes);
    const auto word = in.one_of(ParserWord::count);
    if (!in.ok()) return end(Ended::broke_rules);
    if (word == ParserWord::answer) {
      outcome_.answer = message.bytes.substr(sizeof(ParserWord));
      return end(Ended::answered);
    }
    if (word == ParserWord::wants || word == ParserWord::wants_served) {
      if (++wanted_ > most_wanted) return end(Ended::broke_rules);
      const std::uint64_t began_ns = monotonic_ns();
      if (!(word == ParserWord::wants ? supply(in) : fetch(in))) return false;
      excuse(monotonic_ns() - began_ns);
      part_ = ChildWatch(link_.child_->times, most_ns_);
      return true;
    }
    if (++remarks_ > most_remarks) return end(Ended::broke_rules);
    if (word == ParserWord::begun) {
      outcome_.has_begun = true;
      return true;
    }
    outcome_.is_demangling = true;
    const std::uint64_t names = in.get<std::uint32_t>();
    // What it waited before still counts: otherwise a parser could say this again and again, and wait in between.
    part_.limit_running(std::min(most_demangling_ns + names * most_demangling_one_ns, most_ns_));
    return true;
  }

  bool supply(WireReader& in) {
    const std::uint64_t began_ns = monotonic_ns();
    if (!link_.supply(in, source_)) return end(Ended::broke_rules);
    all_supplied_ns_ += monotonic_ns() - began_ns;
    return all_supplied_ns_ <= most_supplying_ns || end(Ended::too_long);
  }

  bool fetch(WireReader& in) {
    const FileNumber number = link_.ask_fetcher(in, may_fetch_);
    if (number == FileNumber::none) return end(Ended::broke_rules);
    Fetcher& fetcher = *link_.fetcher_;
    bool is_found = false;
    bool is_answered = false;
    const std::uint64_t began_ns = monotonic_ns();
    for (const Deadline deadline(most_fetching);
         may_fetch_ && !is_answered && !deadline.is_over() && !fetcher.channel.is_gone();) {
      if (is_end_pressing()) return end(Ended::interrupted);
      if (meanwhile_) meanwhile_();  // the caller excuses all of this time
      const auto message = fetcher.channel.receive(std::min(deadline.left(), ChildWatch::look_every));
      if (!message) continue;
      WireReader answer(message->bytes);
      // An answer to a question that was given up comes first.
      is_answered = answer.get<FileNumber>() == number;
      const bool is_given = answer.get<bool>(), is_given_up = answer.get<bool>();
      const auto no_answer = answer.get<std::int32_t>();
      is_found = is_answered && is_given && answer.is_whole();
      if (is_answered && is_given_up) ++fetcher.given_up;
      if (is_answered && no_answer != 0) {
        ++fetcher.unanswered;
        fetcher.no_answer = no_answer;
      }
    }
    fetcher.patience -= std::chrono::nanoseconds(monotonic_ns() - began_ns);
    // It always answers in time, and in all is not so slow, unless a server has taken it over.
    if (may_fetch_ && (!is_answered || fetcher.patience.count() <= 0)) fetcher.give_up();
    outcome_.is_served = outcome_.is_served || is_found;
    link_.child_->channel.send(message_of(ParserCall::supplied, is_found, number, 0U, ""));
    return true;
  }

  ParserLink& link_;
  const std::function<void()>& meanwhile_;
  std::uint64_t most_ns_;
  const std::string& source_;
  bool may_fetch_;
  ChildWatch whole_;
  ChildWatch part_;  // since it got what it wanted last; its time on a CPU: since it said that it demangles
  std::uint64_t looked_ns_ = monotonic_ns();
  std::uint64_t meanwhile_ns_ = looked_ns_;  // when the other work was done last
  std::size_t wanted_ = 0;
  std::uint64_t all_supplied_ns_ = 0;
  std::size_t remarks_ = 0;
  Outcome outcome_;
};

Fetcher::~Fetcher() {
  if (!process) return;
  // With this signal it deletes what has come of a file.
  constexpr int most_ending_ms = 1000;
  channel = Channel(Fd());
  kill_process(process, SIGTERM);
  pollfd ended{.fd = process.get(), .events = POLLIN, .revents = 0};
  ::poll(&ended, 1, most_ending_ms);
  kill_process(process);
}

void Fetcher::give_up() {
  channel.give_up();
  kill_process(process);
}

bool ParserLink::start() {
  std::vector<Fd> ends;
  way_ += way_count;
  ends.push_back(opener_.new_way(way_));
  if (fetcher_ != nullptr) {
    auto [from, to] = new_socket_pair();
    std::vector<Fd> fetcher_end;
    ::shutdown(to.get(), SHUT_WR);  // a parser has nothing to say to who talks to the network
    fetcher_end.push_back(std::move(from));
    fetcher_->channel.send(message_of(way_), std::move(fetcher_end));
    ends.push_back(std::move(to));
  }
  child_ = keeper_.start(ChildKind::parser, std::move(ends));
  return child_.has_value();
}

void ParserLink::end() {
  if (child_) kill_process(child_->process);
  child_.reset();
  file_ = FileNumber::none;
  close_debug_files();
}

bool ParserLink::is_running(FileNumber& offender) {
  if (child_ && (child_->channel.take() || child_->channel.is_gone())) {
    if (child_->channel.is_broken()) offender = file_;
    end();
  }
  return child_.has_value();
}

std::optional<pid_t> ParserLink::pid() const {
  return child_ && !has_ended(child_->process) ? std::optional(child_->times.child()) : std::nullopt;
}

FileNumber ParserLink::turn_to(FileNumber file) {
  const FileNumber before = std::exchange(file_, file);
  fetched_ = 0;
  if (before != file) close_debug_files();
  return before;
}

void ParserLink::close_debug_files() {
  for (const FileNumber number : debug_files_) opener_.close(number);
  debug_files_.clear();
}

void ParserLink::release_files() {
  close_debug_files();
  if (child_) child_->channel.send(message_of(ParserCall::release_files));
}

ParserLink::Outcome ParserLink::exchange(std::string_view words, bool is_plain, const AnswerLimits& limits,
                                         const std::function<void()>& meanwhile) {
  child_->channel.allow({.messages = most_wanted + most_remarks + 1, .bytes = limits.most_bytes + most_wanted_bytes});
  if (is_plain) child_->channel.send(message_of(ParserCall::plainly));
  child_->channel.send(words);
  Outcome outcome = Exchange(*this, limits, meanwhile).run();
  if (child_) child_->channel.allow({});
  if (outcome.answer.size() > limits.most_bytes) outcome.ended = Ended::broke_rules;
  return outcome;
}

// The parser wants a debug file. It gets only debug files of the file in question, or of a debug file of that file.
bool ParserLink::supply(WireReader& in, const std::string& source) {
  DebugQuestion question;
  FileNumber base = FileNumber::none;
  unsigned next = 0;
  in.read(question.kind, question.text, base, next);
  const bool is_its_own = base == file_ || debug_files_.contains(base);
  if (!in.is_whole() || !is_its_own || base == FileNumber::none || question.text.size() > PATH_MAX) return false;
  const bool is_source = question.kind == DebugQuestion::Kind::source;
  if (is_source && (source.empty() || question.text != source)) return false;
  std::string why;
  const FileNumber number = opener_.new_number();
  const bool is_found = opener_.open_debug(number, way_, base, question, next, why) == FileFault::none;
  // Nothing is asked about the parts of split debug information, of which there may be thousands: the parser has them.
  const bool is_part =
      is_source || question.kind == DebugQuestion::Kind::split || question.kind == DebugQuestion::Kind::package;
  if (is_found && is_part) opener_.close(number);
  if (is_found && !is_part) debug_files_.insert(number);
  child_->channel.send(message_of(ParserCall::supplied, is_found, number, next, why));
  return debug_files_.size() <= most_debug_files;
}

FileNumber ParserLink::ask_fetcher(WireReader& in, bool may_fetch) {
  const auto build_id = in.get<std::string>();
  if (!in.is_whole() || fetcher_ == nullptr || !is_build_id(build_id)) return FileNumber::none;
  if (++fetched_ > most_fetched) return FileNumber::none;
  const FileNumber number = opener_.new_number();
  if (!may_fetch) return number;
  fetcher_->channel.extend({.messages = 1, .bytes = 64});
  fetcher_->channel.send(message_of(way_, number, opener_.owner_of(file_), build_id));
  return number;
}

}  // namespace profile
