#include "sampling/script_names.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "abi/walk.h"
#include "interpret/interpreter.h"
#include "interpret/line_table.h"
#include "sampling/map_walk.h"
#include "support/bpf.h"
#include "support/hash.h"
#include "support/plural.h"

namespace profile {
namespace {

static_assert(script_address_bit == SCRIPT_FRAME);

// The names of the largest programs' functions. Some hundred bytes each; beyond it, the rest of a run has no names for
// functions that it has not met yet, because stacks that are still to be counted may need any of those that are known.
constexpr std::size_t most_functions = 1'000'000;
// The same for their tables of lines: those of a large program are a few megabytes.
constexpr std::size_t most_table_bytes = std::size_t{64} << 20;
// What PHP and Perl run outside of functions.
constexpr std::string_view whole_script = "<main>";
constexpr std::string_view no_name_in_perl = "__ANON__";
// A hash that no one can foresee is not needed here: at worst two functions of a script are one frame.
constexpr std::uint64_t address_seed = 0x5c1217;

constexpr std::array<std::string_view, SCRIPT_REASONS> reasons{"",
                                                               "the function had only begun or was about to return",
                                                               "memory could not be read",
                                                               "the chain of frames did not fit the stack",
                                                               "frames of a virtual thread lie in the heap",
                                                               "taken before its file was read"};

void append_utf8(std::string& out, std::uint32_t value) {
  constexpr std::uint32_t replacement = 0xfffd;
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  if (value > 0x10ffff || is_surrogate) value = replacement;
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0 | value >> 6);
    put(0x80 | (value & 0x3f));
  } else if (value < 0x10000) {
    put(0xe0 | value >> 12);
    put(0x80 | (value >> 6 & 0x3f));
    put(0x80 | (value & 0x3f));
  } else {
    put(0xf0 | value >> 18);
    put(0x80 | (value >> 12 & 0x3f));
    put(0x80 | (value >> 6 & 0x3f));
    put(0x80 | (value & 0x3f));
  }
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A name that all scripts have gets the place of the function: "<module app.py>", "{closure app.php:12}". Some versions
// say of a whole script that it begins at its first statement.
std::string with_place(const std::string& name, std::string_view path, std::uint32_t line) {
  const auto is_between = [&name](char begin, char end) {
    return name.size() > 2 && name.front() == begin && name.back() == end && name.find(begin, 1) == name.npos;
  };
  // Since 8.4, PHP itself puts a place there, in which the file may be missing.
  if (name.starts_with("{closure:")) return with_place("{closure}", path, line);
  if (name == no_name_in_perl) return with_place('<' + name + '>', path, line);
  const bool is_common = is_between('<', '>') || is_between('{', '}');
  if (!is_common || path.empty()) return name;
  std::string text = name.substr(0, name.size() - 1) + ' ' + std::string(last_part(path));
  if (line > 1 && name != "<module>" && name != whole_script) text += ':' + std::to_string(line);
  return text + name.back();
}

// Functions without a name have their number in the script, because V8 keeps no lines at hand.
std::string name_in_node(std::string_view path, const std::string& name, std::uint32_t number) {
  if (name != whole_script) return name;
  return "<function " + std::to_string(number) + " of " + std::string(last_part(path)) + '>';
}

// The name of a class without what differs between two runs: the address of one that was made at run time, and the
// number of one that was made for a lambda expression.
std::string class_in_java(std::string text) {
  constexpr std::string_view lambda = "$$Lambda";
  text.resize(std::min({text.find('+'), text.find("/0x"), text.size()}));
  if (const auto at = text.find(lambda); at != text.npos) text.resize(at + lambda.size());
  return text;
}

const bpf_map* made_map(bpf_object& object, const char* name) {
  const bpf_map* const map = bpf_object__find_map_by_name(&object, name);
  return map != nullptr && bpf_map__fd(map) >= 0 ? map : nullptr;
}

}  // namespace

std::string utf8_of(const script_text& text, const char* characters) {
  std::string out;
  if (text.width == 0) return {characters, text.bytes};
  for (std::size_t at = 0; at + text.width <= text.bytes; at += text.width) {
    std::uint32_t value = 0;
    std::memcpy(&value, characters + at, std::min<std::size_t>(text.width, sizeof value));
    append_utf8(out, value);
  }
  return out;
}

