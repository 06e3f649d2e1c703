#include "process/code_files.h"

#include <algorithm>
#include <utility>

#include "process/proc_maps.h"
#include "support/deadline.h"
#include "support/hash.h"

namespace profile {
namespace {

// A file that could not be opened is tried again when other processes map it, but not for ever.
constexpr std::uint32_t most_failures = 3;
// A file that no process maps is closed after this time. It is long enough for the next process of a build to map the
// file again, and short enough for a user who unmounts its file system.
constexpr std::uint64_t expires_after_ns = 700'000'000;
// Reading a large program's symbols again takes a second. So what is known is kept this long after its last process.
constexpr std::uint64_t known_unmapped_ns = 600'000'000'000;
// A user with more such files than programs of a large build has its files forgotten sooner.
constexpr std::size_t most_unmapped = 4096;
constexpr std::uint64_t known_unmapped_of_many_ns = 10'000'000'000;
// The answer about a file that was open before takes microseconds, unless its file system does not answer.
constexpr std::chrono::milliseconds wait_for_ordinary_file{20};
// Files that did not answer, and may still do so.
constexpr std::size_t most_asked = 16'384;
// A file is asked for with others unless it was not needed in so many batches that needed any, or others were since.
constexpr std::uint64_t most_batches_unneeded = 12;
constexpr std::size_t most_needed = 96;

}  // namespace

void CodeFile::give_up(FileFault reason) {
  if (is_open_ && files_ != nullptr) files_->close(*this);
  unreadable = reason;
}

std::size_t CodeFiles::IdentityHash::operator()(const FileIdentity& identity) const noexcept {
  const std::uint64_t device = std::uint64_t{identity.device_major} << 32 | identity.device_minor;
  return hash_of(hash_of(hash_secret(), identity.inode), device);
}

CodeFiles::Id CodeFiles::mapped(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) {
  const auto known = ids_.find(identity);
  if (known == ids_.end()) return add(identity, path, mapped_by);
  // A process may map thousands of pieces of one file, so a file that is known costs no system call.
  if (files_[known->second].is_asked_) take_answers();
  CodeFile& file = files_[known->second];
  file.unused_since_ns_ = 0;
  file.is_expired_ = false;
  if (file.is_asked_) {
    if (!file.also_mapped_by_ || mapped_by.own_mounts) file.also_mapped_by_ = mapped_by;
    return known->second;
  }
  if (file.is_open_) {
    // While the file is open, its inode number cannot be given to another file. But its content can be written again.
    file.last_use_ = ++uses_;
    if (file.identity.generation == 0) file.identity.generation = identity.generation;
    ask_for_owner(file, mapped_by);
    if (file.checked_in_batch_ == batch_ && file.state_ != FileState::changed) return known->second;
    const FileState state = state_of(file);
    if (state == FileState::unknown) {
      CodeFile& since = add_unasked(identity, path, mapped_by);
      since.is_asked_ = true;
      state_questions_[file.number] = {.before = file.place_, .since = since.place_, .number = since.number};
      return since.place_;
    }
    if (state != FileState::changed) return known->second;
    file.give_up(FileFault::changed);
    return add(identity, path, mapped_by);
  }
  if (are_other_generations(identity.generation, file.identity.generation)) return add(identity, path, mapped_by);
  // A process with our mounts may be gone already: its path is still good.
  const bool is_better = mapped_by.own_mounts && !file.mapped_by_.own_mounts;
  file.mapped_by_ = mapped_by;
  const bool was_closed = file.unreadable == FileFault::none;
  const bool has_hope = file.unreadable == FileFault::gone || file.unreadable == FileFault::changed ||
                        file.unreadable == FileFault::malformed;
  // It is opened again while there is a process that can see it.
  if (was_closed || (has_hope && (file.failures_ < most_failures || is_better))) {
    ask(file);
    if (file.is_asked_ && file.stamp_ != FileStamp{} && keeper_.wait_for_answer(wait_for_ordinary_file)) take_answers();
  }
  // The file is not what it was when it was open.
  if (file.unreadable == FileFault::changed && file.stamp_ != FileStamp{}) {
    return add(identity, path, mapped_by);
  }
  return known->second;
}

// A program maps the same files as those before it. So their states are asked for in the same question: each question
// wakes up two processes.
FileState CodeFiles::state_of(CodeFile& file) {
  if (file.checked_in_batch_ == batch_) return file.state_;
  std::erase_if(needed_, [&](Id id) {
    const CodeFile& other = files_[id];
    return &other == &file || !other.is_open_ || batches_checked_ - other.needed_in_ > most_batches_unneeded;
  });
  if (checked_batch_ != batch_) ++batches_checked_;
  checked_batch_ = batch_;
  file.needed_in_ = batches_checked_;
  std::vector<FileNumber> numbers{file.number};
  std::vector<CodeFile*> asked{&file};
  for (const Id id : needed_) {
    CodeFile& other = files_[id];
    if (other.is_asked_ || other.checked_in_batch_ == batch_ || other.owner_ != file.owner_) continue;
    numbers.push_back(other.number);
    asked.push_back(&other);
  }
  if (needed_.size() == most_needed) needed_.erase(needed_.begin());
  needed_.push_back(file.place_);
  const std::vector<FileState> states = keeper_.states(numbers);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (i != 0 && states[i] == FileState::unknown) continue;
    asked[i]->checked_in_batch_ = batch_;
    asked[i]->state_ = states[i];
  }
  return states.front();
}

