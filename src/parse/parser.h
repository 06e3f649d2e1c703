// The main process's side of reading files: it asks a parser, and when the parser dies or hangs over a file, it leaves
// that file and starts another parser. Each owner of files has a parser of its own, so that one who has taken over a
// parser learns and falsifies nothing of the others.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "children/channel.h"
#include "children/keeper.h"
#include "children/wire.h"
#include "parse/ended_parsers.h"
#include "parse/file_probes.h"
#include "parse/file_reader.h"
#include "parse/listing_reader.h"
#include "parse/opener.h"
#include "parse/parser_link.h"
#include "support/deadline.h"
#include "support/effort.h"

namespace profile {

class Parser final : public FileReader {
 public:
  // All arguments must outlive this. `fetcher`: may be null.
  Parser(Keeper& keeper, Opener& opener, Fetcher* fetcher);

  NamesOfFile names(const FileRef& file, std::span<const FileOffset> offsets, WorkBudget& budget) override;
  NamesOfFile data_names(const FileRef& file, std::span<const ElfAddress> addresses, WorkBudget& budget) override;
  LinesOfFile lines(const FileRef& file, std::span<const ElfAddress> addresses, WorkBudget& budget) override;
  UnwindOfFile unwind_table(const FileRef& file, WorkBudget& budget) override;
  NamesOfFile vdso_names(std::span<const FileOffset> offsets) override;
  JitMapRef jit_dump(FileNumber number) override;
  JitMapRef perf_map_of(std::uint32_t tgid, std::optional<std::uint32_t> last_user) override;
  NamesOfJit jit_names(std::uint32_t tgid, const JitMapRef& map, std::span<const RuntimeAddress> addresses,
                       WorkBudget& budget) override;
  std::vector<std::string> demangled(std::span<const std::string> names) override;
  void release_files() override;
  void set_meanwhile(const std::function<void()>& meanwhile) override { meanwhile_ = meanwhile; }

  // For probes. nullopt: it is no ELF file, or reading it was given up; `failed` says which.
  struct Searched {
    bool is_64bit = false;
    NameSearch found;
  };
  [[nodiscard]] std::optional<Searched> search(const FileRef& file, std::string_view name, std::uint64_t added,
                                               FileFault& failed);
  [[nodiscard]] std::vector<AllocatorFunction> allocator_functions(const FileRef& file);
  // As in ListingReader.
  [[nodiscard]] CodeOfFile code(const FileRef& file, std::span<const AddressRange> ranges, WorkBudget& budget);
  [[nodiscard]] SourceOfFile source(const FileRef& file, const std::string& path, std::span<const LineRange> ranges,
                                    WorkBudget& budget);
  // Lines of a file that is a text itself.
  [[nodiscard]] SourceOfFile text(const FileRef& file, std::span<const LineRange> ranges, WorkBudget& budget);

  // How many times a question was given up, because the parser died, hung, took too long or broke the rules, and the
  // paths of some of the files.
  [[nodiscard]] std::size_t given_up() const { return given_up_; }
  [[nodiscard]] const std::set<std::string>& given_up_paths() const { return given_up_paths_; }
  // How many files have names that it could not demangle.
  [[nodiscard]] std::size_t left_plain() const { return plain_files_.size(); }
  // The last parser that was needed could not be started.
  [[nodiscard]] bool is_missing() const { return is_missing_; }
  // Starts the parser of root's files. False: it could not be started.
  bool start() { return running_for(0) != nullptr; }

 private:
  struct Place {
    ParserLink link;
    std::uint64_t owner = 0;
    std::uint64_t last_use = 0;  // 0: never used
  };
  // The file of a question, if it is about one.
  struct AskedFile {
    FileNumber number = FileNumber::none;
    std::string_view path;
    FileKind kind = FileKind::elf;
  };

  // The parser's answer, or nullopt and the reason in `failed`.
  [[nodiscard]] std::optional<std::string> ask(std::string_view words, const AskedFile& file, FileFault& failed,
                                               const AnswerLimits& limits);
  // Asks as ask() does, reads the answer, which is about `asked` places, with `take`, and takes its cost from `budget`:
  // all of it when the question was given up. If the answer cannot be read, the parser is killed.
  template <class Answer>
  [[nodiscard]] Answer answer_to(std::string_view words, const AskedFile& file, const AnswerLimits& limits,
                                 WorkBudget& budget, std::optional<Answer> (*take)(WireReader&, std::size_t),
                                 std::size_t asked);
  // Asks as ask() does. No budget comes with a question for probes, so each user has one for all of them.
  [[nodiscard]] std::optional<std::string> ask_for_probes(std::string_view words, const FileRef& file,
                                                          FileFault& failed, const AnswerLimits& limits);
  // A parser that runs and reads only files of this owner. Null: none can be started.
  [[nodiscard]] ParserLink* running_for(std::uint64_t owner);
  // The file has ended a parser. `is_stuck`: by waiting for its file system.
  void blame(const AskedFile& file, bool is_stuck);

  Keeper& keeper_;
  Opener& opener_;
  Fetcher* fetcher_;
  std::deque<Place> places_;  // at most most_parsers
  std::uint64_t uses_ = 0;
  EndedParsers ended_;
  OwnerAllowances probing_;
  std::size_t given_up_ = 0;
  std::set<std::string> given_up_paths_;
  std::set<FileNumber> plain_files_;  // files with a name that cannot be demangled
  std::function<void()> meanwhile_;
  std::uint64_t took_ns_ = 0;  // what the last question is charged for, of all attempts together
  bool is_missing_ = false;
  Deadline start_again_{std::chrono::milliseconds(0)};
  std::chrono::milliseconds pause_before_start_{1000};
};

}  // namespace profile
