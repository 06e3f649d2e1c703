// The main process's side of showing code and sources. It uses opener and parser together.
#pragma once

#include <span>
#include <string>

#include "parse/listing_reader.h"
#include "parse/opener.h"
#include "parse/parser.h"
#include "support/work_budget.h"

namespace profile {

class Listings final : public ListingReader {
 public:
  // Both must outlive this.
  Listings(Opener& opener, Parser& parser) : opener_(opener), parser_(parser) {}

  std::optional<FileRef> open(const std::string& path, const std::string& build_id, std::string& why) override;
  void close(const FileRef& file) override { opener_.close(file.number); }
  bool can_disassemble() const override;
  CodeOfFile code(const FileRef& file, std::span<const AddressRange> ranges) override;
  SourceOfFile source(const FileRef& file, const std::string& path, std::span<const LineRange> ranges) override;

 private:
  Opener& opener_;
  Parser& parser_;
};

}  // namespace profile
