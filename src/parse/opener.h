// The main process's side of the opener: it sends questions and takes answers, and never waits without an end.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "parse/channel.h"
#include "parse/children.h"
#include "parse/debug_file_search.h"
#include "parse/opener_calls.h"
#include "parse/stack_reader.h"
#include "parse/wire.h"
#include "process/file_keeper.h"

namespace profile {

inline constexpr const char* does_not_answer = "its file system does not answer";

class Opener final : public FileKeeper, public StackReader {
 public:
  explicit Opener(Fd socket) : channel_(std::move(socket)) {}
  // Sets the process that is asked.
  void set_process(pid_t process) { process_ = process; }

  void open(const FileQuestion& question) override;
  void take_answers(const std::function<void(const FileAnswer&)>& take) override;
  bool wait_for_answer(std::chrono::milliseconds patience) override;
  State state(std::uint64_t number) override;
  void close(std::uint64_t number) override;
  void hold_perf_map(std::uint32_t tgid) override;
  void drop_perf_map(std::uint32_t tgid) override;

  std::vector<std::string> stacks(std::span<const StackQuestion> questions, std::size_t most_bytes) override;

  // The next functions wait, but not for long. They return `named` when it was done.
  // Passes the file on to the parser, with `tag`.
  Unnamed hand(std::uint64_t number, std::uint64_t tag);
  Unnamed hand_to_prober(std::uint64_t number, std::uint64_t tag);
  // Works as DebugFileSearch::open(). A file that is found is kept as `number` and passed on to the parser with that
  // tag.
  Unnamed open_debug(std::uint64_t number, std::uint64_t base, const DebugQuestion& question, unsigned& next,
                     std::string& why);
  // The number of the map as it is now, or of the held map of a process that is gone. 0: there is none.
  std::uint64_t open_perf_map(std::uint32_t tgid, std::uint64_t& size_bytes);
  // The present size of an open file.
  [[nodiscard]] std::optional<std::uint64_t> size_of(std::uint64_t number);
  // Call it when the map was read.
  void leave_perf_map(std::uint32_t tgid, std::uint64_t number);
  // What stat(2) says of a path that the user named. No value: the file system does not answer. `to_write`: the path is
  // also opened for writing.
  [[nodiscard]] std::optional<Children::Seen> look(const std::string& path, bool to_write);
  struct OpenedPath {
    Unnamed reason = Unnamed::no_answer;
    std::string why;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };
  OpenedPath open_path(std::uint64_t number, const std::string& path);
  // Works as open(), but waits for the answer.
  Unnamed open_now(const FileQuestion& question, FileStamp& stamp);

  // Says that reading the file got stuck.
  void distrust(std::uint64_t number);
  // Sets the way to a new parser or prober.
  void set_parser(Fd link) { set_way(OpenerCall::parser, std::move(link)); }
  void set_prober(Fd link) { set_way(OpenerCall::prober, std::move(link)); }

  // A number of our own; it is different from those of mapped files.
  [[nodiscard]] std::uint64_t new_number() { return first_own_number + own_numbers_++; }
  [[nodiscard]] int fd() const { return channel_.fd(); }
  // The opener has ended; nothing is opened any more.
  [[nodiscard]] bool is_gone() const { return channel_.is_gone(); }
  // All workers of the opener are stuck. Nothing is opened until one of them goes on.
  [[nodiscard]] bool is_exhausted() const { return is_exhausted_; }
  // The opener has said nothing for longer than any file system takes.
  [[nodiscard]] bool is_silent() const { return is_silent_; }
  [[nodiscard]] std::size_t unanswered() const { return unanswered_; }

 private:
  static constexpr std::uint64_t first_own_number = std::uint64_t{1} << 63;
  // Longer than the opener itself waits: by then the opener knows whose file got stuck.
  static constexpr std::chrono::milliseconds long_patience{1300};

  struct HeldMap {
    std::uint64_t number = 0;
    std::uint64_t size_bytes = 0;
    bool is_open = false;
    std::chrono::milliseconds patience{250};
    std::chrono::steady_clock::time_point ask_again;
  };
  [[nodiscard]] std::uint64_t open_perf_map_now(std::uint32_t tgid, std::uint64_t& size_bytes);
  void ask_for_maps();
  void ask_for_map(std::uint32_t tgid, HeldMap& map);

  [[nodiscard]] WireWriter question(OpenerCall call, std::uint64_t& id);
  [[nodiscard]] bool may_wait(std::chrono::milliseconds patience) const;
  void note_silence(std::chrono::milliseconds patience);
  void pump();
  void take(const Message& message);
  [[nodiscard]] std::optional<std::string> answer_of(std::uint64_t id, std::chrono::milliseconds patience);
  // The answer, if it comes in time.
  [[nodiscard]] std::optional<std::string> ask(const WireWriter& words, std::uint64_t id);
  void set_way(OpenerCall taker, Fd link);
  std::uint64_t send_open(const FileQuestion& question);
  Unnamed hand(OpenerCall call, std::uint64_t number, std::uint64_t tag);

  Channel channel_;
  pid_t process_ = 0;
  std::uint64_t ids_ = 0;
  std::uint64_t own_numbers_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> opening_;      // from question to number of file
  std::unordered_map<std::uint64_t, std::uint64_t> late_states_;  // likewise
  std::deque<FileAnswer> opened_;
  struct AskedMap {
    std::uint32_t tgid = 0;
    std::uint64_t number = 0;
  };
  std::map<std::uint32_t, HeldMap> held_maps_;              // by tgid
  std::unordered_map<std::uint64_t, AskedMap> asked_maps_;  // by question
  std::set<std::uint64_t> awaited_;
  std::map<std::uint64_t, std::string> answers_;  // by question, only for awaited_
  bool is_exhausted_ = false;
  bool is_late_ = false;    // a question that is worth only a short wait got no answer: the next such ones do not wait
  bool is_silent_ = false;  // it has not even said that a file does not answer: no question waits until it speaks
  std::size_t unanswered_ = 0;
};

}  // namespace profile
