#include "parse/opener.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

#include "children/kinds.h"
#include "children/patience.h"
#include "support/deadline.h"
#include "support/fd.h"

namespace profile {
namespace {

// An open file answers at once, unless its file system does not answer at all.
constexpr std::chrono::milliseconds short_patience{50};
constexpr std::size_t most_stack_bytes_at_once = 64U << 10;
// Questions that were given up, and may still be answered.
constexpr std::size_t most_remembered = 10'000;

FileState take_state(WireReader& in) {
  const FileState state = in.one_of(FileState::count);
  return in.ok() ? state : FileState::unknown;
}

// The answer for a file about which nothing will be told.
FileAnswer unknown_state(FileNumber number, FileFault reason) {
  return {.number = number, .reason = reason, .stamp = {}, .state = FileState::unknown};
}

bool is_gone_process(std::uint32_t tgid) { return ::kill(static_cast<pid_t>(tgid), 0) != 0 && errno == ESRCH; }

}  // namespace

void Opener::open(const FileQuestion& question) {
  if (channel_.is_gone() || is_exhausted_) {
    const FileFault reason = channel_.is_gone() ? FileFault::not_opened : FileFault::no_answer;
    opened_.push_back({.number = question.number, .reason = reason, .stamp = {}, .state = {}});
    if (reason == FileFault::no_answer) ++unanswered_;
    return;
  }
  opening_.emplace(send(OpenerCall::open, question), question.number);
}

void Opener::take(const Message& message) {
  WireReader in(message.bytes);
  is_late_ = false;
  is_silent_ = false;
  const auto id = in.get<std::uint64_t>();
  const auto reason = in.one_of(FileFault::count);
  if (id == 0) is_exhausted_ = true;
  if (reason == FileFault::none) is_exhausted_ = false;
  if (reason == FileFault::no_answer && id != 0) ++unanswered_;
  if (awaited_.contains(id)) {
    answers_[id] = message.bytes.substr(sizeof id);
    return;
  }
  if (const auto late = not_awaited_.find(id); late != not_awaited_.end()) {
    const FileNumber number = late->second;
    if (reason != FileFault::no_answer) not_awaited_.erase(late);
    if (reason == FileFault::none) close(number);
    return;
  }
  if (const FileNumber map = held_maps_.take_asked(id); map != FileNumber::none) {
    if (reason != FileFault::none) return;
    if (!held_maps_.note_open({.number = map, .size_bytes = in.get<std::uint64_t>()})) return close(map);
    return note_owner(map, in.get<std::uint64_t>());
  }
  if (const auto late = late_states_.find(id); late != late_states_.end()) {
    const FileState state = reason == FileFault::none ? take_state(in) : FileState::unknown;
    opened_.push_back({.number = late->second, .reason = reason, .stamp = {}, .state = state});
    if (reason != FileFault::no_answer) late_states_.erase(late);
    return;
  }
  const auto opening = opening_.find(id);
  if (opening == opening_.end()) return;
  FileAnswer answer{.number = opening->second, .reason = reason, .stamp = {}, .state = {}};
  if (reason == FileFault::none) {
    in.read(answer.stamp, answer.owner);
    note_owner(answer.number, answer.owner);
  }
  // A question that was given up may still be answered.
  if (reason != FileFault::no_answer || opening_.size() > most_remembered) opening_.erase(opening);
  opened_.push_back(answer);
}

void Opener::pump() {
  while (const auto message = channel_.take()) take(*message);
  if (!channel_.is_gone()) return;
  for (const auto& [id, number] : opening_) {
    opened_.push_back({.number = number, .reason = FileFault::not_opened, .stamp = {}, .state = {}});
  }
  opening_.clear();
  for (const auto& [id, number] : late_states_) opened_.push_back(unknown_state(number, FileFault::not_opened));
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

// One job that takes long must not cost the questions of others their answers. So the opener gets another short time,
// once, after it was silent for a long one.
std::chrono::milliseconds Opener::patience_now(std::chrono::milliseconds patience) const {
  return is_silent_ ? std::min(patience, short_patience) : patience;
}

bool Opener::may_wait(std::chrono::milliseconds patience) const { return !(is_late_ && patience <= short_patience); }

void Opener::note_silence(std::chrono::milliseconds patience) {
  is_late_ = patience <= short_patience;
  is_silent_ = is_silent_ || !is_late_;
}

bool Opener::wait_for_answer(std::chrono::milliseconds patience) {
  pump();
  patience = patience_now(patience);
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

std::optional<std::string> Opener::answer_of(std::uint64_t id, std::chrono::milliseconds patience,
                                             const std::function<void()>& meanwhile) {
  awaited_.insert(id);
  pump();
  patience = patience_now(patience);
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
    channel_.wait(meanwhile ? std::min(step, meanwhile_every) : step);
    if (meanwhile) meanwhile();
  }
  awaited_.erase(id);
  note_silence(patience);
  return std::nullopt;
}

std::vector<FileKeeper::State> Opener::states(std::span<const FileNumber> numbers) {
  std::vector<State> states(numbers.size(), State::unknown);
  const FileNumber number = numbers.front();
  const std::uint64_t id = send(OpenerCall::state, number, numbers.subspan(1));
  const auto answer = answer_of(id, short_patience);
  if (!answer && !channel_.is_gone()) {
    late_states_[id] = number;
    return states;
  }
  WireReader in(answer ? std::string_view(*answer) : std::string_view());  // `answer` must outlive it
  FileFault reason = answer ? in.one_of(FileFault::count) : FileFault::not_opened;
  if (reason == FileFault::none) {
    reason = FileFault::no_answer;
    for (State& state : states) state = take_state(in);
  }
  if (states.front() == State::unknown) opened_.push_back(unknown_state(number, reason));
  return states;
}

void Opener::close(FileNumber number) {
  owners_.erase(number);
  send(OpenerCall::close, number);
}

void Opener::note_owner(FileNumber number, std::uint64_t owner) {
  if (owner != 0) {
    owners_[number] = owner;
  } else {
    owners_.erase(number);
  }
}

FileFault Opener::opened_as(FileNumber number, FileFault reason) {
  if (may_open_later(reason) && not_awaited_.size() < most_remembered) not_awaited_[asked_id_] = number;
  return reason;
}

std::uint64_t Opener::owner_of(FileNumber number) const {
  const auto found = owners_.find(number);
  return found == owners_.end() ? 0 : found->second;
}

FileFault Opener::hand(FileNumber number, WayNumber way, FileKind kind, const std::function<void()>& meanwhile) {
  if (is_exhausted_) return FileFault::no_answer;
  const auto answer = answer_of(send(OpenerCall::hand, number, way, kind), patience_with_files, meanwhile);
  if (!answer) return is_exhausted_ ? FileFault::no_answer : FileFault::not_opened;
  return WireReader(*answer).one_of(FileFault::count);
}

FileFault Opener::open_debug(FileNumber number, WayNumber way, FileNumber base, const DebugQuestion& question,
                             unsigned& next, std::string& why) {
  why = why_no_answer();
  return opened_as(number,
                   ask(std::tie(next, why), OpenerCall::debug, number, way, base, question.kind, question.text, next));
}

FileFault Opener::open_path(FileNumber number, const std::string& path, FileStamp& stamp, std::string& why,
                            PathNamedBy named_by) {
  why = why_no_answer();
  std::uint64_t owner = 0;
  const FileFault reason =
      opened_as(number, ask(std::tie(stamp, owner, why), OpenerCall::path, number, path, named_by));
  if (reason == FileFault::none) note_owner(number, owner);
  return reason;
}

std::optional<Children::Seen> Opener::look(const std::string& path, bool to_write) {
  Children::Seen seen;
  const FileFault reason = ask(std::tie(seen.error, seen.is_directory), OpenerCall::look, path, to_write);
  return reason == FileFault::none ? std::optional(seen) : std::nullopt;
}

FileFault Opener::open_now(const FileQuestion& question, FileStamp& stamp) {
  std::uint64_t owner = 0;
  const FileFault reason = opened_as(question.number, ask(std::tie(stamp, owner), OpenerCall::open, question));
  if (reason == FileFault::none) note_owner(question.number, owner);
  return reason;
}

void Opener::hold_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> user) {
  held_maps_.want(tgid, user, new_number());
  ask_for_maps();
}

void Opener::ask_for_maps() {
  if (is_exhausted_) return;
  held_maps_.ask_where_due([this](std::uint32_t tgid, FileNumber number) {
    return send(OpenerCall::perf_map, number, tgid, std::optional<std::uint32_t>());
  });
}

FileNumber Opener::open_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> last_user,
                                 std::uint64_t& size_bytes) {
  pump();
  // While the process lives, its map may be another file by now.
  if (!held_maps_.find(tgid) || !is_gone_process(tgid)) {
    const FileNumber number = new_number();
    std::uint64_t owner = 0;
    const FileFault reason = ask(std::tie(size_bytes, owner), OpenerCall::perf_map, number, tgid, last_user);
    if (opened_as(number, reason) == FileFault::none) {
      note_owner(number, owner);
      return number;
    }
  }
  const auto held = held_maps_.find(tgid);
  if (!held) return FileNumber::none;
  size_bytes = held->size_bytes;
  return held->number;
}