CodeFiles::Id CodeFiles::add(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) {
  CodeFile& file = add_unasked(identity, path, mapped_by);
  const Id id = file.place_;
  ask(file);
  return id;
}

CodeFile& CodeFiles::add_unasked(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by) {
  if (free_.empty()) {
    free_.push_back(static_cast<Id>(files_.size()));
    files_.emplace_back();
  }
  const Id id = free_.back();
  free_.pop_back();
  CodeFile& file = files_[id];
  file.number = FileNumber{++numbers_};
  file.identity = identity;
  file.path = clean_path(path);
  file.files_ = this;
  file.place_ = id;
  file.mapped_by_ = mapped_by;
  file.checked_in_batch_ = batch_;
  ids_[identity] = id;
  return file;
}

void CodeFiles::forget(Id id) {
  CodeFile& file = files_[id];
  if (file.is_open_) close(file);
  if (const auto known = ids_.find(file.identity); known != ids_.end() && known->second == id) ids_.erase(known);
  file = CodeFile();
  free_.push_back(id);
}

void CodeFiles::note_mapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns) {
  any_unused_ = any_expired_ = false;
  for (Id id = 0; id < files_.size(); ++id) {
    CodeFile& file = files_[id];
    if (!file.is_open_ && !file.is_asked_) continue;
    if (is_mapped[id]) {
      file.unused_since_ns_ = 0;
      file.is_expired_ = false;
      continue;
    }
    any_unused_ = true;
    if (file.unused_since_ns_ == 0) file.unused_since_ns_ = now_ns;
    file.is_expired_ = file.is_open_ && now_ns - file.unused_since_ns_ >= expires_after_ns;
    any_expired_ = any_expired_ || file.is_expired_;
  }
}

void CodeFiles::close_expired() {
  for (CodeFile& file : files_) {
    if (!file.is_expired_) continue;
    file.is_expired_ = false;
    file.unused_since_ns_ = 0;
    if (!file.is_open_) continue;
    file.is_deleted_ = keeper_.state(file.number) == FileKeeper::State::deleted;
    close(file);
  }
  any_expired_ = false;
  for (const std::uint32_t tgid : expired_perf_maps_) keeper_.drop_perf_map(tgid);
  expired_perf_maps_.clear();
}

void CodeFiles::hold_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> user) {
  held_perf_maps_.insert(tgid);
  if (expired_perf_maps_.erase(tgid) != 0) keeper_.drop_perf_map(tgid);  // the number is used again
  keeper_.hold_perf_map(tgid, user);
}

void CodeFiles::note_end(std::uint32_t tgid) {
  if (held_perf_maps_.erase(tgid) != 0) expired_perf_maps_.insert(tgid);
}

