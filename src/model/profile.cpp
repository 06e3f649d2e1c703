#include "model/profile.h"

#include <algorithm>
#include <functional>

#include "support/hash.h"

namespace profile {
namespace {

template <class Id>
constexpr std::uint64_t number(Id id) {
  return static_cast<std::uint64_t>(id);
}

// Other users choose the addresses and the order of what follows from them, so all hashes begin with the secret.
std::uint64_t hash_of_key(const Row& row) {
  std::uint64_t hash = hash_of(hash_secret(), number(row.process) << 32 | row.tid);
  hash = hash_of(hash, number(row.thread_name) << 32 | row.cpu) + row.block;
  hash = hash_of(hash, number(row.waker) << 32 | number(row.tag));
  hash = hash_of(hash, number(row.waker_user) << 32 | number(row.waker_kernel));
  return hash_of(hash, number(row.user) << 32 | number(row.kernel));
}

std::uint64_t hash_of_place(RuntimeAddress address, ProcessId space, bool is_return) {
  return hash_of(hash_of(hash_secret(), address.value), number(space) << 1 | (is_return ? 1U : 0U));
}

std::uint64_t hash_of_content(const Frame& frame) {
  std::uint64_t hash = hash_of(hash_secret(), frame.address.value);
  hash = hash_of(hash, number(frame.space) << 32 | number(frame.symbol));
  hash = hash_of(hash, number(frame.module) << 32 | number(frame.binary));
  hash = hash_of(hash_of(hash, frame.offset), frame.function);
  return hash_of(hash, number(frame.source) << 32 | (frame.is_return ? 1U : 0U));
}

bool same_key(const Row& a, const Row& b) {
  return a.process == b.process && a.tid == b.tid && a.cpu == b.cpu && a.block == b.block &&
         a.thread_name == b.thread_name && a.user == b.user && a.kernel == b.kernel && a.tag == b.tag &&
         a.waker == b.waker && a.waker_user == b.waker_user && a.waker_kernel == b.waker_kernel;
}

}  // namespace

ProcessId Profile::process(std::uint32_t tgid, std::uint32_t image, std::string_view name) {
  const auto [found, is_new] =
      process_ids_.try_emplace(std::uint64_t{tgid} << 32 | image, static_cast<ProcessId>(processes_.size()));
  if (is_new) processes_.push_back(Process{.tgid = tgid, .image = image, .name = strings.intern(name)});
  return found->second;
}

std::optional<std::uint32_t> Profile::find_frame(std::uint64_t hash, RuntimeAddress address, ProcessId space,
                                                 bool is_return) const {
  return frame_ids_.find(hash, [&](std::uint32_t i) {
    return frames_[i].address == address && frames_[i].space == space && frames_[i].is_return == is_return;
  });
}

FrameId Profile::frame(ProcessId space, FrameKind kind, RuntimeAddress address, bool is_return) {
  const std::uint64_t hash = hash_of_place(address, space, is_return);
  if (const auto known = find_frame(hash, address, space, is_return)) return static_cast<FrameId>(*known);
  const std::size_t index = frames_.size();
  frame_ids_.add(hash, index);
  Frame& frame = frames_.emplace_back();
  frame.address = address;
  frame.space = space;
  frame.kind = kind;
  frame.is_return = is_return;
  return static_cast<FrameId>(index);
}

FrameId Profile::frame(const Frame& named) {
  const std::size_t index = frames_.size();
  const std::uint64_t hash = hash_of_place(named.address, named.space, named.is_return);
  if (const auto first = find_frame(hash, named.address, named.space, named.is_return)) {
    if (frames_[*first] == named) return static_cast<FrameId>(*first);
    const std::uint64_t content = hash_of_content(named);
    const auto is_same = [&](std::uint32_t i) { return frames_[i] == named; };
    if (const auto known = named_frame_ids_.find(content, is_same)) return static_cast<FrameId>(*known);
    named_frame_ids_.add(content, index);
  } else {
    frame_ids_.add(hash, index);
  }
  frames_.push_back(named);
  return static_cast<FrameId>(index);
}

StackId Profile::stack(std::span<const FrameId> leaf_first, StackEnd end) {
  if (leaf_first.empty()) return StackId::none;
  std::uint64_t hash = hash_of(hash_secret() ^ leaf_first.size(), number(end));
  for (const FrameId id : leaf_first) hash = hash_of(hash, number(id));
  const auto known = stack_ids_.find(hash, [&](std::uint32_t i) {
    const StackSlice& slice = stacks_[i];
    return slice.size == leaf_first.size() && slice.end == end &&
           std::equal(leaf_first.begin(), leaf_first.end(), stack_frames_.begin() + slice.begin);
  });
  if (known) return static_cast<StackId>(*known);
  const std::size_t index = stacks_.size();
  stacks_.push_back(StackSlice{.begin = static_cast<std::uint32_t>(stack_frames_.size()),
                               .size = static_cast<std::uint32_t>(leaf_first.size()),
                               .end = end});
  // `leaf_first` may point into stack_frames_, and inserting a vector into itself is undefined. It does so seldom.
  const FrameId* const own = stack_frames_.data();
  const bool is_own =
      !std::less<>{}(leaf_first.data(), own) && std::less<>{}(leaf_first.data(), own + stack_frames_.size());
  const std::vector<FrameId> copy(leaf_first.begin(), is_own ? leaf_first.end() : leaf_first.begin());
  if (is_own) leaf_first = copy;
  stack_frames_.insert(stack_frames_.end(), leaf_first.begin(), leaf_first.end());
  stack_ids_.add(hash, index);
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
  std::uint64_t hash = line(hash_secret() ^ source.inlined.size(), source.at);
  for (const InlinedFunction& function : source.inlined) {
    hash = line(hash_of(hash, number(function.symbol)), function.at);
  }
  const auto known = source_ids_.find(hash, [&](std::uint32_t i) {
    const SourceLocation other = this->source(static_cast<SourceLocationId>(i));
    return other.at == source.at && std::ranges::equal(other.inlined, source.inlined);
  });
  if (known) return static_cast<SourceLocationId>(*known);
  const std::size_t index = sources_.size();
  sources_.push_back(SourceSlice{.at = source.at,
                                 .begin = static_cast<std::uint32_t>(inlined_.size()),
                                 .size = static_cast<std::uint32_t>(source.inlined.size())});
  // A copy for the same reason as in stack().
  const std::vector<InlinedFunction> inlined(source.inlined.begin(), source.inlined.end());
  inlined_.insert(inlined_.end(), inlined.begin(), inlined.end());
  source_ids_.add(hash, index);
  return static_cast<SourceLocationId>(index);
}

BinaryId Profile::binary(const Binary& binary) {
  const auto [found, is_new] = binary_ids_.try_emplace(binary, static_cast<BinaryId>(binaries_.size()));
  if (is_new) binaries_.push_back(binary);
  return found->second;
}

std::uint32_t Profile::add(const Row& given) {
  Row row = given;
  clear_unkept(row);
  if (are_rows_moved_) index_rows();
  const std::uint64_t hash = hash_of_key(row);
  if (const auto known = merge_row(row, hash, rows_.size())) return *known;
  row_ids_.add(hash, rows_.size());
  rows_.push_back(row);
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

void Profile::clear_unkept(Row& row) const {
  if (!apart.by_thread) row.tid = 0;
  if (!apart.by_cpu) row.cpu = any_cpu;
}

std::optional<std::uint32_t> Profile::merge_row(const Row& row, std::uint64_t hash, std::size_t own_index) {
  const auto known = row_ids_.find(hash, [&](std::uint32_t i) { return i != own_index && same_key(rows_[i], row); });
  if (!known) return std::nullopt;
  rows_[*known].value += row.value;
  rows_[*known].samples += row.samples;
  return known;
}

void Profile::move_rows(const std::vector<std::uint32_t>& place) {
  are_rows_moved_ = true;  // the index is made again if a row is added, which a report does not do
  if (!timeline) return;
  for (TimedSample& sample : timeline->samples) sample.row = place[sample.row];
  std::erase_if(timeline->samples, [](const TimedSample& sample) { return sample.row == gone_row; });
}

void Profile::index_rows() {
  row_ids_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) row_ids_.add(hash_of_key(rows_[i]), i);
  are_rows_moved_ = false;
}

void Profile::forget_rows() {
  rows_.clear();
  row_ids_.clear();
  timeline.reset();
  account.forget_recorded();
}

bool Profile::weigh(std::uint64_t factor, Unit unit) {
  std::uint64_t sum = 0;
  if (__builtin_mul_overflow(total(), factor, &sum)) return false;
  for (Row& row : rows_) row.value *= factor;
  if (timeline) {
    for (TimedSample& sample : timeline->samples) sample.value *= factor;
  }
  run.unit = unit;
  return true;
}

void Profile::change_rows(const std::function<void(Row&)>& change) {
  if (are_rows_moved_) index_rows();
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row before = rows_[i];
    change(rows_[i]);
    clear_unkept(rows_[i]);
    if (!same_key(before, rows_[i])) changed.push_back(i);
  }
  // Mostly few rows change. The others still differ from each other, so only the changed ones are looked up. What the
  // index says of a changed row's old key matches no row any more.
  std::vector<std::uint32_t> merged_into;  // by row; gone_row: it stays
  for (const std::size_t i : changed) {
    const std::uint64_t hash = hash_of_key(rows_[i]);
    if (const auto equal = merge_row(rows_[i], hash, i)) {
      merged_into.resize(rows_.size(), gone_row);
      merged_into[i] = *equal;
    } else {
      row_ids_.add(hash, i);
    }
  }
  if (merged_into.empty()) return;
  std::vector<std::uint32_t> place(rows_.size(), gone_row);
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (merged_into[i] != gone_row) continue;
    rows_[kept] = rows_[i];
    place[i] = kept++;
  }
  // A row that another one was merged into stays, because only later rows look for it.
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (merged_into[i] != gone_row) place[i] = place[merged_into[i]];
  }
  rows_.resize(kept);
  move_rows(place);
}

void Profile::keep_rows(const std::function<bool(const Row&)>& is_kept) {
  std::uint64_t samples = 0;
  std::vector<std::uint32_t> place(rows_.size(), gone_row);
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (is_kept(rows_[i])) {
      rows_[kept] = rows_[i];
      place[i] = kept++;
    } else {
      samples += rows_[i].samples;
    }
  }
  rows_.resize(kept);
  move_rows(place);
  if (!account.is_known) return;
  samples = std::min(samples, account.recorded);
  account.recorded -= samples;
  account.recorded_by_ring = std::min(account.recorded_by_ring, account.recorded);
  account.filtered += samples;
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

bool Profile::knows_samples() const {
  const auto any = [this](std::uint64_t Row::*part) {
    return std::ranges::any_of(rows_, [part](const Row& row) { return row.*part != 0; });
  };
  return account.is_known || any(&Row::samples) || !any(&Row::value);
}

}  // namespace profile
