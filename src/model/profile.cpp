#include "model/profile.h"

#include <algorithm>

#include "support/hash.h"

namespace profile {
namespace {

template <class Id>
constexpr std::uint64_t number(Id id) {
  return static_cast<std::uint64_t>(id);
}

std::uint64_t hash_of_key(const Row& row) {
  std::uint64_t hash = hash_of(number(row.process) << 32 | row.tid);
  hash = hash_of(hash, number(row.thread_name) << 32 | row.cpu);
  hash = hash_of(hash, number(row.waker) << 32 | number(row.tag));
  hash = hash_of(hash, number(row.waker_user) << 32 | number(row.waker_kernel));
  return hash_of(hash, number(row.user) << 32 | number(row.kernel));
}

std::uint64_t hash_of_content(const Frame& frame) {
  std::uint64_t hash = hash_of(frame.address.value);
  hash = hash_of(hash, number(frame.space) << 32 | number(frame.symbol));
  hash = hash_of(hash, number(frame.module) << 32 | number(frame.binary));
  hash = hash_of(hash, frame.offset);
  return hash_of(hash, number(frame.source) << 32 | (frame.is_return ? 1U : 0U));
}

bool same_key(const Row& a, const Row& b) {
  return a.process == b.process && a.tid == b.tid && a.cpu == b.cpu && a.thread_name == b.thread_name &&
         a.user == b.user && a.kernel == b.kernel && a.tag == b.tag && a.waker == b.waker &&
         a.waker_user == b.waker_user && a.waker_kernel == b.waker_kernel;
}

}  // namespace

std::size_t Profile::FrameKeyHash::operator()(const FrameKey& key) const noexcept {
  return hash_of(hash_of(key.address), std::uint64_t{key.space} << 1 | (key.is_return ? 1U : 0U));
}

ProcessId Profile::process(std::uint32_t tgid, std::uint32_t image, std::string_view name) {
  const auto [found, is_new] =
      process_ids_.try_emplace(std::uint64_t{tgid} << 32 | image, static_cast<ProcessId>(processes_.size()));
  if (is_new) processes_.push_back(Process{.tgid = tgid, .image = image, .name = strings.intern(name)});
  return found->second;
}

FrameId Profile::frame(ProcessId space, FrameKind kind, RuntimeAddress address, bool is_return) {
  const auto [found, is_new] = frame_ids_.try_emplace(
      FrameKey{address.value, static_cast<std::uint32_t>(space), is_return}, static_cast<FrameId>(frames_.size()));
  if (is_new) {
    Frame frame;
    frame.address = address;
    frame.space = space;
    frame.kind = kind;
    frame.is_return = is_return;
    frames_.push_back(frame);
  }
  return found->second;
}

FrameId Profile::frame(const Frame& named) {
  const auto next = static_cast<FrameId>(frames_.size());
  const FrameKey key{named.address.value, static_cast<std::uint32_t>(named.space), named.is_return};
  const auto [found, is_new] = frame_ids_.try_emplace(key, next);
  if (!is_new) {
    if (frame(found->second) == named) return found->second;
    const std::uint64_t hash = hash_of_content(named);
    for (auto [it, end] = named_frame_ids_.equal_range(hash); it != end; ++it) {
      if (frame(it->second) == named) return it->second;
    }
    named_frame_ids_.emplace(hash, next);
  }
  frames_.push_back(named);
  return next;
}

StackId Profile::stack(std::span<const FrameId> leaf_first, StackEnd end) {
  if (leaf_first.empty()) return StackId::none;
  std::uint64_t hash = hash_of(leaf_first.size(), number(end));
  for (const FrameId id : leaf_first) hash = hash_of(hash, number(id));
  for (auto [it, last] = stack_ids_.equal_range(hash); it != last; ++it) {
    const StackSlice slice = stacks_[it->second];
    if (slice.size == leaf_first.size() && slice.end == end &&
        std::equal(leaf_first.begin(), leaf_first.end(), stack_frames_.begin() + slice.begin)) {
      return static_cast<StackId>(it->second);
    }
  }
  const auto index = static_cast<std::uint32_t>(stacks_.size());
  stacks_.push_back(StackSlice{.begin = static_cast<std::uint32_t>(stack_frames_.size()),
                               .size = static_cast<std::uint32_t>(leaf_first.size()),
                               .end = end});
  // A copy: `leaf_first` may point into stack_frames_, and inserting a vector into itself is undefined.
  const std::vector<FrameId> frames(leaf_first.begin(), leaf_first.end());
  stack_frames_.insert(stack_frames_.end(), frames.begin(), frames.end());
  stack_ids_.emplace(hash, index);
  return static_cast<StackId>(index);
}

StackId Profile::stack_of(ProcessId space, FrameKind kind, std::span<const std::uint64_t> leaf_first, StackEnd end) {
  scratch_.clear();
  for (const std::uint64_t address : leaf_first) {
    scratch_.push_back(frame(space, kind, RuntimeAddress{address}, !scratch_.empty()));
  }
  return stack(scratch_, end);
}

SourceLocationId Profile::source(const SourceLocation& source) {
  const auto line = [](std::uint64_t seed, const SourceLine& at) {
    return hash_of(seed, number(at.file) << 32 | at.line);
  };
  std::uint64_t hash = line(source.inlined.size(), source.at);
  for (const InlinedFunction& function : source.inlined) {
    hash = line(hash_of(hash, number(function.symbol)), function.at);
  }
  for (auto [it, end] = source_ids_.equal_range(hash); it != end; ++it) {
    const SourceLocation known = this->source(static_cast<SourceLocationId>(it->second));
    if (known.at == source.at && std::ranges::equal(known.inlined, source.inlined)) {
      return static_cast<SourceLocationId>(it->second);
    }
  }
  const auto index = static_cast<std::uint32_t>(sources_.size());
  sources_.push_back(SourceSlice{.at = source.at,
                                 .begin = static_cast<std::uint32_t>(inlined_.size()),
                                 .size = static_cast<std::uint32_t>(source.inlined.size())});
  // A copy for the same reason as in stack().
  const std::vector<InlinedFunction> inlined(source.inlined.begin(), source.inlined.end());
  inlined_.insert(inlined_.end(), inlined.begin(), inlined.end());
  source_ids_.emplace(hash, index);
  return static_cast<SourceLocationId>(index);
}

BinaryId Profile::binary(const Binary& binary) {
  const auto [found, is_new] = binary_ids_.try_emplace(binary, static_cast<BinaryId>(binaries_.size()));
  if (is_new) binaries_.push_back(binary);
  return found->second;
}

void Profile::add(const Row& given) {
  Row row = given;
  if (!apart.by_thread) row.tid = 0;
  if (!apart.by_cpu) row.cpu = any_cpu;
  const std::uint64_t hash = hash_of_key(row);
  for (auto [it, end] = row_ids_.equal_range(hash); it != end; ++it) {
    if (same_key(rows_[it->second], row)) {
      rows_[it->second].value += row.value;
      rows_[it->second].samples += row.samples;
      return;
    }
  }
  row_ids_.emplace(hash, static_cast<std::uint32_t>(rows_.size()));
  rows_.push_back(row);
}

bool Profile::weigh(std::uint64_t factor, std::string_view unit) {
  std::uint64_t sum = 0;
  if (__builtin_mul_overflow(total(), factor, &sum)) return false;
  for (Row& row : rows_) row.value *= factor;
  run.unit = unit;
  return true;
}

void Profile::change_rows(const std::function<void(Row&)>& change) {
  std::vector<Row> rows;
  rows.swap(rows_);
  row_ids_.clear();
  for (Row& row : rows) {
    change(row);
    add(row);
  }
}

std::span<const FrameId> Profile::stack(StackId id) const {
  if (id == StackId::none || id == StackId::missed) return {};
  const StackSlice slice = stacks_[static_cast<std::size_t>(id)];
  return std::span(stack_frames_).subspan(slice.begin, slice.size);
}

StackEnd Profile::end_of(StackId id) const {
  return id == StackId::missed ? StackEnd::unknown : stacks_[static_cast<std::size_t>(id)].end;
}

SourceLocation Profile::source(SourceLocationId id) const {
  const SourceSlice slice = sources_[static_cast<std::size_t>(id)];
  return {.at = slice.at, .inlined = std::span(inlined_).subspan(slice.begin, slice.size)};
}

std::uint64_t Profile::total() const {
  std::uint64_t sum = 0;
  for (const Row& row : rows_) sum += row.value;
  return sum;
}

}  // namespace profile
