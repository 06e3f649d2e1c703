// The main process's side of the parser: asks it, hands it what it wants, watches it, and when it dies or hangs over a
// file, leaves that file and has another one started.
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
#include "parse/parser_calls.h"
#include "parse/wire.h"

namespace profile {

class Parser final : public FileReader {
 public:
  // All must outlive this. `fetcher`: a channel to the child that asks debuginfod, or null.
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

  // For probes. nullopt: it is no ELF file, or, by `failed`, reading it was given up.
  struct Searched {
    bool is_64bit = false;
    NameSearch found;
  };
  [[nodiscard]] std::optional<Searched> search(const FileRef& file, std::string_view name, std::uint64_t added,
                                               Unnamed& failed);
  [[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const FileRef& file);

  [[nodiscard]] std::optional<pid_t> pid() const { return pid_; }
  // Files that it died or hung over.
  [[nodiscard]] std::size_t given_up() const { return given_up_; }
  // Files whose names it could not demangle.
  [[nodiscard]] std::size_t left_plain() const { return plain_files_.size(); }
  // None could be started any more.
  [[nodiscard]] bool is_missing() const { return is_missing_; }
  // Starts one. False: none could be.
  bool start();

 private:
  enum class Ended : std::uint8_t { answered, died, stuck, too_long };
  struct Waited {
    Ended ended = Ended::died;
    bool has_begun = false;  // with the file that it was asked about
    bool is_demangling = false;
    std::string answer;
  };
  struct Terms {
    std::uint64_t most_ns = ChildWatch::most_running_ns;  // of a CPU
    bool may_be_plain = false;                            // names as the file spells them are better than no answer
  };

  [[nodiscard]] WireWriter question(ParserCall call, const FileRef& file) const;
  // Its answer, or nullopt and why in `failed`. `file`: the number of the file that the question is about, 0 for none.
  [[nodiscard]] std::optional<std::string> ask(const WireWriter& words, std::uint64_t file, Unnamed& failed,
                                               const Terms& terms);
  [[nodiscard]] Waited wait(std::uint64_t file, const Terms& terms);
  // What `answer` says of `asked` places, and what it cost; one that cannot be read costs the parser its life.
  template <class Answer>
  [[nodiscard]] Answer read_answer(const std::optional<std::string>& answer, Unnamed failed, WorkBudget& budget,
                                   std::optional<Answer> (*take)(WireReader&, std::size_t), std::size_t asked);
  void supply(WireReader& in, std::uint64_t file);
  void fetch(WireReader& in);
  void put_supplied(bool is_found, std::uint64_t number, unsigned next, std::string_view why);
  void say(ParserCall call);  // without more, and without an answer
  void give_up();
  void close_debug_files();

  Keeper& keeper_;
  Opener& opener_;
  Channel* fetcher_;
  std::optional<Channel> channel_;
  std::optional<pid_t> pid_;
  std::uint64_t at_file_ = 0;            // that it was asked about last, and may still have open
  std::set<std::uint64_t> debug_files_;  // numbers of those that it has got for that
  std::size_t given_up_ = 0;
  std::set<std::uint64_t> plain_files_;  // in which there is a name that is not to be demangled
  bool is_missing_ = false;
};

}  // namespace profile
