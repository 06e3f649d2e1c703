// Each stack is changed once, and each function of a frame is matched once.
#include "output/frame_edits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "output/shown_frame.h"
#include "support/error.h"

namespace profile {
namespace {

// A longer expression is no search that somebody typed, and its automaton would be large.
constexpr std::size_t longest_pattern = 1024;

// libstdc++'s other way to search calls itself for each character, and can take exponential time. This one knows no
// references back.
constexpr std::regex::flag_type linear_search =
    std::regex::ECMAScript | std::regex::nosubs | std::regex::optimize | std::regex_constants::__polynomial;

constexpr std::size_t no_run = SIZE_MAX;

// "libc.so.6" is in "libc.so.6" and in "libc*"; "[kernel]" is also "kernel".
bool is_file(std::string_view file, std::string_view wanted) {
  if (file.starts_with('[') && !wanted.starts_with('[')) file = file.substr(1, file.size() - 2);
  if (!wanted.ends_with('*')) return file == wanted;
  return file.starts_with(wanted.substr(0, wanted.size() - 1));
}

}  // namespace

FunctionPattern::FunctionPattern(std::string_view text) {
  if (text.empty()) throw Error("an empty expression would match every name");
  if (text.size() > longest_pattern) throw Error("longer than " + std::to_string(longest_pattern) + " characters");
  try {
    regex_.assign(text.begin(), text.end(), linear_search);
  } catch (const std::regex_error& error) {
    throw Error(std::string("no regular expression: ") + error.what());
  }
}

bool FunctionPattern::is_in(std::string_view name) const {
  name = name.substr(0, most_bytes);
  return std::regex_search(name.begin(), name.end(), regex_);
}

void FrameEdits::collapse(std::string_view text) {
  if (text == recursion) {
    is_without_recursion_ = true;
  } else if (text.starts_with(of_file)) {
    text.remove_prefix(of_file.size());
    if (text.empty()) throw Error("no file behind " + std::string(of_file));
    runs_.push_back({.file = std::string(text), .names = {}});
  } else {
    runs_.push_back({.file = {}, .names = {FunctionPattern(text)}});
  }
}

class FrameEditing {
 public:
  FrameEditing(const FrameEdits& edits, Profile& profile) : edits_(edits), profile_(profile) {}

  [[nodiscard]] bool has_focus() const { return !edits_.focus_.empty(); }
  [[nodiscard]] bool changes_stacks() const {
    return !edits_.hide_.empty() || !edits_.runs_.empty() || edits_.is_without_recursion_;
  }

  bool is_in_focus(const Row& row) {
    for (const ShownPart& part : shown_parts(profile_, row)) {
      if (part.stack == StackId::none ? is_among(edits_.focus_, part.text) : is_in_focus(part.stack)) return true;
    }
    if (row.waker == StringId::empty) return false;
    return is_among(edits_.focus_, profile_.strings.view(row.waker)) || is_in_focus(row.waker_user) ||
           is_in_focus(row.waker_kernel);
  }

  void change(Row& row) {
    if (row.tag != StringId::empty && is_among(edits_.hide_, profile_.strings.view(row.tag))) {
      row.tag = StringId::empty;
    }
    row.user = changed(row.user, missed_user_stack);
    row.kernel = changed(row.kernel, missed_kernel_stack);
    row.waker_user = changed(row.waker_user, missed_user_stack);
    row.waker_kernel = changed(row.waker_kernel, missed_kernel_stack);
  }

 private:
  // A shown function of a frame.
  struct Function {
    StringId name = StringId::empty;
    StringId module = StringId::empty;
    std::size_t run = no_run;  // the index of its rule
    bool is_file = false;      // it becomes the frame of its file, which `name` names
    bool is_hidden = false;
    bool is_known = false;  // it is a function that can be met again
    friend bool operator==(const Function&, const Function&) = default;
  };
  // A function that stays, of a frame in a stack.
  struct Item {
    Function function;
    std::size_t frame = 0;   // index in the stack
    std::size_t number = 0;  // among the functions of the frame, leaf first
  };

