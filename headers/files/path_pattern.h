// A path that names many files: `cpu-%Y%m%d-%H%M%S.pb.gz`, a file for each report by the time it is about, or
// `frames/flamegraph%04d.png`, by a running number. Says which names it can have made, too, so that old ones are found
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

class PathPattern {
 public:
  // Throws a usage Error for what stands behind a % and means nothing; `option` is what the error names.
  //   %Y %m %d %H %M %S ...  as strftime has it, in local time: the table in path_pattern.cpp
  //   %4d, %04d              the running number from 1, with zeros in front
  //   %%                     a percent sign
  explicit PathPattern(std::string text, std::string_view option = "-o");

  // Whether it names more than one file.
  [[nodiscard]] bool is_pattern() const { return is_timed_ || is_numbered_; }
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  [[nodiscard]] bool is_numbered() const { return is_numbered_; }
  // Whether the directory is not always the same.
  [[nodiscard]] bool directory_varies() const;
  // The levels of it that are always the same, with the last slash; empty when there are none.
  [[nodiscard]] std::string fixed_directory() const;
  [[nodiscard]] const std::string& text() const { return text_; }

  struct Path {
    std::string directory;  // "." where none is named
    std::string name;
    [[nodiscard]] std::string whole() const;
  };
  // The file of a report that begins at `unix_ns` and is the `number`th. `again` above 1 is put in front of the ending,
  // for a name that is taken: "cpu-1200~2.pb.gz".
  [[nodiscard]] Path expand(std::uint64_t unix_ns, std::uint64_t number, std::uint64_t again = 1) const;
  // Whether a file in its directory may have this name because of it, with or without `again`.
  [[nodiscard]] bool matches(std::string_view name) const;

 private:
  enum class Kind : std::uint8_t { literal, time, number };
  struct Part {
    Kind kind;
    std::string text;       // of a literal; of a time its letter
    std::size_t width = 0;  // of a number
  };
  // What one character of a name may be, or several of its kind.
  struct NamePart {
    char kind;   // as in the table of conversions
    char value;  // of a literal
    bool repeats;
  };

  void add_literal(char character);
  [[nodiscard]] std::size_t add_conversion(std::size_t percent, std::string_view option);
  void note_places();
  [[nodiscard]] static std::string expanded(const std::vector<Part>& parts, std::uint64_t unix_ns,
                                            std::uint64_t number);

  std::string text_;
  std::vector<Part> directory_;   // with the last slash
  std::vector<Part> name_;        // up to its ending
  std::string ending_;            // ".pb.gz"
  std::vector<NamePart> places_;  // of name_
  bool is_timed_ = false;
  bool is_numbered_ = false;
};

}  // namespace profile
