// The functions of scripts whose frames the BPF programs send as numbers: what each number stands for. The names come
// once, before the first stack that has them.
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/script.h"
#include "model/profile.h"

namespace profile {

// The text in UTF-8. What is not a character becomes U+FFFD.
[[nodiscard]] std::string utf8_of(const script_text& text, const char* characters);

class ScriptNames {
 public:
  // Without maps of a kernel.
  ScriptNames() = default;
  // `object` must be prepared and loaded, and outlive this. Without the maps for scripts this stays empty.
  explicit ScriptNames(bpf_object& object);

  [[nodiscard]] static bool is_script(std::uint64_t word) { return (word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME; }
  // Whether the words of frames have positions. The constructor that takes an object has found it there.
  void set_lines(bool wanted) { has_lines_ = wanted; }
  void keep(const ring_name& name);
  // `bytes`: of the whole record.
  void keep(const ring_lines& lines, std::size_t bytes);
  // The frame in `profile` for the word of a stack. Without a name if that was lost.
  [[nodiscard]] FrameId frame(Profile& profile, ProcessId space, std::uint64_t word) const;
  // Call it when no samples are under way that were counted before: makes room for other names.
  void make_room();

  // A walk in user space has met an interpreter whose script's frames it cannot read.
  void count_first_sample(script_language language) { ++first_samples_[language]; }
  // The languages whose interpreters were on stacks.
  [[nodiscard]] std::vector<script_language> met() const;
  // Lines for the summary about frames that are missing.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  using Walks = std::array<std::array<std::uint64_t, SCRIPT_REASONS>, SCRIPT_LANGUAGES>;
  // How many there were, by language and reason.
  [[nodiscard]] Walks walks() const;

  struct Function {
    std::string name;
    std::string path;
    std::uint32_t line = 0;
    std::uint64_t address = 0;
    script_lines lines = SCRIPT_LINES_NONE;
  };
  // The line of a frame whose word has that position; 0: it is not known.
  [[nodiscard]] std::uint32_t line_of(std::uint64_t word, const Function& function, std::uint64_t position) const;

  const bpf_map* names_map_ = nullptr;   // null: there are no scripts
  const bpf_map* counts_map_ = nullptr;  // likewise
  std::uint32_t most_in_map_ = 0;
  std::size_t sent_ = 0;  // since the map was emptied
  bool has_lines_ = false;
  std::unordered_map<std::uint64_t, Function> functions_;
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> tables_;  // of lines, by the word of the function
  std::size_t table_bytes_ = 0;                                          // of all of these
  std::size_t without_table_ = 0;                                        // functions that need a table and have none
  std::array<std::uint64_t, SCRIPT_LANGUAGES> first_samples_{};
};

}  // namespace profile
