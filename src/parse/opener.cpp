#include "parse/opener.h"

#include <utility>
#include <vector>

#include "parse/patience.h"
#include "support/deadline.h"

namespace profile {
namespace {

// An open file answers at once, unless its file system does not answer at all.
constexpr std::chrono::milliseconds short_patience{50};

FileStamp take_stamp(WireReader& in) {
  FileStamp stamp;
  stamp.device = in.number<std::uint64_t>();
  stamp.inode = in.number<std::uint64_t>();
  stamp.size_bytes = in.number<std::uint64_t>();
  stamp.modified_ns = in.number<std::int64_t>();
  return stamp;
}

FileState take_state(WireReader& in) {
  const FileState state = in.one_of(FileState::unknown);
  return in.ok() ? state : FileState::unknown;
}

// The answer for a file about which nothing will be told.
FileAnswer unknown_state(std::uint64_t number) {
  return {.number = number, .reason = Unnamed::no_answer, .stamp = {}, .state = FileState::unknown};
}

}  // namespace

WireWriter Opener::question(OpenerCall call, std::uint64_t& id) {
  id = ++ids_;
  WireWriter words;
  words.put(id);
  words.put(call);
  return words;
}

std::uint64_t Opener::send_open(const FileQuestion& question) {
  std::uint64_t id = 0;
  WireWriter words = this->question(OpenerCall::open, id);
  words.put(question.number);
  words.put(question.identity.device_major);
  words.put(question.identity.device_minor);
  words.put(question.identity.inode);
  words.text(question.path);
  words.put(question.mapped_by.tgid);
  words.put(static_cast<std::uint8_t>(question.mapped_by.own_mounts ? 1 : 0));
  words.put(question.mapped_by.start);
  words.put(question.mapped_by.end);
  channel_.send(words.bytes());
  return id;
}

void Opener::open(const FileQuestion& question) {
  if (channel_.is_gone() || is_exhausted_) {
    opened_.push_back({.number = question.number, .reason = Unnamed::no_answer, .stamp = {}, .state = {}});
    ++unanswered_;
    return;
  }
  opening_.emplace(send_open(question), question.number);
}

void Opener::take(const Message& message) {
  WireReader in(message.bytes);
  is_late_ = false;
  is_silent_ = false;
  const auto id = in.number<std::uint64_t>();
  const auto reason = in.one_of(Unnamed::count);
  if (id == 0) is_exhausted_ = true;
  if (reason == Unnamed::named) is_exhausted_ = false;
  if (reason == Unnamed::no_answer && id != 0) ++unanswered_;
  if (awaited_.contains(id)) {
    answers_[id] = message.bytes.substr(sizeof id);
    return;
  }
  if (const auto asked = asked_maps_.find(id); asked != asked_maps_.end()) {
    const auto held = held_maps_.find(asked->second.tgid);
    const bool is_wanted = held != held_maps_.end() && held->second.number == asked->second.number;
    if (reason == Unnamed::named && is_wanted) {
      held->second.is_open = true;
      held->second.size_bytes = in.number<std::uint64_t>();
    } else if (reason == Unnamed::named) {
      close(asked->second.number);  // the map was dropped meanwhile
    }
    asked_maps_.erase(asked);
    return;
  }
  if (const auto late = late_states_.find(id); late != late_states_.end()) {
    const FileState state = reason == Unnamed::named ? take_state(in) : FileState::unknown;
    opened_.push_back({.number = late->second, .reason = reason, .stamp = {}, .state = state});
    if (reason != Unnamed::no_answer) late_states_.erase(late);
    return;
  }
  const auto opening = opening_.find(id);
  if (opening == opening_.end()) return;
  FileAnswer answer{.number = opening->second, .reason = reason, .stamp = {}, .state = {}};
  if (reason == Unnamed::named) answer.stamp = take_stamp(in);
  // A question that was given up may still be answered.
  if (reason != Unnamed::no_answer) opening_.erase(opening);
  opened_.push_back(answer);
}

void Opener::pump() {
  while (const auto message = channel_.take()) take(*message);
  if (!channel_.is_gone()) return;
  for (const auto& [id, number] : opening_) {
    opened_.push_back({.number = number, .reason = Unnamed::no_answer, .stamp = {}, .state = {}});
  }
  opening_.clear();
  for (const auto& [id, number] : late_states_) opened_.push_back(unknown_state(number));
  late_states_.clear();
}

void Opener::take_answers(const std::function<void(const FileAnswer&)>& take) {
  ask_for_maps();
  pump();
  while (!opened_.empty()) {
    const FileAnswer answer = opened_.front();
    opened_.pop_front();
    take(answer);
  }
}

bool Opener::may_wait(std::chrono::milliseconds patience) const {
  return !is_silent_ && !(is_late_ && patience <= short_patience);
}

void Opener::note_silence(std::chrono::milliseconds patience) {
  (patience <= short_patience ? is_late_ : is_silent_) = true;
}

bool Opener::wait_for_answer(std::chrono::milliseconds patience) {
  pump();
  if (!opened_.empty() || !may_wait(patience)) return !opened_.empty();
  bool is_heard = false;
  Patience left(process_, patience);
  for (auto step = left.next(); !is_heard && step.count() != 0 && !channel_.is_gone(); step = left.next()) {
    is_heard = channel_.wait(step);
  }
  pump();
  if (!is_heard) note_silence(patience);
  return !opened_.empty();
}

std::optional<std::string> Opener::answer_of(std::uint64_t id, std::chrono::milliseconds patience) {
  awaited_.insert(id);
  Patience left(process_, patience);
  for (;;) {
    pump();
    if (auto found = answers_.extract(id)) {
      awaited_.erase(id);
      return std::move(found.mapped());
    }
    if (channel_.is_gone() || !may_wait(patience)) break;
    const auto step = left.next();
    if (step.count() == 0) break;
    channel_.wait(step);
  }
  awaited_.erase(id);
  note_silence(patience);
  return std::nullopt;
}

std::optional<std::string> Opener::ask(const WireWriter& words, std::uint64_t id) {
  if (is_exhausted_) return std::nullopt;
  channel_.send(words.bytes());
  return answer_of(id, long_patience);
}

FileKeeper::State Opener::state(std::uint64_t number) {
  std::uint64_t id = 0;
  WireWriter words = question(OpenerCall::state, id);
  words.put(number);
  channel_.send(words.bytes());
  const auto answer = answer_of(id, short_patience);
  if (!answer && !channel_.is_gone()) {
    late_states_[id] = number;
    return State::unknown;
  }
  WireReader in(answer ? std::string_view(*answer) : std::string_view());  // `answer` must outlive it
  const bool is_answered = answer && in.one_of(Unnamed::count) == Unnamed::named;
  const State state = is_answered ? take_state(in) : State::unknown;
  if (state == State::unknown) opened_.push_back(unknown_state(number));
  return state;
}

void Opener::close(std::uint64_t number) {
  std::uint64_t id = 0;
  WireWriter words = question(OpenerCall::close, id);
  words.put(number);
  channel_.send(words.bytes());
}

Unnamed Opener::hand(OpenerCall call, std::uint64_t number, std::uint64_t tag) {
  std::uint64_t id = 0;
  WireWriter words = question(call, id);
  words.put(number);
  words.put(tag);
  const auto answer = ask(words, id);
  if (!answer) return Unnamed::no_answer;
  return WireReader(*answer).one_of(Unnamed::count);
}

Unnamed Opener::hand(std::uint64_t number, std::uint64_t tag) { return hand(OpenerCall::hand, number, tag); }

Unnamed Opener::hand_to_prober(std::uint64_t number, std::uint64_t tag) {
  return hand(OpenerCall::to_prober, number, tag);
}

Unnamed Opener::open_debug(std::uint64_t number, std::uint64_t base, const DebugQuestion& question, unsigned& next,
                           std::string& why) {
  why = does_not_answer;
  std::uint64_t id = 0;
  WireWriter words = this->question(OpenerCall::debug, id);
  words.put(number);
  words.put(base);
  words.put(question.kind);
  words.text(question.text);
  words.put(static_cast<std::uint32_t>(next));
  const auto answer = ask(words, id);
  if (!answer) return Unnamed::no_answer;
  WireReader in(*answer);
  const auto reason = in.one_of(Unnamed::count);
  const auto behind = in.number<std::uint32_t>();
  if (!in.ok()) return reason;
  next = behind;
  why = in.text();
  return reason;
}

Opener::OpenedPath Opener::open_path(std::uint64_t number, const std::string& path) {
  OpenedPath opened{.reason = Unnamed::no_answer, .why = does_not_answer};
  std::uint64_t id = 0;
  WireWriter words = question(OpenerCall::path, id);
  words.put(number);
  words.text(path);
  const auto answer = ask(words, id);
  if (!answer) return opened;
  WireReader in(*answer);
  opened.reason = in.one_of(Unnamed::count);
  if (opened.reason == Unnamed::no_answer) return opened;
  opened.why = in.text();
  opened.device = in.number<std::uint64_t>();
  opened.inode = in.number<std::uint64_t>();
  return opened;
}

std::optional<Children::Seen> Opener::look(const std::string& path, bool to_write) {
  std::uint64_t id = 0;
  WireWriter words = question(OpenerCall::look, id);
  words.text(path);
  words.put(static_cast<std::uint8_t>(to_write ? 1 : 0));
  const auto answer = ask(words, id);
  if (!answer) return std::nullopt;
  WireReader in(*answer);
  if (in.one_of(Unnamed::count) != Unnamed::named) return std::nullopt;
  Children::Seen seen;
  seen.error = in.number<int>();
  seen.is_directory = in.number<std::uint8_t>() != 0;
  return seen;
}

Unnamed Opener::open_now(const FileQuestion& question, FileStamp& stamp) {
  if (is_exhausted_) return Unnamed::no_answer;
  const auto answer = answer_of(send_open(question), long_patience);
  if (!answer) return Unnamed::no_answer;
  WireReader in(*answer);
  const auto reason = in.one_of(Unnamed::count);
  if (reason == Unnamed::named) stamp = take_stamp(in);
  return reason;
}

std::vector<std::string> Opener::stacks(std::span<const StackQuestion> questions, std::size_t most_bytes) {
  std::vector<std::string> stacks(questions.size());
  // All threads of a process are one question, so that a question that hangs holds up no other process.
  struct Asked {
    std::uint64_t id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::vector<Asked> all;
  for (std::size_t begin = 0; begin < questions.size() && !is_exhausted_;) {
    std::size_t end = begin + 1;
    while (end < questions.size() && questions[end].tgid == questions[begin].tgid) ++end;
    Asked asked{.id = 0, .begin = begin, .end = end};
    WireWriter words = question(OpenerCall::stacks, asked.id);
    words.put(questions[begin].tgid);
    words.put(static_cast<std::uint32_t>(most_bytes));
    words.put(static_cast<std::uint32_t>(end - begin));
    for (; begin < end; ++begin) words.put(questions[begin].stack_pointer.value);
    channel_.send(words.bytes());
    awaited_.insert(asked.id);
    all.push_back(asked);
  }
  const Deadline deadline(long_patience);
  for (const Asked& asked : all) {
    const auto answer = answer_of(asked.id, deadline.left());
    if (!answer) continue;
    WireReader in(*answer);
    if (in.one_of(Unnamed::count) != Unnamed::named) continue;
    for (std::size_t i = asked.begin; i < asked.end; ++i) stacks[i] = in.text();
  }
  return stacks;
}

void Opener::distrust(std::uint64_t number) {
  std::uint64_t id = 0;
  WireWriter words = question(OpenerCall::distrust, id);
  words.put(number);
  channel_.send(words.bytes());
}

void Opener::set_way(OpenerCall taker, Fd link) {
  std::uint64_t id = 0;
  const WireWriter words = question(taker, id);
  std::vector<Fd> fds;
  fds.push_back(std::move(link));
  channel_.send(words.bytes(), std::move(fds));
}

}  // namespace profile
