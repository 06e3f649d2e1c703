// Names, and with --lines source positions, for the places of one file that wait for them, out of all that can be
// learnt of it.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "model/string_table.h"
#include "parse/file_reader.h"
#include "support/work_budget.h"
#include "symbol/symbol_cache.h"

namespace profile {

// "libc.so.6" of "/usr/lib/libc.so.6 (deleted)".
[[nodiscard]] std::string_view short_name(std::string_view path);

// What is remembered of one file.
struct FileAnswers {
  SymbolCache answers;
  StringId path = StringId::empty;      // empty until it has been looked at; as is
  StringId build_id = StringId::empty;  // which stays so for a file that has none
  std::vector<CodeSegment> code;
  RangeCache ranges;

  // Empty where the address is in none.
  [[nodiscard]] CodeSegment segment_of(ElfAddress address) const;
};

struct FileNameOptions {
  bool lines = false;
  bool ranges = false;  // fill FileAnswers::ranges and use it
};

// By path; why each was not read.
using UnreadSplits = std::map<std::string, std::string>;

class FileNames {
 public:
  // All must outlive this.
  FileNames(FileReader& reader, StringTable& strings, WorkBudget& budget, const FileNameOptions& options)
      : reader_(reader), strings_(strings), budget_(budget), options_(options) {}

  // After it none of `known.answers` is pending. When the budget is spent after it, what it answered is for now only:
  // another time the file may be read. Returns why the file could not be read at all, or `named`.
  Unnamed resolve(const FileRef& file, FileAnswers& known);
  // The same without reading: what is not known already is too_large.
  void recall(const FileRef& file, FileAnswers& known);
  // The same of the vDSO.
  void resolve_vdso(FileAnswers& known);
  // The same for a file that cannot be read.
  void give_up(std::string_view path, Unnamed reason, FileAnswers& known) const;
  // With lines: of all files so far.
  [[nodiscard]] const UnreadSplits& unread_splits() const { return unread_splits_; }

 private:
  using Ask = std::function<NamesOfFile(std::span<const FileOffset>)>;

  Unnamed resolve(std::string_view path, FileAnswers& known, const Ask& ask, const FileRef* file);
  [[nodiscard]] std::vector<KnownSymbol> places_of(const NamesOfFile& read, std::span<const FileOffset> asked,
                                                   std::span<const CodeOffset> places, RangeCache& ranges) const;
  void add_lines(const FileRef& file, std::span<const CodeOffset> places, std::span<const ElfAddress> addresses,
                 SymbolCache& answers);

  FileReader& reader_;
  StringTable& strings_;
  WorkBudget& budget_;
  FileNameOptions options_;
  UnreadSplits unread_splits_;
};

}  // namespace profile
