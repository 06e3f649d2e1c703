// Names, and with --lines source positions, for the places of one file that wait for them, out of all that can be
// learnt of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/string_table.h"
#include "symbol/answers.h"
#include "symbol/debug_files.h"
#include "symbol/file_symbols.h"
#include "symbol/known_ranges.h"

namespace profile {

// Demangles each spelling once: neighbouring addresses share their symbol, and so do files.
class Demangler {
 public:
  explicit Demangler(StringTable& strings) : strings_(strings) {}
  StringId operator()(std::string_view raw);

 private:
  StringTable& strings_;
  std::unordered_map<std::string, StringId> known_;
};

// "libc.so.6" of "/usr/lib/libc.so.6 (deleted)".
[[nodiscard]] std::string_view short_name(std::string_view path);

// What is remembered of one file.
struct FileAnswers {
  Answers answers;
  StringId path = StringId::empty;      // empty until it has been looked at; as is
  StringId build_id = StringId::empty;  // which stays so for a file that has none
  KnownRanges ranges;
};

struct FileNameOptions {
  bool lines = false;
  bool ranges = false;  // fill FileAnswers::ranges and use it
};

class FileNames {
 public:
  // All must outlive this.
  FileNames(DebugFiles& debug_files, StringTable& strings, WorkBudget& budget, const FileNameOptions& options)
      : debug_files_(debug_files), strings_(strings), budget_(budget), options_(options) {}

  // After it none of `known.answers` is pending. The file is open as `fd`; a process saw it as `path`. When the budget
  // is spent after it, what it answered is for now only: another time the file may be read.
  void resolve(int fd, std::string_view path, FileAnswers& known) const;
  // The same for a file that cannot be read.
  void give_up(std::string_view path, Unnamed reason, FileAnswers& known) const;

 private:
  [[nodiscard]] std::vector<KnownPlace> read(FileSymbols& file, std::span<const Place> places, KnownRanges& ranges,
                                             Demangler& demangled) const;
  void add_lines(FileSymbols& file, std::span<const Place> places, std::span<const ElfAddress> addresses,
                 Answers& answers, Demangler& demangled) const;

  DebugFiles& debug_files_;
  StringTable& strings_;
  WorkBudget& budget_;
  FileNameOptions options_;
};

}  // namespace profile
