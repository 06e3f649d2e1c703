// Names the places of one file that wait for names, and with --lines finds their source positions. It uses all that can
// be learnt of the file.
#pragma once

#include <cstddef>
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

// "libc.so.6" for "/usr/lib/libc.so.6 (deleted)".
[[nodiscard]] std::string_view short_name(std::string_view path);

// What is remembered about one file.
struct FileAnswers {
  SymbolCache<CodeOffset> answers;
  StringId path = StringId::empty;      // empty until the file has been looked at
  StringId build_id = StringId::empty;  // likewise, and also empty when the file has none
  std::vector<CodeSegment> code;
  RangeCache ranges;
  std::size_t positions = 0;  // of the source, in all answers

  // How many things are remembered; several positions take as much memory as an answer.
  [[nodiscard]] std::size_t size() const { return answers.size() + ranges.size() + code.size() + positions / 8; }
  // The segment that holds `address`; empty when none does.
  [[nodiscard]] CodeSegment segment_of(ElfAddress address) const;
};

struct FileNameOptions {
  bool lines = false;
  bool ranges = false;  // fill FileAnswers::ranges and use it
};

class FileNames {
 public:
  // All arguments must outlive this.
  FileNames(FileReader& reader, StringTable& strings, WorkBudget& budget, const FileNameOptions& options)
      : reader_(reader), strings_(strings), budget_(budget), options_(options) {}

  // Afterwards none of `known.answers` is pending. If the budget is then spent, the answers are good only for now: the
  // file may be read another time. Returns why the file could not be read at all.
  FileFault resolve(const FileRef& file, FileAnswers& known);
  // The same without reading: a place that is not known already becomes too_large.
  void recall(const FileRef& file, FileAnswers& known);
  // The same for the vDSO.
  void resolve_vdso(FileAnswers& known);
  // The same for a file that cannot be read.
  void give_up(std::string_view path, FileFault fault, FileAnswers& known) const;
  // With --lines: a line for the user about the split files that could not be read, if there are any.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  using Ask = std::function<NamesOfFile(std::span<const FileOffset>)>;

  FileFault resolve(std::string_view path, FileAnswers& known, const Ask& ask, const FileRef* file);
  [[nodiscard]] std::vector<NameOfCode> places_of(const NamesOfFile& read, std::span<const FileOffset> asked,
                                                  std::span<const CodeOffset> places, RangeCache& ranges) const;
  void add_lines(const FileRef& file, std::span<const CodeOffset> places, std::span<const ElfAddress> addresses,
                 FileAnswers& known);

  FileReader& reader_;
  StringTable& strings_;
  WorkBudget& budget_;
  FileNameOptions options_;
  std::map<std::string, std::string> unread_splits_;  // why each was not read, by path
};

}  // namespace profile
