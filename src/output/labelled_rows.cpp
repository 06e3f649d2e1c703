// Labels get their numbers in two steps: they are interned first, then renumbered in the order of their texts. After
// that, rows are compared, sorted and merged by numbers alone.
#include "output/labelled_rows.h"

#include <algorithm>
#include <array>
#include <compare>
#include <span>

#include "model/stack_end.h"
#include "output/shown_frame.h"

namespace profile {
namespace {

// Files with names only have no addresses. A call of a null pointer is at the address 0, which no mapping holds.
bool has_address(const Frame& frame) { return frame.address.value != 0 || frame.unnamed == Unnamed::not_mapped; }

struct Text {
  std::string_view text;
  std::uint64_t part = 0;  // the characters that are compared next, as a number that compares as they do
  std::size_t interned = 0;
};

std::uint64_t part_of(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  char part[sizeof(std::uint64_t)] = {};
  text.copy(part, sizeof part, at);
  std::uint64_t number = 0;
  for (const char c : part) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

// Sorts distinct texts that do not differ before `at`. Most have a long common beginning, an address or a namespace,
// and are scattered in memory. So they are compared by eight characters at a time, which lie in the table itself.
void sort_texts(std::span<Text> texts, std::size_t at) {
  constexpr std::size_t few = 16;
  constexpr std::size_t longest_beginning = 512;  // bounds the depth of the recursion
  if (texts.size() < few || at > longest_beginning) {
    std::ranges::sort(texts, {}, &Text::text);
    return;
  }
  for (Text& text : texts) text.part = part_of(text.text, at);
  std::ranges::sort(texts, {}, &Text::part);
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin + 1;
    while (end < texts.size() && texts[end].part == texts[begin].part) ++end;
    if (end - begin > 1) sort_texts(texts.subspan(begin, end - begin), at + sizeof(std::uint64_t));
    begin = end;
  }
}

}  // namespace

// Yields the labels of one row's frames one by one. A comparison therefore stops at the first difference and allocates
// nothing.
class LabelledRows::Walk {
 public:
  Walk(const LabelledRows& rows, const Row& row) : rows_(rows), root_first_(rows.wording_.root_first) {
    const auto part = [&rows](StackId stack, const FrameId& missed) {
      return stack == StackId::missed ? std::span(&missed, 1) : rows.profile_.stack(stack);
    };
    const auto taken = [](StackId stack) { return stack != StackId::none && stack != StackId::missed; };
    const bool delimited = !rows.wording_.delimiter.empty() && taken(row.user) && taken(row.kernel);
    parts_ = {rows.incomplete_part(row),
              part(row.user, rows.missed_user_),
              std::span(&rows.delimiter_, delimited ? 1 : 0),
              part(row.kernel, rows.missed_kernel_),
              {}};
    if (row.tag != StringId::empty) parts_.back() = std::span(&rows.tags_.at(row.tag), 1);
    if (!root_first_) std::reverse(parts_.begin(), parts_.end());
  }

  static constexpr std::int64_t end = -1;  // below every label, so a row sorts before its extensions

  // Returns the next label's number, or `end`.
  std::int64_t next() {
    while (labels_.empty()) {
      while (left_ == 0) {
        if (next_part_ == parts_.size()) return end;
        leaf_first_ = parts_[next_part_++];
        left_ = leaf_first_.size();
      }
      --left_;
      labels_ = rows_.labels_of(leaf_first_[root_first_ ? left_ : leaf_first_.size() - 1 - left_]);
    }
    const Label label = root_first_ ? labels_.back() : labels_.front();
    labels_ = root_first_ ? labels_.first(labels_.size() - 1) : labels_.subspan(1);
    return static_cast<std::int64_t>(label);
  }