void Opener::leave_perf_map(std::uint32_t tgid, FileNumber number) {
  const auto held = held_maps_.find(tgid);
  if (!held || held->number != number) return close(number);
  if (is_gone_process(tgid)) drop_perf_map(tgid);
}

void Opener::drop_perf_map(std::uint32_t tgid) {
  if (const auto held = held_maps_.drop(tgid)) close(held->number);
}

std::optional<std::uint64_t> Opener::size_of(FileNumber number) {
  std::uint64_t size_bytes = 0;
  const FileFault reason = ask(std::tie(size_bytes), OpenerCall::size, number);
  return reason == FileFault::none ? std::optional(size_bytes) : std::nullopt;
}

std::vector<std::string> Opener::stacks(std::span<const StackQuestion> questions, std::size_t most_bytes) {
  std::vector<std::string> stacks(questions.size());
  // A question is about one process, so that one that hangs holds up no other. The threads of a large process are
  // several questions: copies that stay in the CPU's cache take a fifth of the time.
  struct Asked {
    std::uint64_t id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::vector<Asked> all;
  for (std::size_t begin = 0; begin < questions.size() && !is_exhausted_;) {
    std::size_t end = begin + 1;
    while (end < questions.size() && questions[end].tgid == questions[begin].tgid &&
           (end - begin) * most_bytes < most_stack_bytes_at_once) {
      ++end;
    }
    std::vector<RuntimeAddress> pointers;
    for (std::size_t i = begin; i < end; ++i) pointers.push_back(questions[i].stack_pointer);
    const std::uint64_t id =
        send(OpenerCall::stacks, questions[begin].tgid, static_cast<std::uint32_t>(most_bytes), pointers);
    awaited_.insert(id);
    channel_.extend({.messages = 0, .bytes = pointers.size() * (most_bytes + sizeof(std::uint32_t))});
    all.push_back({.id = id, .begin = begin, .end = end});
    begin = end;
  }
  const Deadline deadline(patience_with_files);
  for (const Asked& asked : all) {
    const auto answer = answer_of(asked.id, deadline.left());
    if (!answer) continue;
    WireReader in(*answer);
    if (in.one_of(FileFault::count) != FileFault::none) continue;
    in.allow_text(most_bytes);
    auto copies = in.get<std::vector<std::string>>();
    copies.resize(asked.end - asked.begin);
    std::ranges::move(copies, stacks.begin() + static_cast<std::ptrdiff_t>(asked.begin));
  }
  return stacks;
}

std::string Opener::why_no_answer() const {
  return channel_.is_gone() ? in_words(ChildKind::opener) + " was ended" : does_not_answer;
}

void Opener::distrust(FileNumber number) { send(OpenerCall::distrust, number); }

Fd Opener::new_way(WayNumber way) {
  std::pair<Fd, Fd> ends = new_socket_pair();
  std::vector<Fd> fds;
  fds.push_back(std::move(ends.first));
  channel_.send(message_of(++ids_, OpenerCall::way, way), std::move(fds));
  return std::move(ends.second);
}

}  // namespace profile
