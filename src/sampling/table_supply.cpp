#include "sampling/table_supply.h"

#include <algorithm>
#include <utility>

#include "process/timeline.h"
#include "support/clock.h"
#include "support/work_budget.h"

namespace profile {
namespace {

// After this time a question is dropped: its process has ended, or the file's disk or network does not answer. The next
// walk that meets the file asks again.
constexpr std::uint64_t patience_ns = 2'000'000'000;
// The longest time for one call of supply(), because the caller has other work.
constexpr std::uint64_t at_once_ns = 5'000'000;
// In steps of WorkBudget, for one file: ten times what the largest programs take.
constexpr std::uint64_t most_steps = 1ULL << 30;
constexpr std::uint32_t most_tries = 8;
constexpr std::size_t most_remembered = 4096;
// A table is removed when no walk has looked it up for this time, at the latest after twice this time.
constexpr std::uint64_t sweep_every_ns = 120'000'000'000;

// In steps of WorkBudget: the cost of a question about even the smallest file.
constexpr std::uint64_t steps_a_file = 1ULL << 16;

// In walk_file_key::version: user space has made this key, because the file's true key is not known. No walk in the
// kernel finds it.
constexpr std::uint32_t own_version = 0xffffffff;

bool is_vdso(const walk_file_key& key) { return key.inode == 0 && key.device == 0; }

constexpr std::uint32_t minor_bits = 20;  // of super_block::s_dev

ring_file question_of(const walk_file_key& key, std::uint32_t tgid, std::uint64_t time_ns, std::uint64_t address) {
  return {.header = {.type = RING_FILE, .generation = 0},
          .key = key,
          .time_ns = time_ns,
          .start = address,
          .end = address + 1,
          .tgid = tgid,
          .unused = 0};
}

CodeLocation located(const ring_file& question, std::uint64_t time_ns, ProcessTimeline& timeline) {
  const std::uint32_t image = timeline.image_at(question.tgid, time_ns);
  return timeline.locate(question.tgid, image, RuntimeAddress{question.start});
}

}  // namespace

void TableSupply::ask(const ring_file& question) {
  asked_.push_back({.question = question, .since_ns = monotonic_ns()});
}

void TableSupply::note_drained(std::uint32_t generation) {
  tables_.note_drained(generation);
  const std::uint64_t now_ns = monotonic_ns();
  if (swept_ns_ == 0) swept_ns_ = now_ns;
  if (now_ns - swept_ns_ < sweep_every_ns) return;
  swept_ns_ = now_ns;
  tables_.forget_unmet();
}

void TableSupply::supply(ProcessTimeline& timeline) {
  const std::uint64_t end_ns = monotonic_ns() + at_once_ns;
  answer_while([end_ns] { return monotonic_ns() < end_ns; }, timeline);
}

void TableSupply::answer_while(const std::function<bool()>& may_go_on, ProcessTimeline& timeline) {
  if (asked_.empty()) return;
  sort_by_need();
  std::erase_if(asked_, [&](const Asked& asked) { return may_go_on() && answer(asked, timeline); });
}

void TableSupply::hurry(ProcessTimeline& timeline, bool may_wait, WorkBudget& work) {
  if (may_wait) {
    std::vector<CodeFile*> files;
    for (const Asked& asked : asked_) {
      CodeFile* const file = located(asked.question, asked.question.time_ns, timeline).file;
      if (file != nullptr && !file->is_open()) files.push_back(file);
    }
    timeline.wait_for_files(files, patience_with_files);
  }
  const std::uint64_t before = spent_steps_;
  const std::uint64_t most = work.left();
  answer_while([&] { return spent_steps_ - before < most; }, timeline);
  work.take(spent_steps_ - before);
}

void TableSupply::want(const CodeFile& file, std::uint32_t tgid, std::uint64_t time_ns, std::uint64_t address) {
  const FileIdentity& identity = file.identity;
  const walk_file_key key{.inode = identity.inode,
                          .device = identity.device_major << minor_bits | identity.device_minor,
                          .version = own_version};
  if (asked_for(key) == nullptr) ask(question_of(key, tgid, time_ns, address));
}

void TableSupply::was_met(const walk_file_key& key, const CodeFile& file, std::uint32_t tgid, std::uint64_t time_ns,
                          std::uint64_t address) {
  const auto known = keys_.find(file.number);
  if (known != keys_.end() && known->second.version != own_version) return;
  const ring_file question = question_of(key, tgid, time_ns, address);
  if (Asked* const asked = asked_for(key)) {
    asked->question = question;
  } else {
    ask(question);
  }
}

TableSupply::Asked* TableSupply::asked_for(const walk_file_key& key) {
  const auto asked = std::ranges::find_if(
      asked_, [&](const Asked& each) { return std::is_eq(WalkFileOrder::compare(each.question.key, key)); });
  return asked == asked_.end() ? nullptr : &*asked;
}

void TableSupply::sort_by_need() {
  if (asked_.size() < 2) return;
  std::map<walk_file_key, std::uint32_t, WalkFileOrder> met;
  for (const Asked& asked : asked_) met[asked.question.key] = tables_.met(asked.question.key);
  std::ranges::stable_sort(asked_, std::ranges::greater(), [&](const Asked& asked) { return met[asked.question.key]; });
}

bool TableSupply::answer(const Asked& asked, ProcessTimeline& timeline) {
  const walk_file_key& key = asked.question.key;
  if (is_vdso(key)) {
    make(key, {});
    return true;
  }
  const bool is_late = monotonic_ns() - asked.since_ns > patience_ns;
  const auto later = [&] {
    if (is_late) tables_.forget(key);
    return is_late;
  };
  const auto is_found = [](const CodeLocation& place) {
    return place.kind != CodeLocation::Kind::unknown && place.kind != CodeLocation::Kind::nowhere;
  };
  CodeLocation place = located(asked.question, asked.question.time_ns, timeline);
  // The timeline may know nothing of that time, although the mapping is still there now.
  if (!is_found(place)) place = located(asked.question, monotonic_ns(), timeline);
  if (!is_found(place)) return later();
  if (place.file == nullptr) {
    give_up(key);
    return true;
  }
  // The walk in the kernel has asked meanwhile, and the file was answered under its true key.
  if (key.version == own_version && keys_.contains(place.file->number)) return true;
  if (!is_surely(key, *place.file)) {
    tables_.forget(key);
    return true;
  }
  if (place.file->is_open()) {
    make(key, {.number = place.file->number, .path = place.file->path, .mapped_by = place.file->mapped_by()});
    return true;
  }
  const Unnamed why = place.file->unreadable;
  if (why == Unnamed::named || why == Unnamed::no_answer) return later();
  if (why != Unnamed::file_gone && why != Unnamed::file_changed) {
    refuse(key, place.file->number);
    return true;
  }
  // The file is opened through a mapping of it, which may have been replaced. A later mapping may last longer.
  if (is_late) give_up(key);
  return is_late;
}

void TableSupply::give_up(const walk_file_key& key) {
  if (tries_.size() == most_remembered && !tries_.contains(key)) tries_.clear();
  if (++tries_[key] < most_tries) {
    tables_.forget(key);
  } else {
    tables_.refuse(key);
  }
}

// The timeline may not know yet that a mapping was replaced, and then names the file before it. On the same device
// another inode is another file. On another device it may be an overlay, whose files have inodes of their own: that is
// accepted when the timeline names the same file twice.
bool TableSupply::is_surely(const walk_file_key& key, const CodeFile& file) {
  const FileIdentity& identity = file.identity;
  const bool same_device = identity.device_major == key.device >> minor_bits &&
                           identity.device_minor == (key.device & ((1U << minor_bits) - 1));
  if (same_device) return identity.inode == key.inode;
  if (other_numbers_.size() == most_remembered && !other_numbers_.contains(key)) other_numbers_.clear();
  const auto [number, is_new] = other_numbers_.try_emplace(key, file.number);
  return !is_new && std::exchange(number->second, file.number) == file.number;
}

void TableSupply::make(const walk_file_key& key, const FileRef& file) {
  WorkBudget budget(most_steps);
  const UnwindOfFile made = reader_.unwind_table(file, budget);
  spent_steps_ += steps_a_file + most_steps - budget.left();
  const bool has_table = made.failed == Unnamed::named && made.fault == UnwindFault::none;
  if (!has_table || !tables_.add(key, made.table)) {
    refuse(key, file.number);
    return;
  }
  note_key(file.number, key);
}

void TableSupply::refuse(const walk_file_key& key, std::uint64_t number) {
  tables_.refuse(key);
  note_key(number, key);
}

// When keys_ is full it is cleared; walks in user space then wait for some tables in vain.
void TableSupply::note_key(std::uint64_t number, const walk_file_key& key) {
  ++changes_;
  if (keys_.size() == most_remembered && !keys_.contains(number)) keys_.clear();
  walk_file_key& known = keys_[number];
  const walk_file_key before = std::exchange(known, key);
  if (before.version == own_version && key.version != own_version) tables_.forget(before);
}

walk_file TableSupply::known(const CodeFile* file) const {
  if (file == nullptr) return tables_.find({});
  const auto key = keys_.find(file->number);
  return key == keys_.end() ? walk_file{} : tables_.find(key->second);
}

bool TableSupply::is_known_as(const CodeFile& file, const walk_file_key& key) const {
  const auto known = keys_.find(file.number);
  return known != keys_.end() && std::is_eq(WalkFileOrder::compare(known->second, key));
}

}  // namespace profile
