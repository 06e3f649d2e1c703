#include "parse/listings.h"

#include "parse/debug_file_search.h"
#include "parse/disassembler.h"

namespace profile {
namespace {

// For one question: a second or so.
constexpr std::uint64_t most_listing_steps = std::uint64_t{1} << 28;

}  // namespace

std::optional<FileRef> Listings::open(const std::string& path, const std::string& build_id, std::string& why) {
  if (build_id.empty()) {
    why = "its build-id was not recorded";
    return std::nullopt;
  }
  if (!path.starts_with('/')) {
    why = "its path was not recorded";
    return std::nullopt;
  }
  NamesOfFile names;
  const auto file = open_build(path, build_id, names, why);
  if (file || !why.empty()) return file;
  if (names.failed != FileFault::none) {
    why = "it cannot be read";
  } else if (names.code.empty() && names.build_id.empty()) {
    why = "it is no ELF file of this machine's kind";
  } else {
    why = names.build_id.empty() ? "it has no build-id now" : "it is another build than the one that ran";
  }
  return std::nullopt;
}

std::optional<FileRef> Listings::open_debug_file(const std::string& build_id) {
  for (const std::string& path : DebugFileSearch(debug_directories_).paths_of_build(build_id)) {
    NamesOfFile names;
    std::string why;
    auto file = open_build(path, build_id, names, why);
    if (!file) continue;
    if (names.code.empty()) {
      file->path = {};
      return file;
    }
    close(*file);  // it is the binary itself, under a name of a debug file
  }
  return std::nullopt;
}

std::optional<FileRef> Listings::open_build(const std::string& path, const std::string& build_id, NamesOfFile& names,
                                            std::string& why) {
  const FileRef file{.number = opener_.new_number(), .path = path, .mapped_by = {.own_mounts = true}};
  FileStamp stamp;
  why.clear();
  if (opener_.open_path(file.number, path, stamp, why) != FileFault::none) return std::nullopt;
  WorkBudget budget(most_listing_steps);
  names = parser_.names(file, {}, budget);
  if (names.failed == FileFault::none && names.build_id == build_id) return file;
  close(file);
  return std::nullopt;
}

bool Listings::can_disassemble() const { return Disassembler::is_loaded(); }

CodeOfFile Listings::code(const FileRef& file, std::span<const AddressRange> ranges) {
  WorkBudget budget(most_listing_steps);
  return parser_.code(file, ranges, budget);
}

SourceOfFile Listings::source(const FileRef& file, const std::string& path, std::span<const LineRange> ranges) {
  WorkBudget budget(most_listing_steps);
  return parser_.source(file, path, ranges, budget);
}

SourceOfFile Listings::script(const std::string& path, std::span<const LineRange> ranges,
                              std::int64_t& changed_unix_ns) {
  SourceOfFile read;
  const FileRef file{.number = opener_.new_number(), .path = path, .mapped_by = {.own_mounts = true}};
  FileStamp stamp;
  if (opener_.open_path(file.number, path, stamp, read.why, PathNamedBy::program) != FileFault::none) {
    if (read.why.empty()) read.why = "it is not there";
    return read;
  }
  changed_unix_ns = stamp.modified_ns;
  WorkBudget budget(most_listing_steps);
  read = parser_.text(file, ranges, budget);
  close(file);
  return read;
}

}  // namespace profile
