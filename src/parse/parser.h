// The main process's side of the parser: it asks the parser, gives it the files that it wants, and watches it. When the
// parser dies or hangs over a file, this leaves that file and has another parser started.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parse/channel.h"
#include "parse/child_watch.h"
#include "parse/file_probes.h"
#include "parse/file_reader.h"
#include "parse/keeper.h"
#include "parse/opener.h"
#include "parse/wire.h"

namespace profile {

class Parser final : public FileReader {
 public:
  // All arguments must outlive this. `fetcher`: a channel to the child that asks debuginfod, or null.
  Parser(Keeper& keeper, Opener& opener, Channel* fetcher);

  NamesOfFile names(const FileRef& file, std::span<const FileOffset> offsets, WorkBudget& budget) override;
  LinesOfFile lines(const FileRef& file, std::span<const ElfAddress> addresses, WorkBudget& budget) override;
  UnwindOfFile unwind_table(const FileRef& file, WorkBudget& budget) override;
  NamesOfFile vdso_names(std::span<const FileOffset> offsets) override;
  JitMapRef jit_dump(std::uint64_t number) override;
  JitMapRef perf_map_of(std::uint32_t tgid) override;
  NamesOfJit jit_names(std::uint32_t tgid, const JitMapRef& map, std::span<const RuntimeAddress> addresses,
                       WorkBudget& budget) override;
  std::vector<std::string> demangled(std::span<const std::string> names) override;
  void rest() override;

  // For probes. nullopt: it is no ELF file, or reading it was given up; `failed` says which.
  struct Searched {
    bool is_64bit = false;
    NameSearch found;
  };
  [[nodiscard]] std::optional<Searched> search(const FileRef& file, std::string_view name, std::uint64_t added,
                                               Unnamed& failed);
  [[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const FileRef& file);

  [[nodiscard]] std::optional<pid_t> pid() const { return pid_; }
  // How many times a question was given up, because the parser died, hung or took too long.
  [[nodiscard]] std::size_t given_up() const { return given_up_; }
  // How many files have names that it could not demangle.
  [[nodiscard]] std::size_t left_plain() const { return plain_files_.size(); }
  // No parser could be started any more.
  [[nodiscard]] bool is_missing() const { return is_missing_; }
  // Starts a parser. False: it could not be started.
  bool start();

 private:
  enum class Ended : std::uint8_t { answered, died, stuck, too_long };
  struct Waited {
    Ended ended = Ended::died;
    bool has_begun = false;  // it holds the file that it was asked about
    bool is_demangling = false;
    std::string answer;
  };
  struct AnswerLimits {
    std::uint64_t most_ns = ChildWatch::most_running_ns;  // time on a CPU
    bool may_be_plain = false;                            // names as the file spells them are better than no answer
  };

  // The parser's answer, or nullopt and the reason in `failed`. `file`: the number of the file in question, 0 for none.
  [[nodiscard]] std::optional<std::string> ask(std::string_view words, std::uint64_t file, Unnamed& failed,
                                               const AnswerLimits& limits);
  [[nodiscard]] Waited wait(std::uint64_t file, const AnswerLimits& limits);
  // Asks as ask() does, reads the answer, which is about `asked` places, with `take`, and takes its cost from `budget`.
  // If the answer cannot be read, the parser is killed.
  template <class Answer>
  [[nodiscard]] Answer answer_to(std::string_view words, std::uint64_t file, const AnswerLimits& limits,
                                 WorkBudget& budget, std::optional<Answer> (*take)(WireReader&, std::size_t),
                                 std::size_t asked);
  void supply(WireReader& in, std::uint64_t file);
  void fetch(WireReader& in);
  void give_up();
  void close_debug_files();

  Keeper& keeper_;
  Opener& opener_;
  Channel* fetcher_;
  std::optional<Channel> channel_;
  std::optional<pid_t> pid_;
  std::uint64_t at_file_ = 0;            // the file that it was asked about last and may still have open
  std::set<std::uint64_t> debug_files_;  // numbers of the debug files that it got for at_file_
  std::size_t given_up_ = 0;
  std::set<std::uint64_t> plain_files_;  // files with a name that cannot be demangled
  bool is_missing_ = false;
};

}  // namespace profile
