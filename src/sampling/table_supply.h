// Answers the BPF program when its walk has met a file for the first time: has the file's table made while sampling
// goes on, and puts it where the walk finds it. Only files that a sample has met are read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "abi/walk.h"
#include "parse/file_reader.h"
#include "process/timeline.h"
#include "sampling/recent_map.h"
#include "sampling/walk_tables.h"
#include "support/effort.h"

namespace profile {

class CodeFile;
class ScriptProgram;
class WorkBudget;

class TableSupply {
 public:
  // Both arguments must outlive it.
  TableSupply(bpf_object& object, FileReader& reader);

  // The table of an interpreter is not there for walks before `program`, which must outlive this object, shows the
  // functions of its scripts.
  void begin_without_scripts(ScriptProgram& program) { script_program_ = &program; }

  void ask(const ring_file& question);
  // True if a file waits for its table: at most some two seconds for the file to be opened, and then for the program
  // that shows functions of its scripts.
  [[nodiscard]] bool is_asked() const { return !asked_.empty() || are_copies_new_ || !held_.empty(); }
  // Answers the questions that it can answer within 5 ms, beginning with the file that walks have met most often. A
  // very large file alone takes some tens of ms.
  void supply(ProcessTimeline& timeline);

  // Call it when the stacks sent in that generation have been cleared. Now and then it removes the tables of files that
  // walks do not meet any more.
  void note_drained(std::uint32_t generation);

  // Answers questions until `work` is spent. `may_wait`: it first waits until the files of the questions are open or
  // given up.
  void hurry(ProcessTimeline& timeline, bool may_wait, WorkBudget& work);

  // Has the tables of the interpreters made that the process has mapped, before a sample meets them. It takes some ten
  // milliseconds for the first process of an interpreter.
  void expect_scripts(ProcessTimeline& timeline, std::uint32_t tgid);

  // Of the interpreters whose tables were made.
  [[nodiscard]] std::vector<script_language> languages() const { return tables_.languages(); }
  // Lines for the summary about tables that were not made, and about interpreters whose scripts cannot be shown.
  [[nodiscard]] std::vector<std::string> notes() const;

  // The rest is for walks in user space. changes() counts the files that got their table, or the answer that they have
  // none.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  // What the BPF programs know of a file (null: of the vDSO); WALK_FILE_ASKED: nothing yet.
  [[nodiscard]] walk_file known(const CodeFile* file) const;
  // Has the table made for a file that the BPF programs have not asked for. It is mapped at `address` in process `tgid`
  // at `time_ns`.
  void want(const CodeFile& file, std::uint32_t tgid, std::uint64_t time_ns, std::uint64_t address);
  // A walk has met `file`, under `key`, at `address` in process `tgid` at `time_ns`. This replaces the BPF program's
  // question, which has no answer if the timeline does not know the program where the file was first met.
  void was_met(const walk_file_key& key, const CodeFile& file, std::uint32_t tgid, std::uint64_t time_ns,
               std::uint64_t address);
  // True if `key` is known to be the file's key.
  [[nodiscard]] bool is_known_as(const CodeFile& file, const walk_file_key& key) const;
  // Of an interpreter, by walk_file::layout.
  [[nodiscard]] script_language language_of(std::uint32_t layout) const { return tables_.language_of(layout); }
  // As WalkedCode::slab(). Call release() when no more are needed for now.
  [[nodiscard]] const char* slab(std::uint32_t number) { return tables_.slab(number); }
  void release() { tables_.unmap(); }

 private:
  struct Asked {
    ring_file question{};
    std::uint64_t since_ns = 0;
  };
  // Null: there is no question for this key. Valid until the next question.
  [[nodiscard]] Asked* asked_for(const walk_file_key& key);
  // True when the question is done and can be removed.
  bool answer(const Asked& asked, ProcessTimeline& timeline);
  [[nodiscard]] bool is_surely(const walk_file_key& key, const CodeFile& file);
  void answer_while(const std::function<bool()>& may_go_on, ProcessTimeline& timeline);
  void give_up(const walk_file_key& key);
  void make(const walk_file_key& key, const FileRef& file, std::uint64_t owner);
  // A table that was made, and waits for the program that shows functions of scripts.
  struct Held {
    walk_file_key key{};
    UnwindOfFile made;
    WalkTables::Of of;
  };
  void begin_script_program(std::string_view path);
  [[nodiscard]] bool is_held(const walk_file_key& key) const;
  // Gives the tables to walks that wait for the program, if it has come or if `at_once`.
  void hand_over_held(bool at_once);
  void hand_over(const walk_file_key& key, const UnwindOfFile& made, const WalkTables::Of& of);
  void note_costly(FileNumber number);
  void note_interpreter(std::string_view path, const Interpreter& interpreter);
  // Walks do without the table, for ever or until it is asked for again.
  void refuse(const walk_file_key& key, const WalkTables::Of& of);
  void refuse_for(std::uint64_t delay_ns, const walk_file_key& key, const WalkTables::Of& of);
  void refuse_for_longer(const walk_file_key& key, const WalkTables::Of& of);
  // Has files asked for again whose time has come.
  void try_again();
  // Has tables made again that came from the parser of another owner.
  void forget_replaced(ProcessTimeline& timeline);
  struct Copy {
    CodeCopy at;
    std::uint64_t until_ns = 0;            // until then its file's table is expected at any moment
    FileNumber number = FileNumber::none;  // of its file
    std::optional<walk_file_key> told_as;  // the file's key when walks were told
  };
  // Tells the walks of copied code whose file is known, and again when they know that file by another key.
  void tell_copies(ProcessTimeline& timeline);
  // False: there is no copy any more.
  bool tell(Copy& copy, std::uint64_t now_ns, ProcessTimeline& timeline);
  [[nodiscard]] bool is_told(const Copy& copy) const;
  void sort_by_need();

  FileReader& reader_;
  WalkTables tables_;
  OwnerEfforts effort_;
  std::vector<Asked> asked_;
  std::uint64_t sorted_until_ns_ = 0;  // when they are sorted again; 0: one was added
  // CodeFile::number of files on an overlay, which the timeline knows by another device and inode than the walk.
  RecentMap<walk_file_key, FileNumber, WalkFileOrder> other_numbers_;
  RecentMap<walk_file_key, std::uint32_t, WalkFileOrder> tries_;  // of files that could not be opened or read
  std::vector<Copy> copies_;                                      // of the processes that live
  std::uint64_t copies_due_ns_ = 0;                               // when all of them are looked at again
  std::uint64_t copies_noted_ = 0;                                // as ProcessTimeline::copies_since()
  bool are_copies_new_ = false;                                   // some of them wait for the tables of their files
  ScriptProgram* script_program_ = nullptr;                       // null: the program shows functions of scripts
  std::vector<Held> held_;
  std::multimap<std::uint64_t, walk_file_key> again_;  // files that are refused until then (CLOCK_MONOTONIC)
  std::map<std::string, Interpreter> unshown_;         // interpreters without a layout, by path
  std::uint32_t languages_ = 0;                        // walk_config::languages
  std::set<FileNumber> costly_;                        // files without a table for their cost, by number
  std::uint64_t changes_ = 0;
  std::uint64_t spent_steps_ = 0;  // of WorkBudget, for all files
  std::uint64_t swept_ns_ = 0;
};

}  // namespace profile