void CodeFiles::forget_unmapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns) {
  std::unordered_map<std::uint64_t, std::size_t> unmapped_by_user;
  for (Id id = 0; id < files_.size(); ++id) {
    CodeFile& file = files_[id];
    if (file.files_ == nullptr) continue;  // a free place
    if (is_mapped[id]) {
      file.unmapped_since_ns_ = 0;
      continue;
    }
    if (file.unmapped_since_ns_ == 0) file.unmapped_since_ns_ = now_ns;
    if (file.owner_ != 0) ++unmapped_by_user[file.owner_];
  }
  for (Id id = 0; id < files_.size(); ++id) {
    const CodeFile& file = files_[id];
    if (file.files_ == nullptr || is_mapped[id]) continue;
    const bool is_deleted = file.is_open_ ? keeper_.state(file.number) == FileKeeper::State::deleted : file.is_deleted_;
    const bool is_one_of_many = file.owner_ != 0 && unmapped_by_user[file.owner_] > most_unmapped;
    const std::uint64_t known_ns = is_one_of_many ? known_unmapped_of_many_ns : known_unmapped_ns;
    if (is_deleted || now_ns - file.unmapped_since_ns_ >= known_ns) forget(id);
  }
}

void CodeFiles::begin_batch() {
  ++batch_;
  if (!asked_.empty() || !state_questions_.empty()) take_answers();
}

void CodeFiles::ask(CodeFile& file) {
  if (open_count_ >= most_open_) make_room();
  file.is_asked_ = true;
  file.unreadable = FileFault::none;
  asked_[file.number] = file.place_;
  keeper_.open({.number = file.number, .identity = file.identity, .path = file.path, .mapped_by = file.mapped_by_});
  take_answers();
}

void CodeFiles::take_answers() {
  keeper_.take_answers([this](const FileAnswer& answer) { take(answer); });
}

void CodeFiles::ask_for_owner(CodeFile& file, const MappedBy& mapped_by) {
  if (!mapped_by.own_mounts || file.mapped_by_.own_mounts || file.number_of_own_ != FileNumber::none) return;
  file.number_of_own_ = FileNumber{++numbers_};
  file.own_mapped_by_ = mapped_by;
  asked_[file.number_of_own_] = file.place_;
  keeper_.open({.number = file.number_of_own_, .identity = file.identity, .path = file.path, .mapped_by = mapped_by});
}

void CodeFiles::take_owner(CodeFile& file, const FileAnswer& answer) {
  asked_.erase(answer.number);
  if (answer.reason != FileFault::none) {
    file.number_of_own_ = FileNumber::none;  // the process may have ended
    return;
  }
  const bool is_other = file.is_open_ && answer.owner != file.owner_ && answer.stamp.has_content_of(file.stamp_);
  if (!is_other) return keeper_.close(answer.number);
  keeper_.close(file.number);
  replaced_.push_back(file.number);
  file.number = answer.number;
  file.stamp_ = answer.stamp;
  file.owner_ = answer.owner;
  file.mapped_by_ = file.own_mapped_by_;
}

void CodeFiles::take_state(const FileAnswer& answer) {
  const auto found = state_questions_.find(answer.number);
  if (found == state_questions_.end()) return;
  const StateQuestion question = found->second;
  CodeFile& file = files_[question.since];
  const bool is_wanted = file.number == question.number;
  if (answer.state == FileState::unknown && is_wanted) {
    file.is_asked_ = false;
    file.unreadable = answer.reason == FileFault::none ? FileFault::no_answer : answer.reason;
    return;  // an answer may still come
  }
  state_questions_.erase(found);
  CodeFile& before = files_[question.before];
  const bool is_there = before.number == answer.number && before.is_open_;
  if (is_there && answer.state == FileState::changed) before.give_up(FileFault::changed);
  if (!is_wanted) return;
  if (!is_there || answer.state == FileState::changed) return ask(file);
  file.is_asked_ = false;
  file.unreadable = FileFault::no_answer;  // for callers that hold this one
  file.same_as_ = question.before;
  const auto id = ids_.find(file.identity);
  if (id != ids_.end() && id->second == question.since) id->second = question.before;
}

