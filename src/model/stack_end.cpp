#include "model/stack_end.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace profile {
namespace {

// Indexed by StackEnd.
constexpr StackEndWords table[] = {
    {"unknown", "not told how", ""},
    {"root", "whole", ""},
    {"too_deep", "deeper than is taken", "too deep"},
    {"no_table_yet", "taken before a file was read", "no table yet"},
    {"no_cfi", "no unwind table and no frame pointer", "no CFI"},
    {"not_readable", "stack memory not readable", "not readable"},
    {"not_mapped", "return address in no mapping", "not mapped"},
    {"no_register", "a register needed that is not known", "no register"},
    {"unknown_rule", "an unwind rule that is not understood", "unknown rule"},
    {"backwards", "caller below what it called", "backwards"},
    {"maps_changed", "mappings changed meanwhile", "maps changed"},
    {"no_walk", "not walked: other walks were under way on the CPU", "no walk"},
    {"guessed", "begun with a guessed frame pointer", "guessed"},
};
static_assert(std::size(table) == static_cast<std::size_t>(StackEnd::count));

constexpr std::string_view frame_begin = "[incomplete: ";
constexpr std::string_view frame_end = "]";

std::optional<StackEnd> end_with(std::string_view StackEndWords::*word, std::string_view text) {
  const auto* const found = std::ranges::find(table, text, word);
  if (text.empty() || found == std::end(table)) return {};
  return static_cast<StackEnd>(found - std::begin(table));
}

}  // namespace

const StackEndWords& words_of(StackEnd end) { return table[static_cast<std::size_t>(end)]; }

std::string incomplete_frame(StackEnd end) {
  return std::string(frame_begin).append(words_of(end).frame).append(frame_end);
}

std::optional<StackEnd> end_of_key(std::string_view key) { return end_with(&StackEndWords::key, key); }

std::optional<StackEnd> end_of_frame(std::string_view frame) {
  if (!frame.starts_with(frame_begin) || !frame.ends_with(frame_end)) return {};
  frame.remove_prefix(frame_begin.size());
  frame.remove_suffix(frame_end.size());
  return end_with(&StackEndWords::frame, frame);
}

std::uint64_t StackEndCounts::all() const {
  return std::accumulate(samples_.begin(), samples_.end(), std::uint64_t{0});
}

}  // namespace profile