 private:
  const LabelledRows& rows_;
  bool root_first_;
  // Incomplete frame, user, delimiter, kernel, tag; reversed if the leaf comes first.
  std::array<std::span<const FrameId>, 5> parts_;
  std::size_t next_part_ = 0;
  std::span<const FrameId> leaf_first_;  // the current part
  std::size_t left_ = 0;                 // frames of it that remain
  std::span<const Label> labels_;        // labels of the current frame that remain
};

LabelledRows::LabelledRows(const Profile& profile, const Wording& wording) : profile_(profile), wording_(wording) {
  first_labels_.reserve(profile.frames().size() + 4);
  for (std::size_t i = 0; i < profile.frames().size(); ++i) {
    first_labels_.push_back(static_cast<std::uint32_t>(labels_.size()));
    label(static_cast<FrameId>(i));
  }
  const auto stand_in = [this](std::string_view text) {
    first_labels_.push_back(static_cast<std::uint32_t>(labels_.size()));
    text_ = text;
    labels_.push_back(intern_text());
    return static_cast<FrameId>(first_labels_.size() - 1);
  };
  missed_user_ = stand_in(missed_user_stack);
  missed_kernel_ = stand_in(missed_kernel_stack);
  delimiter_ = stand_in(wording.delimiter);
  rows_.reserve(profile.rows().size());
  for (const Row& row : profile.rows()) {
    const StackEnd end = profile.end_of(row.user);
    if (wording.annotate && is_incomplete(end) && !incomplete_.contains(end)) {
      incomplete_.emplace(end, stand_in(incomplete_frame(end)));
    }
    if (row.tag != StringId::empty && !tags_.contains(row.tag)) {
      std::string tag;
      append_clean(tag, profile.strings.view(row.tag), wording.semicolon);
      tags_.emplace(row.tag, stand_in(tag));
    }
    const auto number = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({.row = number, .owner = intern_owner(row), .value = row.value});
  }
  first_labels_.push_back(static_cast<std::uint32_t>(labels_.size()));
  number_by_text();
  sort_and_merge();
}

std::span<const FrameId> LabelledRows::incomplete_part(const Row& row) const {
  if (incomplete_.empty()) return {};
  const auto found = incomplete_.find(profile_.end_of(row.user));
  return found == incomplete_.end() ? std::span<const FrameId>() : std::span(&found->second, 1);
}

Label LabelledRows::intern_text() { return static_cast<Label>(texts_.intern(text_)); }

Label LabelledRows::intern_owner(const Row& row) {
  const Process& process = profile_.process(row.process);
  const StringId name = wording_.owner == Wording::Owner::process_and_tgid ? process.name : row.thread_name;
  text_.clear();
  append_name(text_, profile_.strings.view(name), wording_.semicolon);
  if (wording_.owner != Wording::Owner::thread) append_pid(text_, process.tgid);
  return intern_text();
}

void LabelledRows::label(FrameId id) {
  for_each_shown(profile_, id, [this](const ShownFrame& shown) {
    const Frame& frame = *shown.frame;
    text_.clear();
    if (wording_.addresses && has_address(frame)) append_all(text_, "0x", hex(frame.address.value, 16), " ");
    append_function(text_, profile_, shown, wording_.semicolon);
    const bool is_named = shown.symbol != StringId::empty;
    if (wording_.offsets && shown.is_inlined) text_ += " (inlined)";
    const std::uint64_t offset = wording_.offsets ? offset_in_function(shown) : unknown_offset;
    if (offset != unknown_offset) append_all(text_, "+0x", hex(offset));
    if ((shown.is_inlined || is_named) && wording_.modules && frame.module != StringId::empty) {
      text_ += " [";
      append_clean(text_, profile_.strings.view(frame.module), wording_.semicolon);
      text_ += ']';
    }
    // The file of a script is its module, which stands there already.
    const bool is_known = shown.at.line != 0 || frame.kind != FrameKind::script;
    if (is_known && is_apart_by_line(profile_.run, frame))
      append_source_line(text_, profile_, shown.at, wording_.semicolon);
    if (wording_.annotate) text_ += mark_of(frame.kind, shown.is_inlined);
    labels_.push_back(intern_text());
  });
}

void LabelledRows::number_by_text() {
  std::vector<Text> sorted(texts_.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = {.text = texts_.view(static_cast<StringId>(i)), .interned = i};
  sort_texts(sorted, 0);
  std::vector<Label> labels(sorted.size());  // by StringId
  by_text_.reserve(sorted.size());
  for (const Text& text : sorted) {
    labels[text.interned] = static_cast<Label>(by_text_.size());
    by_text_.push_back(text.text);
  }
  for (Label& label : labels_) label = labels[index(label)];
  for (LabelledRow& row : rows_) row.owner = labels[index(row.owner)];
}

std::uint64_t LabelledRows::beginning_of(const LabelledRow& row) const {
  Walk walk(*this, profile_.rows()[row.row]);
  const auto next = [&walk] { return static_cast<std::uint64_t>(walk.next() + 1); };
  const std::uint64_t first = wording_.owner_first ? std::uint64_t{index(row.owner)} + 1 : next();
  return first << 32 | next();
}

void LabelledRows::sort_and_merge() {
  // Most rows differ early. Their beginnings are together in memory, and what a whole comparison reads is not.
  struct Begun {
    std::uint64_t beginning;
    LabelledRow row;
  };
  std::vector<Begun> begun;
  begun.reserve(rows_.size());
  for (const LabelledRow& row : rows_) begun.push_back({.beginning = beginning_of(row), .row = row});
  const auto compare = [this](const Begun& a, const Begun& b) -> std::strong_ordering {
    if (a.beginning != b.beginning) return a.beginning <=> b.beginning;
    Walk walk_a(*this, profile_.rows()[a.row.row]);
    Walk walk_b(*this, profile_.rows()[b.row.row]);
    while (true) {
      const std::int64_t label_a = walk_a.next();
      const std::int64_t label_b = walk_b.next();
      if (label_a != label_b) return label_a <=> label_b;
      if (label_a == Walk::end) return a.row.owner <=> b.row.owner;
    }
  };
  // Stable, so that the first of the rows with the same text stays.
  std::stable_sort(begun.begin(), begun.end(), [&](const Begun& a, const Begun& b) { return compare(a, b) < 0; });
  rows_.clear();
  for (std::size_t i = 0; i < begun.size(); ++i) {
    if (i > 0 && compare(begun[i - 1], begun[i]) == 0) {
      rows_.back().value += begun[i].row.value;
    } else {
      rows_.push_back(begun[i].row);
    }
  }
}

void LabelledRows::frames(const LabelledRow& row, std::vector<Label>& out) const {
  out.clear();
  Walk walk(*this, profile_.rows()[row.row]);
  for (std::int64_t label; (label = walk.next()) != Walk::end;) out.push_back(static_cast<Label>(label));
}

void LabelledRows::each_by_value(const Visit& visit) const {
  std::vector<LabelledRow> rows = rows_;
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  std::vector<Label> labels;
  for (const LabelledRow& row : rows) {
    frames(row, labels);
    visit(row, labels);
  }
}

}  // namespace profile
