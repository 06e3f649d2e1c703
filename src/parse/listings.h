// The main process's side of showing code and sources. It uses opener and parser together.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parse/listing_reader.h"
#include "parse/opener.h"
#include "parse/parser.h"
#include "support/work_budget.h"

namespace profile {

class Listings final : public ListingReader {
 public:
  // Opener and parser must outlive this. `debug_directories`: the user's own.
  Listings(Opener& opener, Parser& parser, std::vector<std::string> debug_directories)
      : opener_(opener), parser_(parser), debug_directories_(std::move(debug_directories)) {}

  std::optional<FileRef> open(const std::string& path, const std::string& build_id, std::string& why) override;
  std::optional<FileRef> open_debug_file(const std::string& build_id) override;
  void close(const FileRef& file) override { opener_.close(file.number); }
  bool can_disassemble() const override;
  CodeOfFile code(const FileRef& file, std::span<const AddressRange> ranges) override;
  SourceOfFile script(const std::string& path, std::span<const LineRange> ranges,
                      std::int64_t& changed_unix_ns) override;
  SourceOfFile source(const FileRef& file, const std::string& path, std::span<const LineRange> ranges) override;

 private:
  // Opens `path` if it has that build-id. Afterwards `names` is what its parser said of it.
  std::optional<FileRef> open_build(const std::string& path, const std::string& build_id, NamesOfFile& names,
                                    std::string& why);

  Opener& opener_;
  Parser& parser_;
  std::vector<std::string> debug_directories_;
};

}  // namespace profile
