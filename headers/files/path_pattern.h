// A path that names many files: `cpu-%Y%m%d-%H%M%S.pb.gz`, one for each report by its time, or
// `frames/flamegraph%04d.png`, by a running number. It also recognises the names that it can have made, so that old
// files are found again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

class PathPattern {
 public:
  // Throws a usage Error, which names `option`, for an unknown conversion after a %.
  //   %Y %m %d %H %M %S ...  as strftime has it, in local time: the table in path_pattern.cpp
  //   %4d, %04d              the running number from 1, with zeros in front
  //   %%                     a percent sign
  explicit PathPattern(std::string text, std::string_view option = "-o");

  // Whether it names more than one file.
  [[nodiscard]] bool is_pattern() const { return is_timed_ || is_numbered_; }
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  [[nodiscard]] bool is_numbered() const { return is_numbered_; }
  // Whether the directory depends on the time or the number.
  [[nodiscard]] bool directory_varies() const;
  // The first levels of the directory, which are always the same, with the last slash; empty when there are none.
  [[nodiscard]] std::string fixed_directory() const;
  [[nodiscard]] const std::string& text() const { return text_; }

  struct Path {
    std::string directory;  // "." where none is named
    std::string name;
    [[nodiscard]] std::string whole() const;
  };
  // The path of the `number`th report, which begins at `unix_ns`. `again` above 1 goes before the ending, for a name
  // that is taken: "cpu-1200~2.pb.gz".
  [[nodiscard]] Path expand(std::uint64_t unix_ns, std::uint64_t number, std::uint64_t again = 1) const;
  // Whether this pattern can have made a file of this name in its directory, with or without `again`.
  [[nodiscard]] bool matches(std::string_view name) const;

 private:
  enum class Kind : std::uint8_t { literal, time, number };
  struct Part {
    Kind kind;
    std::string text;       // the literal, or the letter of the time conversion
    std::size_t width = 0;  // of a number
  };
  // The characters that are possible at one place of a name: one character, or several of one kind.
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