void CodeFiles::wait_for_states(std::chrono::milliseconds patience) {
  take_answers();
  const auto is_open = [this](const auto& question) {
    const CodeFile& file = files_[question.second.since];
    return file.number == question.second.number && file.is_asked_;
  };
  const Deadline deadline(patience);
  while (std::ranges::any_of(state_questions_, is_open)) {
    if (deadline.is_over() || !keeper_.wait_for_answer(deadline.left())) break;
    take_answers();
  }
}

void CodeFiles::take(const FileAnswer& answer) {
  if (answer.state) return take_state(answer);
  const auto asked = asked_.find(answer.number);
  if (asked != asked_.end() && files_[asked->second].number_of_own_ == answer.number) {
    return take_owner(files_[asked->second], answer);
  }
  if (asked == asked_.end() || files_[asked->second].number != answer.number) {
    // The file was forgotten before the answer came.
    if (answer.reason == FileFault::none) keeper_.close(answer.number);
    if (asked != asked_.end()) asked_.erase(asked);
    return;
  }
  CodeFile& file = files_[asked->second];
  file.is_asked_ = false;
  file.unreadable = answer.reason;
  if (answer.reason != FileFault::no_answer || asked_.size() > most_asked) asked_.erase(asked);
  const auto other_way = std::exchange(file.also_mapped_by_, std::nullopt);
  if (answer.reason != FileFault::none) {
    ++file.failures_;
    if (!other_way || answer.reason == FileFault::no_answer) return;
    const bool is_better = other_way->own_mounts && !file.mapped_by_.own_mounts;
    if (file.failures_ >= most_failures && !is_better) return;
    file.mapped_by_ = *other_way;
    return ask(file);
  }
  file.is_open_ = true;
  ++open_count_;
  file.last_use_ = ++uses_;
  const bool was_open_before = file.stamp_ != FileStamp{};
  if (was_open_before && !answer.stamp.has_content_of(file.stamp_)) {
    ++file.failures_;
    return file.give_up(FileFault::changed);
  }
  file.stamp_ = answer.stamp;
  file.owner_ = answer.owner;
  if (other_way) ask_for_owner(file, *other_way);
}

void CodeFiles::wait_for_files(std::span<CodeFile* const> files, std::chrono::milliseconds patience) {
  take_answers();
  for (CodeFile* const file : files) {
    if (!file->is_open_ && !file->is_asked_ && file->unreadable == FileFault::none) ask(*file);
    file->last_use_ = ++uses_;
  }
  const Deadline deadline(patience);
  for (CodeFile* const file : files) {
    while (file->is_asked_) {
      if (deadline.is_over() || !keeper_.wait_for_answer(deadline.left())) break;
      take_answers();
    }
    if (!file->is_asked_) continue;
    // The opener itself says so when a file system does not answer.
    file->is_asked_ = false;
    file->unreadable = FileFault::not_opened;
  }
}

void CodeFiles::close(CodeFile& file) {
  keeper_.close(file.number);
  file.is_open_ = false;
  --open_count_;
}

// Closes the eighth of the files that were not used for the longest time, so that this is seldom done. A user who has
// more than a quarter of all files makes room for the others.
void CodeFiles::make_room() {
  std::vector<CodeFile*> open;
  std::unordered_map<std::uint64_t, std::size_t> open_by_user;
  for (CodeFile& file : files_) {
    if (!file.is_open_) continue;
    open.push_back(&file);
    if (file.owner_ != 0) ++open_by_user[file.owner_];
  }
  if (open.empty()) return;
  const auto most = std::ranges::max_element(open_by_user, {}, [](const auto& user) { return user.second; });
  if (most != open_by_user.end() && most->second > open.size() / 4) {
    std::erase_if(open, [&](const CodeFile* file) { return file->owner_ != most->first; });
  }
  const auto end = open.begin() + static_cast<std::ptrdiff_t>((open.size() + 7) / 8);
  std::nth_element(open.begin(), end - 1, open.end(),
                   [](const CodeFile* a, const CodeFile* b) { return a->last_use_ < b->last_use_; });
  std::for_each(open.begin(), end, [this](CodeFile* file) { close(*file); });
}

}  // namespace profile
