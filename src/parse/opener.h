// The main process's side of the opener: it sends questions and takes answers, and never waits without an end.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "children/channel.h"
#include "children/wire.h"
#include "parse/children.h"
#include "parse/debug_file_search.h"
#include "parse/held_perf_maps.h"
#include "parse/opener_calls.h"
#include "parse/stack_reader.h"
#include "process/file_keeper.h"
#include "process/timeline.h"

namespace profile {

// How often the main process does its other work while it waits for a child. Samples that wait for a table come with
// copies of their stacks, which fill a ring in some tens of milliseconds.
inline constexpr std::chrono::milliseconds meanwhile_every{10};

inline constexpr const char* does_not_answer = "its file system does not answer";

class Opener final : public FileKeeper, public StackReader {
 public:
  // `process`: that which is asked.
  Opener(Channel channel, pid_t process) : channel_(std::move(channel)), process_(process) {
    channel_.allow(allowed_unasked);
  }

  void open(const FileQuestion& question) override;
  void take_answers(const std::function<void(const FileAnswer&)>& take) override;
  bool wait_for_answer(std::chrono::milliseconds patience) override;
  std::vector<State> states(std::span<const FileNumber> numbers) override;
  void close(FileNumber number) override;
  void hold_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> user) override;
  void drop_perf_map(std::uint32_t tgid) override;

  std::vector<std::string> stacks(std::span<const StackQuestion> questions, std::size_t most_bytes) override;

  // The next functions wait, but not for long. They return `none` when it was done.
  // Passes the file on, with its number as tag, if it is of that kind. `parser_gave_up`: the child does not take it.
  // `meanwhile`: called now and then while it waits, unless it is empty.
  FileFault hand(FileNumber number, WayNumber way, FileKind kind, const std::function<void()>& meanwhile = {});
  // Works as DebugFileSearch::open(). A file that is found is kept as `number` and passed on with that tag.
  FileFault open_debug(FileNumber number, WayNumber way, FileNumber base, const DebugQuestion& question, unsigned& next,
                       std::string& why);
  // The number of the map as it is now, or of the held map of a process that is gone. `none`: there is none.
  // `last_user`: as in profile::open_perf_map().
  FileNumber open_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> last_user, std::uint64_t& size_bytes);
  // The present size of an open file.
  [[nodiscard]] std::optional<std::uint64_t> size_of(FileNumber number);
  // Call it when the map was read.
  void leave_perf_map(std::uint32_t tgid, FileNumber number);
  // What stat(2) says of a path that the user named. No value: the file system does not answer. `to_write`: the path is
  // also opened for writing.
  [[nodiscard]] std::optional<Children::Seen> look(const std::string& path, bool to_write);
  // `why` says why it is not open.
  FileFault open_path(FileNumber number, const std::string& path, FileStamp& stamp, std::string& why,
                      PathNamedBy named_by = PathNamedBy::user);
  // Works as open(), but waits for the answer.
  FileFault open_now(const FileQuestion& question, FileStamp& stamp);

  // Says that reading the file got stuck.
  void distrust(FileNumber number);
  // Makes the way to a new child. Returns the end of the child.
  [[nodiscard]] Fd new_way(WayNumber way);
  // Who decides what a file says, as CodeFile::owner(); 0 when it is not known.
  [[nodiscard]] std::uint64_t owner_of(FileNumber number) const;

  // A number of our own; it is different from those of mapped files.
  [[nodiscard]] FileNumber new_number() { return FileNumber{first_own_number + own_numbers_++}; }
  [[nodiscard]] int fd() const { return channel_.fd(); }
  // Why a question has no answer, for the user.
  [[nodiscard]] std::string why_no_answer() const;
  // The opener has ended; nothing is opened any more.
  [[nodiscard]] bool is_gone() const { return channel_.is_gone(); }
  // All workers of the opener are stuck. Nothing is opened until one of them goes on.
  [[nodiscard]] bool is_exhausted() const { return is_exhausted_; }
  // The opener has said nothing for longer than any file system takes.
  [[nodiscard]] bool is_silent() const { return is_silent_; }
  [[nodiscard]] std::size_t unanswered() const { return unanswered_; }

 private:
  static constexpr std::uint64_t first_own_number = std::uint64_t{1} << 63;

  // A question may have two answers: a file that did not answer may do so later. Stacks have more bytes.
  static constexpr ChannelAllowance allowed_a_question{.messages = 2, .bytes = 8192};
  // All workers may be said to be stuck, again and again.
  static constexpr ChannelAllowance allowed_unasked{.messages = 10'000, .bytes = 640'000};
  void ask_for_maps();

  // Sends a question and returns its number.
  template <class... Values>
  std::uint64_t send(OpenerCall call, const Values&... values) {
    channel_.send(message_of(++ids_, call, values...));
    channel_.extend(allowed_a_question);
    return ids_;
  }
  // Asks and returns the reason in the answer, if it comes in time. What follows the reason is read into `into`, which
  // stays as it is if the answer lacks some of it.
  template <class... Into, class... Values>
  FileFault ask([[maybe_unused]] std::tuple<Into&...> into, OpenerCall call, const Values&... values) {
    if (is_exhausted_) return FileFault::no_answer;
    asked_id_ = send(call, values...);
    const auto answer = answer_of(asked_id_, patience_with_files);
    if (!answer) return is_exhausted_ ? FileFault::no_answer : FileFault::not_opened;
    WireReader in(*answer);
    const auto reason = in.one_of(FileFault::count);
    std::tuple<Into...> found;
    std::apply([&in](auto&... value) { in.read(value...); }, found);
    if (in.ok()) into = std::move(found);
    return reason;
  }
  [[nodiscard]] std::chrono::milliseconds patience_now(std::chrono::milliseconds patience) const;
  [[nodiscard]] bool may_wait(std::chrono::milliseconds patience) const;
  void note_silence(std::chrono::milliseconds patience);
  void pump();
  void note_owner(FileNumber number, std::uint64_t owner);
  // The answer of the last ask() to open a file. If it comes after all, the file is closed.
  FileFault opened_as(FileNumber number, FileFault reason);
  void take(const Message& message);
  [[nodiscard]] std::optional<std::string> answer_of(std::uint64_t id, std::chrono::milliseconds patience,
                                                     const std::function<void()>& meanwhile = {});

  Channel channel_;
  pid_t process_;
  std::uint64_t ids_ = 0;
  std::uint64_t own_numbers_ = 0;
  std::uint64_t asked_id_ = 0;                                 // of the last ask()
  std::unordered_map<std::uint64_t, FileNumber> not_awaited_;  // from question to number of the file, if it opens late
  std::unordered_map<FileNumber, std::uint64_t> owners_;       // of open files, by number, where it is not 0
  std::unordered_map<std::uint64_t, FileNumber> opening_;      // from question to number of file
  std::unordered_map<std::uint64_t, FileNumber> late_states_;  // likewise
  std::deque<FileAnswer> opened_;
  HeldPerfMaps held_maps_;
  std::set<std::uint64_t> awaited_;
  std::map<std::uint64_t, std::string> answers_;  // by question, only for awaited_
  bool is_exhausted_ = false;
  bool is_late_ = false;    // a question that is worth only a short wait got no answer: the next such ones do not wait
  bool is_silent_ = false;  // it has not even said that a file does not answer: every question is worth only that
  std::size_t unanswered_ = 0;
};

}  // namespace profile
