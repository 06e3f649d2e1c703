// Reads the lines, the source and the code of functions in a profile, whenever it was recorded. It takes a file only if
// its build-id is the recorded one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/listing.h"
#include "model/profile.h"
#include "parse/listing_reader.h"

namespace profile {

class FileReader;

class SourceReader {
 public:
  // Both must outlive this.
  SourceReader(FileReader& reader, ListingReader& listings) : reader_(reader), listings_(listings) {}
  ~SourceReader();
  SourceReader(const SourceReader&) = delete;
  SourceReader& operator=(const SourceReader&) = delete;

  // Names the functions that had no symbol, in files that are here as they ran, or whose debug files are.
  void add_names(Profile& profile);
  // Gives frames in files the lines and inlined functions that these files, or their debug files, tell now. Others keep
  // what they have.
  void add_lines(Profile& profile);

  enum class Extent : std::uint8_t {
    whole,  // all lines of the function that have code, and what lies between
    near    // only lines and instructions near those with a value
  };
  // Fills in the texts of the lines and the instructions of functions of `profile`. Each file is read once for all.
  void complete(const Profile& profile, std::span<FunctionListing> functions, Extent extent);

  // Lines for the user about what could not be read.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  // Path and build-id.
  using FileKey = std::pair<std::string, std::string>;
  struct OpenedFile {
    std::string path;
    std::optional<FileRef> ref;  // not set: `why`
    std::string why;
    bool is_debug_file_sought = false;
    std::optional<FileRef> debug_ref;  // instead of `ref`
    std::set<std::string> sources;     // paths that its debug information has named
  };
  struct Place;
  struct Code;
  // Lines of a function that have code: by path.
  using LinesOfCode = std::map<std::string, std::set<std::uint32_t>>;

  OpenedFile& file_of(const Profile& profile, BinaryId binary);
  [[nodiscard]] LinesOfFile lines(OpenedFile& file, std::span<const ElfAddress> addresses);
  // The file itself, or else its debug file; nullptr: neither is here.
  [[nodiscard]] const FileRef* file_with_names(OpenedFile& file, const Profile& profile, BinaryId binary);
  [[nodiscard]] static FileOffset place_in(const OpenedFile& file, const Profile& profile, FrameId frame);
  void add_names(Profile& profile, const OpenedFile& file, const FileRef& named, std::span<const FrameId> frames);
  void add_lines(Profile& profile, OpenedFile& file, const FileRef& named, std::span<const FrameId> frames);
  // `with_code` belongs to the functions.
  void add_code(OpenedFile& file, std::span<const Place> places, std::span<FunctionListing> functions,
                std::vector<LinesOfCode>& with_code, Extent extent);
  // Adds the names of functions that calls and jumps lead to.
  void name_targets(OpenedFile& file, std::span<const CodeSegment> segments, std::map<AddressRange, CodeOfFile>& codes);
  void add_text(ListedFile& file, const std::set<std::uint32_t>& with_code, Extent extent);
  // `ended_unix_ns`: of the run; 0: not known.
  void add_script_text(ListedFile& file, const FunctionListing& function, Extent extent, std::uint64_t ended_unix_ns);

  FileReader& reader_;
  ListingReader& listings_;
  std::map<FileKey, OpenedFile> files_;
};

}  // namespace profile