  static bool is_among(const std::vector<FunctionPattern>& patterns, std::string_view name) {
    return std::ranges::any_of(patterns, [name](const FunctionPattern& pattern) { return pattern.is_in(name); });
  }
  bool is_among(const std::vector<FunctionPattern>& patterns, std::unordered_map<StringId, bool>& known,
                StringId name) {
    const auto [found, is_new] = known.try_emplace(name);
    if (is_new) found->second = is_among(patterns, profile_.strings.view(name));
    return found->second;
  }

  bool is_in_focus(StackId stack) {
    const auto [found, is_new] = stack_in_focus_.try_emplace(stack);
    if (!is_new) return found->second;
    bool& is = found->second;
    for (const FrameId id : profile_.stack(stack)) {
      if (is) break;
      const auto [of_frame, is_new_frame] = frame_in_focus_.try_emplace(id);
      if (is_new_frame) {
        for_each_shown(profile_, id, [&, &frame_is = of_frame->second](const ShownFrame& shown) {
          frame_is = frame_is || is_among(edits_.focus_, name_in_focus_, name_of(shown));
        });
      }
      is = of_frame->second;
    }
    return is;
  }

  StringId name_of(const ShownFrame& shown) {
    text_.clear();
    append_function(text_, profile_, shown, Semicolon::keep);
    return profile_.strings.intern(text_);
  }

  const std::vector<Function>& functions_of(FrameId id) {
    const auto [found, is_new] = functions_.try_emplace(id);
    if (!is_new) return found->second;
    const std::string file = code_file_name(profile_, profile_.frame(id));
    for_each_shown(profile_, id, [&, &all = found->second](const ShownFrame& shown) {
      Function function{.name = name_of(shown), .module = shown.frame->module};
      function.is_hidden = is_among(edits_.hide_, name_hidden_, function.name);
      function.is_known = profile_.strings.view(function.name) != unknown_name;
      function.run = run_of(function, file);
      if (function.run != no_run && !edits_.runs_[function.run].file.empty()) {
        function.is_file = true;
        function.name = profile_.strings.intern(file.starts_with('[') ? file : "[" + file + "]");
      }
      all.push_back(function);
    });
    return found->second;
  }

  std::size_t run_of(const Function& function, std::string_view file) {
    run_of_name_.resize(edits_.runs_.size());
    for (std::size_t i = 0; i < edits_.runs_.size(); ++i) {
      const FrameEdits::Run& run = edits_.runs_[i];
      const bool is = run.file.empty() ? is_among(run.names, run_of_name_[i], function.name)
                                       : !file.empty() && is_file(file, run.file);
      if (is) return i;
    }
    return no_run;
  }

  StackId changed(StackId stack, std::string_view if_missed) {
    if (stack == StackId::missed) return is_among(edits_.hide_, if_missed) ? StackId::none : stack;
    if (stack == StackId::none) return stack;
    const auto [found, is_new] = changed_.try_emplace(stack, stack);
    if (!is_new) return found->second;
    const std::span<const FrameId> own = profile_.stack(stack);
    const std::vector<FrameId> frames(own.begin(), own.end());
    items_.clear();
    places_.clear();
    for (std::size_t i = frames.size(); i-- > 0;) {
      const std::vector<Function>& functions = functions_of(frames[i]);
      for (std::size_t number = functions.size(); number-- > 0;) {
        put({.function = functions[number], .frame = i, .number = number});
      }
    }
    const std::vector<FrameId> shown = frames_of_items(frames);
    return found->second = profile_.stack(shown, profile_.end_of(stack));
  }

  // Puts the next function, towards the leaf.
  void put(const Item& item) {
    const Function& function = item.function;
    if (function.is_hidden) return;
    if (!items_.empty() && function.run != no_run && function.run == items_.back().function.run &&
        (!function.is_file || function.name == items_.back().function.name)) {
      return;
    }
    if (edits_.is_without_recursion_ && function.is_known) {
      std::size_t& place = places_[{function.name, function.module}];
      // A place may be of an item that was taken away.
      if (place < items_.size() && items_[place].function == function) {
        items_.resize(place + 1);
        return;
      }
      place = items_.size();
    }
    items_.push_back(item);
  }