ScriptNames::ScriptNames(bpf_object& object)
    : names_map_(made_map(object, "script_names")), counts_map_(made_map(object, "script_counts")) {
  if (names_map_ != nullptr) most_in_map_ = bpf_map__max_entries(names_map_);
  const void* const config = bpf_section_memory(object, ".rodata.walk", sizeof(walk_config));
  has_lines_ = static_cast<const walk_config*>(config)->lines != 0;
}

void ScriptNames::keep(const ring_lines& lines, std::size_t bytes) {
  const std::size_t most = bytes - std::min(bytes, offsetof(ring_lines, table));
  if (lines.bytes > most || lines.bytes > sizeof lines.table || table_bytes_ + lines.bytes > most_table_bytes) return;
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(lines.table);
  const auto [table, is_new] = tables_.try_emplace(lines.frame, begin, begin + lines.bytes);
  if (is_new) table_bytes_ += lines.bytes;
}

void ScriptNames::keep(const ring_name& sent) {
  constexpr std::string_view cut = "\u2026";
  ++sent_;
  if (functions_.size() >= most_functions || sent.name.bytes > sizeof sent.name_text ||
      sent.path.bytes > sizeof sent.path_text || sent.owner.bytes > sizeof sent.owner_text) {
    return;
  }
  Function function;
  function.path = (sent.path.is_cut != 0 ? std::string(cut) : "") + utf8_of(sent.path, sent.path_text);
  constexpr std::string_view scheme = "file://";
  if (function.path.starts_with(scheme)) function.path.erase(0, scheme.size());
  std::string name = utf8_of(sent.name, sent.name_text) + (sent.name.is_cut != 0 ? std::string(cut) : "");
  if (name.empty()) name = whole_script;
  function.name = with_place(name, function.path, sent.line);
  if (sent.language == SCRIPT_NODE) function.name = name_in_node(function.path, name, sent.number);
  if (sent.language == SCRIPT_JAVA && sent.path.bytes != 0) {
    // "java/util/HashMap", whose source is said to be in "HashMap.java".
    std::string of_class = class_in_java(std::exchange(function.path, {}));
    const std::string source = utf8_of(sent.owner, sent.owner_text);
    const std::size_t package = of_class.rfind('/') + 1;
    function.path = source.empty() ? of_class : of_class.substr(0, package) + source;
    std::ranges::replace(of_class, '/', '.');
    function.name = of_class + '.' + name;
  } else if (sent.language == SCRIPT_JAVA) {
    function.name = '~' + name;  // code of the engine, as the engine's own reports mark it
  } else if (sent.owner.bytes != 0) {
    // Behind the name of a class without one stands its place, in PHP's own way.
    std::string owner = utf8_of(sent.owner, sent.owner_text);
    owner.resize(std::min(owner.find('\0'), owner.size()));
    function.name = owner + (sent.owner.is_cut != 0 ? std::string(cut) : "") + "::" + function.name;
  }
  function.line = sent.line;
  if (sent.lines < SCRIPT_LINES_FORMS) function.lines = static_cast<script_lines>(sent.lines);
  const bool has_table = sent.table_hash != 0 && (sent.table_bytes == 0 || tables_.contains(sent.frame));
  if (function.lines > SCRIPT_LINES_DIRECT && !has_table) {
    function.lines = SCRIPT_LINES_NONE;
    ++without_table_;
  }
  const auto of_text = [](std::uint64_t hash, std::string_view text) {
    return hash_of(hash, std::hash<std::string_view>()(text));
  };
  const std::uint64_t hash =
      of_text(of_text(hash_of(hash_of(address_seed, sent.line), sent.number), function.name), function.path);
  function.address = SCRIPT_FRAME | (hash & (SCRIPT_FRAME - 1));
  functions_.try_emplace(sent.frame, std::move(function));
}

std::uint32_t ScriptNames::line_of(std::uint64_t word, const Function& function, std::uint64_t position) const {
  const auto table = tables_.find(word);
  const std::span<const std::uint8_t> bytes =
      table == tables_.end() ? std::span<const std::uint8_t>() : std::span(table->second);
  return line_at(function.lines, position, function.line, bytes);
}

