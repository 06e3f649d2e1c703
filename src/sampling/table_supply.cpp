#include "sampling/table_supply.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "process/timeline.h"
#include "sampling/script_program.h"
#include "support/clock.h"
#include "support/plural.h"
#include "support/work_budget.h"

namespace profile {
namespace {

// After this time a question is dropped: its process has ended, or the file's disk or network does not answer. The next
// walk that meets the file asks again.
constexpr std::uint64_t patience_ns = 2'000'000'000;
// The longest time for one call of supply(), because the caller has other work.
constexpr std::uint64_t at_once_ns = 5'000'000;
// While this process looks up an entry of a map, the kernel runs no program on trace events on that CPU. So it is not
// done each time that an answer is still to come.
constexpr std::uint64_t sort_every_ns = 20'000'000;
// See OwnerEfforts, in steps of WorkBudget. A table of a million rows takes 20 million, and the largest programs have
// some millions.
constexpr std::uint64_t most_steps = 1ULL << 28;
constexpr std::uint32_t most_tries = 8;
constexpr std::size_t least_remembered = 2048;
// When more questions wait, those that cannot be answered at once are dropped. So files that do not open cannot fill
// the map of files.
constexpr std::size_t most_asked = 2048;
// A file that could not be read, or whose table found no room, is tried again after this time, then after twice this
// time, and so on. It may have been the parser's fault.
constexpr std::uint64_t try_again_after_ns = 1'000'000'000;
// When the owner's files have cost too much lately.
constexpr std::uint64_t too_costly_for_ns = 5'000'000'000;
// Whether the processes that have copied code still have it.
constexpr std::uint64_t look_at_copies_every_ns = 1'000'000'000;
constexpr std::size_t most_again = 16384;
constexpr std::size_t most_costly = 1000;
constexpr std::size_t most_unshown = 16;  // interpreters that are named
// A table is removed when no walk has looked it up for this time, at the latest after twice this time.
constexpr std::uint64_t sweep_every_ns = 120'000'000'000;

// In steps of WorkBudget: the cost of a question about even the smallest file.
constexpr std::uint64_t steps_a_file = 1ULL << 16;

// In walk_file_key::version: user space has made this key, because the file's true key is not known. No walk in the
// kernel finds it.
constexpr std::uint32_t own_version = 0xffffffff;

// As CodeFile::owner(), of files whose owner is not known. They must not count as root's.
constexpr std::uint64_t unknown_owner = UINT64_MAX - 1;

std::uint64_t owner_of(const CodeFile& file) {
  const bool is_known = file.is_open() || file.stamp().size_bytes != 0;
  return is_known ? file.owner() : unknown_owner;
}

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

// Whether the key can be that of the file with this stamp. True where the file system does not tell generations.
bool may_be_version(std::uint32_t version, const FileStamp& stamp) {
  if (version == own_version || stamp.generation == 0) return true;
  const std::chrono::nanoseconds modified(stamp.modified_ns);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(modified);
  const std::uint32_t known = WALK_FILE_VERSION(stamp.generation, static_cast<std::uint32_t>(seconds.count()),
                                                static_cast<std::uint32_t>((modified - seconds).count()), 0U, 0U);
  return (known ^ version) <= WALK_FILE_TOUCHED;
}

// The key by which the kernel's walk will ask for the file, as far as its file system tells what it is made of. Files
// that came with the image of a disk have the generation 0.
walk_file_key true_key_of(const walk_file_key& key, const FileStamp& stamp) {
  const bool is_on_disk = key.device >> minor_bits != 0;
  if (key.version != own_version || (stamp.generation == 0 && !is_on_disk)) return key;
  constexpr std::int64_t ns_in_second = 1'000'000'000;
  const auto seconds = [](std::int64_t ns) { return static_cast<std::uint32_t>(ns / ns_in_second); };
  const auto rest = [](std::int64_t ns) { return static_cast<std::uint32_t>(ns % ns_in_second); };
  walk_file_key known = key;
  known.version = WALK_FILE_VERSION(stamp.generation, seconds(stamp.modified_ns), rest(stamp.modified_ns),
                                    seconds(stamp.changed_ns), rest(stamp.changed_ns));
  return known;
}

walk_copy_key key_of(const CodeCopy& copy) {
  return {.start = copy.start, .end = copy.end, .tgid = copy.tgid, .unused = 0};
}

CodeLocation located(const ring_file& question, std::uint64_t time_ns, ProcessTimeline& timeline) {
  const std::uint32_t image = timeline.image_at(question.tgid, time_ns);
  return timeline.locate(question.tgid, image, RuntimeAddress{question.start});
}

}  // namespace

TableSupply::TableSupply(bpf_object& object, FileReader& reader)
    : reader_(reader),
      tables_(object),
      effort_(most_steps, true),
      other_numbers_(least_remembered),
      tries_(least_remembered) {
  const void* const config = bpf_section_memory(object, ".rodata.walk", sizeof(walk_config));
  languages_ = static_cast<const walk_config*>(config)->languages;
}

void TableSupply::ask(const ring_file& question) {
  asked_.push_back({.question = question, .since_ns = monotonic_ns()});
  sorted_until_ns_ = 0;
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
  forget_replaced(timeline);
  try_again();
  tell_copies(timeline);
  hand_over_held(false);
  const std::uint64_t end_ns = monotonic_ns() + at_once_ns;
  answer_while([end_ns] { return monotonic_ns() < end_ns; }, timeline);
}

void TableSupply::answer_while(const std::function<bool()>& may_go_on, ProcessTimeline& timeline) {
  if (asked_.empty()) return;
  effort_.renew(monotonic_ns());
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
  hand_over_held(may_wait);
  work.take(spent_steps_ - before);
}

void TableSupply::expect_scripts(ProcessTimeline& timeline, std::uint32_t tgid) {
  if (languages_ == 0) return;
  constexpr std::uint64_t most_early_work = 1ULL << 25;  // in steps of WorkBudget: some ten interpreters
  const std::uint64_t now_ns = monotonic_ns();
  const std::vector<MappedFile> all = timeline.files_of(tgid, timeline.image_at(tgid, now_ns));
  const auto is_interpreter = [](const MappedFile& mapped) { return is_named_as_interpreter(mapped.file->path); };
  if (std::ranges::none_of(all, is_interpreter)) return;
  for (const MappedFile& mapped : all) {
    // Each stack ends in the program and in the C library, and a walk that stops there has no functions of scripts.
    const std::string_view name = std::string_view(mapped.file->path).substr(mapped.file->path.rfind('/') + 1);
    const bool is_of_all = &mapped == all.data() || name.starts_with("libc.") || name.starts_with("libc-");
    const bool is_known = known(mapped.file).state != WALK_FILE_ASKED;
    if (!is_known && (is_of_all || is_interpreter(mapped))) want(*mapped.file, tgid, now_ns, mapped.start.value);
  }
  if (asked_.empty()) return;
  if (script_program_ != nullptr) script_program_->settle();
  WorkBudget work(most_early_work);
  hurry(timeline, true, work);
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
  const walk_file_key* const known = tables_.key_of(file.number);
  if (known != nullptr && known->version != own_version) return;
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
  if (asked_.size() < 2 || monotonic_ns() < sorted_until_ns_) return;
  sorted_until_ns_ = monotonic_ns() + sort_every_ns;
  std::map<walk_file_key, std::uint32_t, WalkFileOrder> met;
  for (const Asked& asked : asked_) met[asked.question.key] = tables_.met(asked.question.key);
  std::ranges::stable_sort(asked_, std::ranges::greater(), [&](const Asked& asked) { return met[asked.question.key]; });
}

bool TableSupply::answer(const Asked& asked, ProcessTimeline& timeline) {
  const walk_file_key& key = asked.question.key;
  // It was asked before the answer to an earlier question came. To make the table again would take it away for some
  // milliseconds, in which walks would ask again, and so on.
  if (tables_.find(key).state != WALK_FILE_ASKED || is_held(key)) return true;
  if (is_vdso(key)) {
    make(key, {}, 0);
    return true;
  }
  const bool is_late = monotonic_ns() - asked.since_ns > patience_ns || asked_.size() > most_asked;
  const auto later = [&] {
    if (is_late) tables_.forget(key);
    return is_late;
  };
  const auto is_found = [](const CodeLocation& place) {
    using Kind = CodeLocation::Kind;
    return place.kind != Kind::unknown && place.kind != Kind::nowhere && place.kind != Kind::unfollowed;
  };
  CodeLocation place = located(asked.question, asked.question.time_ns, timeline);
  // The timeline may know nothing of that time, although the mapping is still there now.
  if (!is_found(place)) place = located(asked.question, monotonic_ns(), timeline);
  if (!is_found(place)) {
    timeline.look_again(asked.question.tgid);
    place = located(asked.question, monotonic_ns(), timeline);
  }
  if (!is_found(place)) return later();
  if (place.file == nullptr) {
    give_up(key);
    return true;
  }
  begin_script_program(place.file->path);
  // The walk in the kernel has asked meanwhile, and the file was answered under its true key.
  if (key.version == own_version && tables_.key_of(place.file->number) != nullptr) return true;
  if (!is_surely(key, *place.file)) {
    tables_.forget(key);
    return true;
  }
  if (!may_be_version(key.version, place.file->stamp())) return later();
  if (place.file->is_open()) {
    make(true_key_of(key, place.file->stamp()),
         {.number = place.file->number, .path = place.file->path, .mapped_by = place.file->mapped_by()},
         place.file->owner());
    return true;
  }
  const FileFault why = place.file->unreadable;
  if (why == FileFault::none || may_open_later(why)) return later();
  if (why != FileFault::gone && why != FileFault::changed) {
    const WalkTables::Of of{.owner = owner_of(*place.file), .number = place.file->number};
    if (why == FileFault::parser_gave_up) {
      refuse_for_longer(key, of);
    } else {
      refuse(key, of);
    }
    return true;
  }
  // The file is opened through a mapping of it, which may have been replaced. A later mapping may last longer.
  if (is_late) give_up(key);
  return is_late;
}

void TableSupply::give_up(const walk_file_key& key) {
  if (++tries_[key] < most_tries) {
    tables_.forget(key);
  } else {
    tables_.refuse(key, {.owner = unknown_owner, .number = FileNumber::none});
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
  return std::exchange(other_numbers_[key], file.number) == file.number;
}

void TableSupply::make(const walk_file_key& key, const FileRef& file, std::uint64_t owner) {
  const WalkTables::Of of{.owner = owner, .number = file.number};
  if (!effort_.begin(owner, value_of(file.number))) {
    note_costly(file.number);
    return refuse_for(too_costly_for_ns, key, of);
  }
  WorkBudget& budget = effort_.budget();
  const std::uint64_t given = budget.left();
  UnwindOfFile made = reader_.unwind_table(file, budget);
  budget.take(steps_a_file);
  // It may have cost any time.
  if (made.failed == FileFault::parser_gave_up) budget.take(given);
  spent_steps_ += given - budget.left();
  const Effort::Verdict verdict = effort_.end();
  const bool is_spent = made.failed == FileFault::none && made.fault == UnwindFault::spent;
  if (is_spent) note_costly(file.number);
  if (is_spent && verdict == Effort::Verdict::later) return refuse_for(too_costly_for_ns, key, of);
  if (is_spent || made.failed != FileFault::none) return refuse_for_longer(key, of);
  const Interpreter& interpreter = made.interpreter;
  const bool is_wanted = (languages_ >> interpreter.language & 1) != 0;
  if (is_wanted) note_interpreter(file.path, interpreter);
  if (is_wanted && interpreter.has_layout() && script_program_ != nullptr && !script_program_->is_settled()) {
    held_.push_back({.key = key, .made = std::move(made), .of = of});
  } else {
    hand_over(key, made, of);
  }
}

void TableSupply::hand_over(const walk_file_key& key, const UnwindOfFile& made, const WalkTables::Of& of) {
  const Interpreter& interpreter = made.interpreter;
  const bool is_shown = (languages_ >> interpreter.language & 1) != 0 && interpreter.has_layout();
  const script_layout* const layout = is_shown ? &interpreter.layout : nullptr;
  const auto added =
      made.fault == UnwindFault::none ? tables_.add(key, made.table, layout, of) : WalkTables::Added::other_machine;
  if (added == WalkTables::Added::no_room) {
    note_costly(of.number);
    return refuse_for_longer(key, of);
  }
  costly_.erase(of.number);
  tries_.erase(key);
  if (added != WalkTables::Added::added) return refuse(key, of);
  ++changes_;
}

// The kernel takes longer for the program than the file to be opened and read.
void TableSupply::begin_script_program(std::string_view path) {
  if (script_program_ != nullptr && is_named_as_interpreter(path)) static_cast<void>(script_program_->is_settled());
}

bool TableSupply::is_held(const walk_file_key& key) const {
  return std::ranges::any_of(held_,
                             [&](const Held& held) { return std::is_eq(WalkFileOrder::compare(held.key, key)); });
}

void TableSupply::hand_over_held(bool at_once) {
  if (held_.empty() || (!at_once && !script_program_->is_settled())) return;
  for (const Held& held : std::exchange(held_, {})) hand_over(held.key, held.made, held.of);
}

void TableSupply::note_costly(FileNumber number) {
  if (costly_.size() < most_costly) costly_.insert(number);
}

void TableSupply::note_interpreter(std::string_view path, const Interpreter& interpreter) {
  if (interpreter.has_layout() || unshown_.size() == most_unshown) return;
  unshown_.try_emplace(std::string(path), interpreter);
}

void TableSupply::refuse(const walk_file_key& key, const WalkTables::Of& of) {
  tables_.refuse(key, of);
  ++changes_;
}

void TableSupply::refuse_for(std::uint64_t delay_ns, const walk_file_key& key, const WalkTables::Of& of) {
  refuse(key, of);
  again_.emplace(monotonic_ns() + delay_ns, key);
}

void TableSupply::refuse_for_longer(const walk_file_key& key, const WalkTables::Of& of) {
  const std::uint32_t tries = tries_[key]++;
  if (tries < most_tries) {
    refuse_for(try_again_after_ns << tries, key, of);
  } else {
    refuse(key, of);
  }
}

void TableSupply::try_again() {
  const std::uint64_t now_ns = monotonic_ns();
  std::vector<walk_file_key> due;
  while (!again_.empty() && (again_.begin()->first <= now_ns || again_.size() > most_again)) {
    const walk_file_key& key = again_.begin()->second;
    if (tables_.find(key).state == WALK_FILE_NONE) due.push_back(key);
    again_.erase(again_.begin());
  }
  if (!due.empty()) tables_.forget(due);
}

void TableSupply::forget_replaced(ProcessTimeline& timeline) {
  std::vector<walk_file_key> keys;
  for (const FileNumber number : timeline.take_replaced_numbers()) {
    const auto is_replaced = [number](const Held& held) { return held.of.number == number; };
    for (const Held& held : held_) {
      if (is_replaced(held)) keys.push_back(held.key);
    }
    std::erase_if(held_, is_replaced);
    if (const walk_file_key* const key = tables_.key_of(number)) keys.push_back(*key);
  }
  if (!keys.empty()) tables_.forget(keys);
}

void TableSupply::tell_copies(ProcessTimeline& timeline) {
  const std::uint64_t now_ns = monotonic_ns();
  for (const CodeCopy& copy : timeline.copies_since(copies_noted_)) {
    if (copies_.size() < WALK_MOST_COPIES)
      copies_.push_back({.at = copy, .until_ns = now_ns + patience_ns, .told_as = {}});
  }
  const bool is_due = now_ns >= copies_due_ns_;
  if (is_due) copies_due_ns_ = now_ns + look_at_copies_every_ns;
  are_copies_new_ = false;
  std::erase_if(copies_, [&](Copy& copy) {
    if (!is_due && is_told(copy)) return false;
    const bool is_there = tell(copy, now_ns, timeline);
    if (!is_there) tables_.forget_copy(key_of(copy.at));
    if (is_there && !is_told(copy) && now_ns < copy.until_ns) are_copies_new_ = true;
    return !is_there;
  });
}

bool TableSupply::is_told(const Copy& copy) const {
  const walk_file_key* const known = copy.told_as ? tables_.key_of(copy.number) : nullptr;
  return known != nullptr && std::is_eq(WalkFileOrder::compare(*known, *copy.told_as));
}

bool TableSupply::tell(Copy& copy, std::uint64_t now_ns, ProcessTimeline& timeline) {
  const std::uint32_t image = timeline.image_at(copy.at.tgid, now_ns);
  if (timeline.life_of(copy.at.tgid, image).ended_ns != 0) return false;
  const CodeLocation place = timeline.locate(copy.at.tgid, image, RuntimeAddress{copy.at.start});
  if (place.kind != CodeLocation::Kind::file) return now_ns < copy.until_ns;
  if (place.file->number == copy.number && is_told(copy)) return true;
  copy.number = place.file->number;
  copy.told_as.reset();
  if (tables_.set_copy(key_of(copy.at), copy.at.start - place.offset.value, copy.number)) {
    copy.told_as = *tables_.key_of(copy.number);
    return true;
  }
  // The file may be slow to open. It is asked for again now and then, as a walk would do.
  if (now_ns > copy.until_ns + too_costly_for_ns) copy.until_ns = now_ns + patience_ns;
  if (now_ns < copy.until_ns) want(*place.file, copy.at.tgid, now_ns, copy.at.start);
  return true;
}

std::vector<std::string> TableSupply::notes() const {
  std::vector<std::string> lines;
  for (const auto& [path, interpreter] : unshown_) {
    const std::string version = interpreter.version.empty() ? "" : ' ' + interpreter.version;
    std::string& line = lines.emplace_back("functions of ");
    line += name_of(interpreter.language);
    line += version;
    line += " are not shown (" + path + "): ";
    line += text_of(interpreter.fault);
  }
  if (costly_.empty()) return lines;
  const std::string more = costly_.size() == most_costly ? "at least " : "";
  lines.push_back(more + number_of(costly_.size(), "file") +
                  " had no unwind table for some time, because of the limits "
                  "for the work and the memory of one user's files");
  return lines;
}

walk_file TableSupply::known(const CodeFile* file) const {
  return file == nullptr ? tables_.find({}) : tables_.of(file->number);
}

bool TableSupply::is_known_as(const CodeFile& file, const walk_file_key& key) const {
  const walk_file_key* const known = tables_.key_of(file.number);
  return known != nullptr && std::is_eq(WalkFileOrder::compare(*known, key));
}

}  // namespace profile