  // Leaf first. What is left of one frame stays one frame.
  std::vector<FrameId> frames_of_items(std::span<const FrameId> frames) {
    std::vector<FrameId> leaf_first;
    for (std::size_t end = items_.size(); end > 0;) {
      const Item& last = items_[end - 1];
      std::size_t begin = end - 1;
      while (begin > 0 && is_one_frame(items_[begin - 1], last)) --begin;
      const FrameId id = frames[last.frame];
      leaf_first.push_back(last.function.is_file ? frame_of_file(id, last.function.name)
                                                 : part_of(id, std::span(items_).subspan(begin, end - begin)));
      end = begin;
    }
    return leaf_first;
  }
  static bool is_one_frame(const Item& a, const Item& b) {
    return a.frame == b.frame && !a.function.is_file && !b.function.is_file;
  }

  FrameId frame_of_file(FrameId id, StringId name) {
    const Frame& of = profile_.frame(id);
    Frame made;
    made.space = of.space;
    made.kind = of.kind;
    made.unnamed = Unnamed::named;
    made.symbol = name;
    made.module = of.module;
    made.offset = unknown_offset;
    return profile_.frame(made);
  }

  // `kept`: root first. If the function that has the code is not among them, the next one takes its place.
  FrameId part_of(FrameId id, std::span<const Item> kept) {
    const std::size_t all = functions_of(id).size();
    if (kept.size() == all) return id;
    Frame part = profile_.frame(id);
    const SourceLocation source = profile_.source(part.source);
    SourceLine at = source.at;
    std::vector<InlinedFunction> inlined;  // innermost first
    for (std::size_t i = kept.size(); i-- > 0;) {
      if (kept[i].number + 1 != all) inlined.push_back(source.inlined[kept[i].number]);
    }
    if (kept.front().number + 1 != all) {
      const InlinedFunction outermost = inlined.back();
      inlined.pop_back();
      at = outermost.at;
      part.unnamed = Unnamed::named;
      part.symbol = outermost.symbol != StringId::empty ? outermost.symbol : profile_.strings.intern(unknown_name);
      part.offset = part.function = unknown_offset;
    }
    const bool has_source = !inlined.empty() || at != SourceLine{};
    part.source = has_source ? profile_.source({.at = at, .inlined = inlined}) : SourceLocationId::none;
    return profile_.frame(part);
  }

  struct PlaceHash {
    std::size_t operator()(const std::pair<StringId, StringId>& key) const noexcept {
      return std::hash<std::uint64_t>()(std::uint64_t{static_cast<std::uint32_t>(key.first)} << 32 |
                                        static_cast<std::uint32_t>(key.second));
    }
  };

  const FrameEdits& edits_;
  Profile& profile_;
  std::unordered_map<StackId, bool> stack_in_focus_;
  std::unordered_map<FrameId, bool> frame_in_focus_;
  std::unordered_map<StringId, bool> name_in_focus_;
  std::unordered_map<StringId, bool> name_hidden_;
  std::vector<std::unordered_map<StringId, bool>> run_of_name_;  // by rule
  std::unordered_map<FrameId, std::vector<Function>> functions_;
  std::unordered_map<StackId, StackId> changed_;
  std::vector<Item> items_;                                                           // of a stack, root first
  std::unordered_map<std::pair<StringId, StringId>, std::size_t, PlaceHash> places_;  // of its functions in items_
  std::string text_;
};

void FrameEdits::apply(Profile& profile) const {
  FrameEditing editing(*this, profile);
  if (editing.has_focus()) profile.keep_rows([&](const Row& row) { return editing.is_in_focus(row); });
  if (editing.changes_stacks()) profile.change_rows([&](Row& row) { editing.change(row); });
}

SampleEdits::SampleEdits(const FrameEdits& edits, Profile& profile)
    : editing_(std::make_unique<FrameEditing>(edits, profile)) {}

SampleEdits::~SampleEdits() = default;

bool SampleEdits::apply(Row& row) {
  if (editing_->has_focus() && !editing_->is_in_focus(row)) return false;
  if (editing_->changes_stacks()) editing_->change(row);
  return true;
}

}  // namespace profile
