// Answers the kernel side when its walk has met a file for the first time: has the file's table made, beside the
// sampling, and puts it where the walk finds it. Only files that a sample has met are read.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "abi/walk.h"
#include "parse/file_reader.h"
#include "sampling/walk_tables.h"

namespace profile {

class CodeFile;
class ProcessTimeline;
class WorkBudget;

class TableSupply {
 public:
  // Both must outlive it.
  TableSupply(bpf_object& object, FileReader& reader) : reader_(reader), tables_(object) {}

  void ask(const ring_file& question);
  // Whether any file waits. Who waits for its file to be opened does so for a second or two at most.
  [[nodiscard]] bool is_asked() const { return !asked_.empty(); }
  // Answers what can be answered within 5 ms, the most met first; a very large file alone takes some tens of ms.
  void supply(ProcessTimeline& timeline);

  // What was sent in that generation has been cleared. Now and then tables of files that are not met any more go.
  void note_drained(std::uint32_t generation);
  [[nodiscard]] std::uint64_t size_bytes() const { return tables_.size_bytes(); }

  // Answers with so much work. `may_wait`: until the files are open for which somebody waits, or are given up.
  void hurry(ProcessTimeline& timeline, bool may_wait, WorkBudget& work);

  // For who walks in user space. How often a file has got its table, or the word that it will have none.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  // What the kernel side knows of a file (null: of the vDSO); WALK_FILE_ASKED: nothing yet.
  [[nodiscard]] walk_file known(const CodeFile* file) const;
  // Has the table made of a file of which the kernel side has not asked: it is mapped at `address` of `tgid` at that
  // time.
  void want(const CodeFile& file, std::uint32_t tgid, std::uint64_t time_ns, std::uint64_t address);
  // The walk has met the file of that key at `address` of `tgid` at that time, and here it is. Where it was met first
  // may be a program that nobody has seen start, and then its question has no answer.
  void was_met(const walk_file_key& key, const CodeFile& file, std::uint32_t tgid, std::uint64_t time_ns,
               std::uint64_t address);
  // Whether that is the file's key.
  [[nodiscard]] bool is_known_as(const CodeFile& file, const walk_file_key& key) const;
  // As WalkedCode::slab().
  [[nodiscard]] const char* slab(std::uint32_t number) const { return tables_.slab(number); }

 private:
  struct Asked {
    ring_file question{};
    std::uint64_t since_ns = 0;
  };
  // Null: nobody has asked. Valid until the next question.
  [[nodiscard]] Asked* asked_for(const walk_file_key& key);
  // True when there is nothing more to be done about it for now.
  bool answer(const Asked& asked, ProcessTimeline& timeline);
  [[nodiscard]] bool is_surely(const walk_file_key& key, const CodeFile& file);
  void answer_while(const std::function<bool()>& may_go_on, ProcessTimeline& timeline);
  void give_up(const walk_file_key& key);
  void make(const walk_file_key& key, const FileRef& file);
  void refuse(const walk_file_key& key, std::uint64_t number);
  void note_key(std::uint64_t number, const walk_file_key& key);
  void sort_by_need();

  FileReader& reader_;
  WalkTables tables_;
  std::vector<Asked> asked_;
  // CodeFile::number of files that the timeline knows under another number than the walk, as of an overlay.
  std::map<walk_file_key, std::uint64_t, WalkFileOrder> other_numbers_;
  std::map<walk_file_key, std::uint32_t, WalkFileOrder> tries_;  // of files that could not be opened
  std::map<std::uint64_t, walk_file_key> keys_;                  // by CodeFile::number, of files that were answered
  std::uint64_t changes_ = 0;
  std::uint64_t spent_steps_ = 0;  // of WorkBudget, by all files
  std::uint64_t swept_ns_ = 0;
};

}  // namespace profile