FrameId ScriptNames::frame(Profile& profile, ProcessId space, std::uint64_t word) const {
  Frame frame;
  frame.kind = FrameKind::script;
  frame.space = space;
  frame.offset = unknown_offset;
  const std::uint64_t position = has_lines_ ? word & SCRIPT_POSITION_MASK : 0;
  word -= position;
  const auto found = functions_.find(word);
  if (found == functions_.end()) {
    frame.address = RuntimeAddress{word};
    frame.unnamed = Unnamed::name_lost;
    return profile.frame(frame);
  }
  const Function& function = found->second;
  frame.address = RuntimeAddress{function.address};
  frame.unnamed = Unnamed::named;
  frame.symbol = profile.strings.intern(function.name);
  frame.module = profile.strings.intern(last_part(function.path));
  std::uint32_t line = function.line;
  if (has_lines_) {
    line = line_of(word, function, position);
    frame.begins_at = std::max(function.line, 1U);
    frame.address.value = SCRIPT_FRAME | (hash_of(function.address, line) & (SCRIPT_FRAME - 1));
  }
  frame.source = profile.source({.at = {.file = profile.strings.intern(function.path), .line = line}, .inlined = {}});
  return profile.frame(frame);
}

void ScriptNames::make_room() {
  if (names_map_ == nullptr || sent_ < most_in_map_ / 2) return;
  sent_ = 0;
  for_each_entry<std::uint64_t>(bpf_map__fd(names_map_), sizeof(std::uint64_t), true, [](const auto&, const auto*) {});
}

ScriptNames::Walks ScriptNames::walks() const {
  Walks walks{};
  if (counts_map_ == nullptr) return walks;
  for (const script_counts& counts : values_by_cpu<script_counts>(*counts_map_)) {
    for (std::size_t language = 0; language < walks.size(); ++language) {
      for (std::size_t reason = 0; reason < SCRIPT_REASONS; ++reason) {
        walks[language][reason] += counts.walks[language][reason];
      }
    }
  }
  for (std::size_t language = 0; language < walks.size(); ++language) {
    walks[language][SCRIPT_FIRST_SAMPLE] += first_samples_[language];
  }
  return walks;
}

std::vector<script_language> ScriptNames::met() const {
  std::vector<script_language> languages;
  const Walks all = walks();
  for (int language = SCRIPT_NONE + 1; language < SCRIPT_LANGUAGES; ++language) {
    const auto& counts = all[static_cast<std::size_t>(language)];
    const bool is_met = std::ranges::any_of(counts, [](std::uint64_t count) { return count != 0; });
    if (is_met) languages.push_back(static_cast<script_language>(language));
  }
  return languages;
}

std::vector<std::string> ScriptNames::notes() const {
  std::vector<std::string> lines;
  const Walks all_walks = walks();
  for (const script_language language : met()) {
    const auto& walks = all_walks[language];
    std::uint64_t all = 0;
    for (const std::uint64_t count : walks) all += count;
    const std::uint64_t missing = all - walks[SCRIPT_WHOLE];
    if (missing == 0) continue;
    std::string line = "script frames missing in " + std::to_string(missing) + " of " + number_of(all, "stack") +
                       " of " + std::string(name_of(language)) + ":";
    const char* separator = " ";
    for (std::size_t reason = SCRIPT_WHOLE + 1; reason < walks.size(); ++reason) {
      if (walks[reason] == 0) continue;
      line += separator + std::to_string(walks[reason]) + ' ' + std::string(reasons[reason]);
      separator = ", ";
    }
    lines.push_back(line);
  }
  if (has_lines_) {
    for (const script_language language : met()) {
      if (language != SCRIPT_RUBY && language != SCRIPT_NODE) continue;
      lines.push_back("functions of " + std::string(name_of(language)) +
                      " are without lines, as their engine keeps them " + "in no form that is known");
    }
  }
  if (without_table_ != 0) {
    lines.push_back(number_of(without_table_, "function") + " of scripts " + plural(without_table_, "has", "have") +
                    " no lines: the table of the lines is too large, or could not be read");
  }
  return lines;
}

}  // namespace profile
