#include "model/stored_stack.h"

#include <algorithm>
#include <string>

#include "model/stack_end.h"
#include "model/unnamed_words.h"

namespace profile {
namespace {

std::string_view kind_word_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::kernel:
      return kind_kernel;
    case FrameKind::script:
      return kind_script;
    case FrameKind::user:
      break;
  }
  return kind_user;
}

FrameKind frame_kind_of(std::string_view word) {
  if (word == kind_kernel) return FrameKind::kernel;
  return word == kind_script ? FrameKind::script : FrameKind::user;
}

FrameInStore::Kind kind_of(std::string_view word) {
  using Kind = FrameInStore::Kind;
  if (word == kind_inlined) return Kind::inlined;
  if (word == kind_tag) return Kind::tag;
  if (word == kind_missed) return Kind::missed;
  return word == kind_end ? Kind::end : Kind::function;
}

std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::vector<StoredFrame> stored_functions(const Profile& profile, const Frame& frame) {
  const SourceLocation source = profile.source(frame.source);
  const auto text = [&](StringId string) { return profile.strings.view(string); };
  std::string_view module = text(frame.module);
  const bool has_binary = frame.binary != BinaryId::none;
  if (has_binary && module == file_name_of(text(profile.binary(frame.binary).path))) module = {};
  std::vector<StoredFrame> functions{{.kind = kind_word_of(frame.kind),
                                      .name = frame.unnamed == Unnamed::named ? text(frame.symbol) : std::string_view(),
                                      .module = module,
                                      .file = text(source.at.file),
                                      .unnamed = word_of(frame.unnamed),
                                      .line = source.at.line,
                                      .offset = frame.offset,
                                      .function = frame.function,
                                      .address = has_binary ? frame.binary_address.value : 0,
                                      .is_return = frame.is_return}};
  for (std::size_t i = source.inlined.size(); i-- != 0;) {
    const InlinedFunction& inlined = source.inlined[i];
    functions.push_back(
        {.kind = kind_inlined, .name = text(inlined.symbol), .file = text(inlined.at.file), .line = inlined.at.line});
  }
  return functions;
}

FrameInStore frame_in_store(Profile& profile, const StoredFrame& stored, BinaryId binary) {
  FrameInStore read{.kind = kind_of(stored.kind), .frame = {}, .at = {}};
  Frame& frame = read.frame;
  frame.kind = frame_kind_of(stored.kind);
  frame.symbol = profile.strings.intern(stored.name);
  frame.offset = stored.offset;
  frame.function = stored.function;
  frame.is_return = stored.is_return;
  frame.binary = binary;
  frame.binary_address.value = frame.address.value = stored.address;
  frame.unnamed = stored.unnamed.empty() ? Unnamed::named : unnamed_of(stored.unnamed);
  if (frame.unnamed == Unnamed::named && stored.name.empty()) frame.unnamed = Unnamed::no_symbol;
  if (stored.module.empty() && binary != BinaryId::none) {
    const std::string path(profile.strings.view(profile.binary(binary).path));
    frame.module = profile.strings.intern(file_name_of(path));
  } else {
    frame.module = profile.strings.intern(stored.module);
  }
  read.at = {.file = profile.strings.intern(stored.file), .line = stored.line};
  if (read.kind == FrameInStore::Kind::end) read.end = end_of_key(stored.name).value_or(StackEnd::unknown);
  return read;
}

StacksOfRow StackMaker::make(Profile& profile, ProcessId process,
                             std::span<const FrameInStore* const> outermost_first) {
  using Kind = FrameInStore::Kind;
  StacksOfRow stacks;
  StackEnd end = StackEnd::unknown;
  user_.clear();
  kernel_.clear();
  std::vector<FrameId>* part = &user_;
  for (std::size_t i = 0; i < outermost_first.size(); ++i) {
    const FrameInStore& stored = *outermost_first[i];
    if (stored.kind == Kind::end) {
      end = stored.end;
    } else if (stored.kind == Kind::tag) {
      stacks.tag = stored.frame.symbol;
    } else if (stored.kind == Kind::missed) {
      const bool is_user = profile.strings.view(stored.frame.symbol) == missed_user_stack;
      (is_user ? stacks.user : stacks.kernel) = StackId::missed;
    } else {
      inlined_.clear();
      for (; i + 1 < outermost_first.size() && outermost_first[i + 1]->kind == Kind::inlined; ++i) {
        const FrameInStore& inlined = *outermost_first[i + 1];
        inlined_.push_back({.symbol = inlined.frame.symbol, .at = inlined.at});
      }
      std::ranges::reverse(inlined_);
      Frame frame = stored.frame;
      frame.space = frame.kind == FrameKind::kernel ? ProcessId::kernel : process;
      if (stored.at != SourceLine() || !inlined_.empty()) {
        frame.source = profile.source({.at = stored.at, .inlined = inlined_});
      }
      if (frame.kind == FrameKind::kernel) part = &kernel_;
      part->push_back(profile.frame(frame));
    }
  }
  std::ranges::reverse(user_);
  std::ranges::reverse(kernel_);
  if (stacks.user == StackId::none) stacks.user = profile.stack(user_, end);
  if (stacks.kernel == StackId::none) stacks.kernel = profile.stack(kernel_);
  return stacks;
}

}  // namespace profile
