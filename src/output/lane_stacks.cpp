#include "output/lane_stacks.h"

#include <algorithm>
#include <string>

#include "model/perf_script_words.h"
#include "model/stack_end.h"
#include "output/header.h"
#include "output/timed.h"

namespace profile {
namespace {

LaneCategory category_of(const Profile& profile, const Frame& frame) {
  if (frame.kind == FrameKind::kernel) return LaneCategory::kernel;
  if (frame.kind == FrameKind::script) return LaneCategory::script;
  return profile.strings.view(frame.module) == jit_module ? LaneCategory::jit : LaneCategory::user;
}

}  // namespace

bool has_spans(const RunInfo& run) { return run.unit == Unit::microseconds || run.unit == Unit::nanoseconds; }

bool is_span(const RunInfo& run, const Row& row) {
  // Of an event that also has time on a CPU, that is the rows without a tag: a span would be as long as the rate says.
  return has_spans(run) && (row.tag != StringId::empty || clock_period_ns(run) == 0);
}

std::uint64_t ns_of_span_unit(const RunInfo& run) { return run.unit == Unit::microseconds ? 1000 : 1; }

std::string title_of(const TimedRun& run, std::uint64_t duration_ns) {
  std::string title = title_of(run.events.front(), duration_ns);
  for (std::size_t i = 1; i < run.events.size(); ++i) {
    title.append(i == 1 ? " (also " : ", ").append(clean_text(run.events[i].event));
  }
  return run.events.size() == 1 ? title : title + ")";
}

// The other tags are names of what the kernel does for the thread.
LaneCategory category_of_tag(const RunInfo& run) {
  return run.tag == "state" ? LaneCategory::waiting : LaneCategory::kernel;
}

std::uint32_t LaneStacks::stack_of(const RunInfo& run, const Profile& profile, const Row& row) {
  const LaneCategory of_tag = category_of_tag(run);
  const auto [place, is_new] =
      stacks_.try_emplace({.user = row.user, .kernel = row.kernel, .tag = row.tag, .of_tag = of_tag}, std::uint32_t{0});
  if (!is_new) return place->second;
  std::uint32_t at = 0;
  const ShownParts parts = shown_parts(profile, row);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->stack != StackId::none) {
      at = add_stack(profile, at, part->stack);
      continue;
    }
    const bool is_tag = part->kind == ShownPart::Kind::tag;
    at = node(at, text_function(part->text, is_tag ? of_tag : LaneCategory::other));
  }
  place->second = at;
  return at;
}

std::uint32_t LaneStacks::add_stack(const Profile& profile, std::uint32_t at, StackId stack) {
  if (const StackEnd end = profile.end_of(stack); is_incomplete(end)) {
    at = node(at, text_function(incomplete_frame(end), LaneCategory::other));
  }
  const std::span<const FrameId> leaf_first = profile.stack(stack);
  for (auto frame = leaf_first.rbegin(); frame != leaf_first.rend(); ++frame) {
    for (const std::uint32_t function : functions_of(profile, *frame)) at = node(at, function);
  }
  return at;
}

std::span<const std::uint32_t> LaneStacks::functions_of(const Profile& profile, FrameId id) {
  const auto [place, is_new] = frames_.try_emplace(id);
  if (is_new) {
    std::vector<ShownFrame> leaf_first;
    for_each_shown(profile, id, [&](const ShownFrame& shown) { leaf_first.push_back(shown); });
    std::uint32_t depth = 0;
    for (auto shown = leaf_first.rbegin(); shown != leaf_first.rend(); ++shown) {
      place->second.push_back(intern(function_of(profile, *shown, depth++)));
    }
  }
  return place->second;
}

LaneFunction LaneStacks::function_of(const Profile& profile, const ShownFrame& shown, std::uint32_t inline_depth) {
  const Frame& frame = *shown.frame;
  LaneFunction function;
  std::string text;
  append_function(text, profile, shown, Semicolon::keep);
  function.name = strings_.intern(text);
  function.module = strings_.intern(clean_text(code_file_name(profile, frame)));
  if (frame.binary != BinaryId::none) {
    const Binary& binary = profile.binary(frame.binary);
    function.path = strings_.intern(clean_text(profile.strings.view(binary.path)));
    function.build_id = strings_.intern(clean_text(profile.strings.view(binary.build_id)));
    function.code = binary.code;
    function.address = call_address(frame.binary_address, frame.is_return && frame.binary_address.value != 0);
  }
  function.source = strings_.intern(clean_text(profile.strings.view(shown.at.file)));
  function.line = shown.at.line;
  function.inline_depth = inline_depth;
  function.category = category_of(profile, frame);
  return function;
}

std::uint32_t LaneStacks::text_function(std::string_view text, LaneCategory category) {
  return intern({.name = strings_.intern(clean_text(text)), .category = category});
}

std::uint32_t LaneStacks::intern(const LaneFunction& function) {
  const auto [place, is_new] = function_numbers_.try_emplace(function, static_cast<std::uint32_t>(functions_.size()));
  if (is_new) functions_.push_back(function);
  return place->second;
}

std::uint32_t LaneStacks::node(std::uint32_t caller, std::uint32_t function) {
  const auto [place, is_new] =
      node_numbers_.try_emplace(std::uint64_t{caller} << 32 | function, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({.caller = caller, .function = function});
  return place->second;
}

void LaneStacks::forget() {
  stacks_.clear();
  frames_.clear();
}

void LaneStacks::clear() { *this = LaneStacks(); }

}  // namespace profile
