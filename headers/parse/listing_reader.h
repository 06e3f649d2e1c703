// The interface to the code and the source of a file: what is shown of a function. Our children open and read the
// files, as they do with all untrusted files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/address.h"
#include "parse/file_reader.h"

namespace profile {

struct AddressRange {
  ElfAddress start;
  ElfAddress limit;  // behind its last byte
  friend auto operator<=>(const AddressRange&, const AddressRange&) = default;
};

struct Instruction {
  ElfAddress address;
  std::uint32_t size_bytes = 0;
  std::string text;
};

struct CodeOfFile {
  FileFault failed = FileFault::none;     // otherwise there is no answer; this says why
  std::vector<Instruction> instructions;  // of one range after the other
  bool is_cut = false;                    // there are more than `most_instructions`
};
inline constexpr std::size_t most_instructions = 50'000;

struct LineRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct SourceOfFile {
  FileFault failed = FileFault::none;
  std::string why;                 // why it was not read; empty: it was
  bool is_newer = false;           // it was changed after the binary was made
  std::vector<std::string> lines;  // of one range after the other; those behind the end of the file are missing
};
inline constexpr std::size_t most_source_lines = 20'000;
inline constexpr std::size_t most_source_line_bytes = 400;  // a longer line is cut

class ListingReader {
 public:
  virtual ~ListingReader() = default;
  // Opens the file with code at `path`, as we see it. Whoever knows its build-id, in lower-case hex, knows its content,
  // so no other right to read it is asked for. nullopt: `why` says why not. `path` must outlive the result.
  [[nodiscard]] virtual std::optional<FileRef> open(const std::string& path, const std::string& build_id,
                                                    std::string& why) = 0;
  // Opens the debug file of that build from the directories of debug files, for a binary that is not here. It has
  // names and lines, but no code; see FileReader::names(). Its path is "", so that it outlives the result.
  [[nodiscard]] virtual std::optional<FileRef> open_debug_file(const std::string& build_id) = 0;
  virtual void close(const FileRef& file) = 0;
  // Whether the library that disassembles is there.
  [[nodiscard]] virtual bool can_disassemble() const = 0;
  [[nodiscard]] virtual CodeOfFile code(const FileRef& file, std::span<const AddressRange> ranges) = 0;
  // Lines of a source file that the debug information of `file` names. It is opened if everyone may read it; or if the
  // owner of `file` may, and the path leads there without a link: anyone may have made that. `ranges` ascend and do not
  // overlap.
  [[nodiscard]] virtual SourceOfFile source(const FileRef& file, const std::string& path,
                                            std::span<const LineRange> ranges) = 0;
  // Lines of a script, as it is at `path` now. Root opens it only if everyone may read it. `changed_unix_ns`: becomes
  // the time of its last change.
  [[nodiscard]] virtual SourceOfFile script(const std::string& path, std::span<const LineRange> ranges,
                                            std::int64_t& changed_unix_ns) = 0;
};

}  // namespace profile
