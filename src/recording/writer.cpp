#include "recording/writer.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <span>
#include <utility>

#include "recording/part.h"
#include "recording/schema.h"

namespace profile {
namespace {

using namespace recording;

// A file that has a limit is made of so many chapters. When the samples of the oldest one are gone, so is its content.
constexpr std::uint64_t chapters_a_file = 8;
// Without a limit a chapter ends when it has this many bytes, so that the numbers that are kept in memory are bounded.
constexpr std::uint64_t largest_chapter_bytes = 256 << 20;

std::string text_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// A statement with many rows takes two thirds of the time.
constexpr std::size_t samples_a_statement = 64;

std::string insert_of_samples(std::size_t count) {
  std::string sql = "INSERT INTO samples VALUES";
  for (std::size_t i = 0; i < count; ++i) sql += i == 0 ? "(?, ?, ?, ?, ?, ?)" : ", (?, ?, ?, ?, ?, ?)";
  return sql;
}

void bind_unless(Statement& statement, int index, std::uint64_t value, std::uint64_t absent) {
  if (value == absent) {
    statement.bind_null(index);
  } else {
    statement.bind(index, value);
  }
}

// Binds a row of the table of samples. Returns the index of the next parameter.
int bind_sample(Statement& statement, int index, std::uint64_t key, const Tick::Sample& sample) {
  statement.bind(index++, key);
  statement.bind(index++, sample.thread);
  statement.bind(index++, sample.cpu);
  bind_unless(statement, index++, sample.stack, 0);
  statement.bind(index++, sample.value);
  statement.bind(index++, sample.event);
  return index;
}

}  // namespace

struct TickWriter::Statements {
  explicit Statements(Database& database)
      : event(database, "INSERT INTO events VALUES(?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
        process(database, "INSERT INTO processes VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
        changed_process(database, "UPDATE processes SET name = ?2, ended_unix_ns = ?3 WHERE id = ?1"),
        thread(database, "INSERT INTO threads VALUES(?1, ?2, ?3, ?4)"),
        binary(database, "INSERT INTO binaries VALUES(?1, ?2, ?3, ?4, ?5, ?6)"),
        frame(database, "INSERT INTO frames VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
        stack(database, "INSERT INTO stacks VALUES(?1, ?2, ?3)"),
        sample(database, insert_of_samples(1)),
        samples(database, insert_of_samples(samples_a_statement)),
        late_sample(database, "INSERT OR IGNORE INTO samples VALUES(?, ?, ?, ?, ?, ?)"),
        late_account(database,
                     "UPDATE account SET taken = taken + 1, recorded = recorded + 1 WHERE event = ?1 AND tick_us = "
                     "(SELECT min(tick_us) FROM account WHERE tick_us > ?2)"),
        account(database, "INSERT INTO account VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
        run(database, "UPDATE runs SET duration_us = ?1, removed = ?2, is_complete = ?3") {}

  Statement event, process, changed_process, thread, binary, frame, stack, sample, samples, late_sample, late_account,
      account, run;
};

TickWriter::TickWriter(const std::string& path, const RecordingLimits& limits)
    : limits_(limits), database_(path, SQLITE_OPEN_READWRITE, path) {
  database_.run("PRAGMA journal_mode = WAL");
  // A tick that was committed outlives a power cut.
  database_.run("PRAGMA synchronous = FULL");
  database_.run(("BEGIN;" + schema_in("main") + "COMMIT;").c_str());
  statements_ = std::make_unique<Statements>(database_);
}

TickWriter::~TickWriter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    ticks_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void TickWriter::begin(const std::vector<RecordedEvent>& events, const RunRow& row) {
  events_ = events;
  const RunInfo& run = events.front().run;
  database_.run("BEGIN");
  Statement insert(database_, "INSERT INTO runs VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, 0, 0)");
  const std::string command = text_of(run.command);
  insert.bind(1, PROFILE_VERSION);
  insert.bind(2, row.host);
  insert.bind(3, row.kernel);
  insert.bind(4, run.command_line);
  insert.bind(5, command);
  insert.bind(6, run.user_stacks);
  insert.bind(7, run.kernel_stacks);
  insert.bind(8, row.began_unix_ns);
  insert.run();
  // Now, and not in the first tick: a file that is cut off before that tells what it would have had.
  for (std::size_t event = 0; event < events.size(); ++event) add_event(event_number(event, false));
  database_.run("COMMIT");
  chapters_.push_back({});
  takes_wishes_ = true;
  // The signals of a run are for the main thread.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { write_ticks(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void TickWriter::add(std::unique_ptr<Tick> tick) {
  {
    const std::lock_guard lock(mutex_);
    if (error_) {
      lost_ += tick->samples.size();
      return;
    }
    waiting_ += tick->samples.size();
    if (tick->chapter) wants_chapter_ = false;
    ticks_.push_back(std::move(tick));
  }
  changed_.notify_all();
}

void TickWriter::save(double last_s, SavedRecording done) {
  {
    const std::lock_guard lock(mutex_);
    if (takes_wishes_) wishes_.push_back({.last_s = last_s, .done = std::exchange(done, nullptr)});
  }
  if (done) return done({});
  changed_.notify_all();
}

void TickWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  database_.close();
}

std::vector<Tick::Sample> TickWriter::take_spare() {
  const std::lock_guard lock(mutex_);
  spare_.clear();
  return std::move(spare_);
}

std::size_t TickWriter::waiting_samples() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}
std::uint64_t TickWriter::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}
std::optional<std::string> TickWriter::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}
std::uint64_t TickWriter::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}
std::uint64_t TickWriter::removed() const {
  const std::lock_guard lock(mutex_);
  return removed_;
}
bool TickWriter::wants_chapter() const {
  const std::lock_guard lock(mutex_);
  return wants_chapter_;
}

void TickWriter::write_ticks() {
  ::pthread_setname_np(::pthread_self(), "recorder");
  for (;;) {
    std::unique_ptr<Tick> tick;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_over_ || !ticks_.empty() || !wishes_.empty(); });
      if (ticks_.empty() && wishes_.empty()) break;
      if (ticks_.empty()) {
        const Wish wish = std::move(wishes_.front());
        wishes_.pop_front();
        lock.unlock();
        grant(wish);
        continue;
      }
      tick = std::move(ticks_.front());
      ticks_.pop_front();
    }
    const std::size_t samples = tick->samples.size();
    try {
      write(*tick);
    } catch (const Error& error) {
      fail(error.what());
    }
    const std::lock_guard lock(mutex_);
    if (error_) {
      lost_ += samples;
      break;
    }
    waiting_ -= samples;
    spare_ = std::move(tick->samples);
  }
  std::deque<Wish> left;
  {
    const std::lock_guard lock(mutex_);
    takes_wishes_ = false;
    left.swap(wishes_);
  }
  for (const Wish& wish : left) grant(wish);
  try {
    complete();
  } catch (const Error& error) {
    fail(error.what());
  }
}

void TickWriter::grant(const Wish& wish) {
  std::string bytes;
  try {
    bytes = part_of_recording(database_, wish.last_s);
  } catch (const std::exception&) {  // for want of memory
  }
  wish.done(std::move(bytes));
}

// The transaction was not committed, so the file has whole ticks only.
void TickWriter::fail(const std::string& why) {
  sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = why;
  for (const auto& tick : ticks_) lost_ += tick->samples.size();
  ticks_.clear();
  waiting_ = 0;
}

void TickWriter::write(const Tick& tick) {
  database_.run("BEGIN");
  note_chapter(tick);
  add_content(tick);
  add_accounts(tick);
  add_samples(tick);
  remove_oldest(tick);
  statements_->run.bind(1, tick.end_us);
  statements_->run.bind(2, removed());
  statements_->run.bind(3, tick.is_last);
  statements_->run.run();
  database_.run("COMMIT");
}

void TickWriter::add_event(std::uint32_t number) {
  const auto& [run, headline] = events_[event_of(number)];
  Statement& to = statements_->event;
  to.bind(1, number);
  to.bind(2, run.event);
  to.bind(3, run.unit.word());
  to.bind(4, run.counted);
  to.bind(5, run.tag);
  to.bind(6, run.title);
  to.bind(7, headline);
  to.bind(8, run.frequency_hz);
  to.bind(9, run.period_events);
  to.bind(10, is_part(number));
  to.run();
}

void TickWriter::add_content(const Tick& tick) {
  Statements& to = *statements_;
  for (const std::uint32_t number : tick.parts) add_event(number);
  for (const Tick::Process& process : tick.processes) {
    to.process.bind(1, process.id);
    to.process.bind(2, process.tgid);
    to.process.bind(3, process.image);
    to.process.bind(4, process.name);
    to.process.bind(5, process.cgroup);
    bind_unless(to.process, 6, process.began_unix_ns, 0);
    bind_unless(to.process, 7, process.ended_unix_ns, 0);
    to.process.bind(8, process.command_line);
    to.process.run();
  }
  for (const Tick::ChangedProcess& process : tick.changed_processes) {
    to.changed_process.bind(1, process.id);
    to.changed_process.bind(2, process.name);
    bind_unless(to.changed_process, 3, process.ended_unix_ns, 0);
    to.changed_process.run();
  }
  for (const Tick::Thread& thread : tick.threads) {
    to.thread.bind(1, thread.id);
    to.thread.bind(2, thread.process);
    to.thread.bind(3, thread.tid);
    to.thread.bind(4, thread.name);
    to.thread.run();
  }
  for (const Tick::Binary& binary : tick.binaries) {
    to.binary.bind(1, binary.id);
    to.binary.bind(2, binary.path);
    to.binary.bind(3, binary.build_id);
    to.binary.bind(4, binary.code_start);
    to.binary.bind(5, binary.code_limit);
    to.binary.bind(6, binary.code_offset);
    to.binary.run();
  }
  for (const Tick::Frame& frame : tick.frames) {
    to.frame.bind(1, frame.id);
    to.frame.bind(2, frame.kind);
    to.frame.bind(3, frame.name);
    to.frame.bind(4, frame.module);
    bind_unless(to.frame, 5, frame.offset, unknown_offset);
    bind_unless(to.frame, 6, frame.binary, 0);
    bind_unless(to.frame, 7, frame.address, 0);
    bind_unless(to.frame, 8, frame.function, unknown_offset);
    to.frame.bind(9, frame.is_return);
    to.frame.bind(10, frame.unnamed);
    to.frame.bind(11, frame.file);
    bind_unless(to.frame, 12, frame.line, 0);
    to.frame.run();
  }
  for (const Tick::Stack& stack : tick.stacks) {
    to.stack.bind(1, stack.id);
    bind_unless(to.stack, 2, stack.callers, 0);
    to.stack.bind(3, stack.frame);
    to.stack.run();
  }
}

void TickWriter::add_accounts(const Tick& tick) {
  for (std::size_t event = 0; event < tick.accounts.size(); ++event) {
    const Account& account = tick.accounts[event];
    int index = 0;
    for (const std::uint64_t value :
         {tick.ticked_us, std::uint64_t{event_number(event, false)}, account.taken, account.taken_idle,
          account.recorded, account.recorded_by_ring, account.idle, account.filtered, account.lost_ring_full,
          account.lost_spans_full, account.lost_unwritten, account.lost_unread}) {
      statements_->account.bind(++index, value);
    }
    statements_->account.run();
  }
}

void TickWriter::add_samples(const Tick& tick) {
  std::span<const Tick::Sample> left = tick.samples;
  while (!left.empty()) {
    // Samples ascend within a tick, so all others are as new as this one.
    const bool is_late = left.front().time_us < tick.begin_us;
    const std::size_t count = !is_late && left.size() >= samples_a_statement ? samples_a_statement : 1;
    const std::span<const Tick::Sample> now = left.first(count);
    if (is_late) {
      add_late(now.front());
    } else {
      add_newest(now, count == 1 ? statements_->sample : statements_->samples);
    }
    left = left.subspan(count);
  }
}

void TickWriter::add_newest(std::span<const Tick::Sample> samples, Statement& to) {
  int index = 1;
  for (const Tick::Sample& sample : samples) {
    // Several samples may have the same microsecond: of several CPUs, or all waits that the end of a run cuts off.
    last_key_ = std::max(sample.time_us * keys_a_microsecond, last_key_ + 1);
    index = bind_sample(to, index, last_key_, sample);
  }
  to.run();
}

// Its key may be taken. It is accounted for in the tick where it lies, so that a part of the recording is whole.
void TickWriter::add_late(const Tick::Sample& sample) {
  statements_->late_account.bind(1, sample.event);
  statements_->late_account.bind(2, sample.time_us);
  statements_->late_account.run();
  for (std::uint64_t key = sample.time_us * keys_a_microsecond;; ++key) {
    bind_sample(statements_->late_sample, 1, key, sample);
    statements_->late_sample.run();
    if (sqlite3_changes(database_.get()) == 0) continue;
    last_key_ = std::max(last_key_, key);
    return;
  }
}

void TickWriter::note_chapter(const Tick& tick) {
  if (!tick.chapter) return;
  chapters_.push_back({.first_key = last_key_ + 1, .first = *tick.chapter});
  chapter_bytes_ = used_bytes();
  chapter_us_ = tick.end_us;
}

std::uint64_t TickWriter::used_bytes() {
  const std::uint64_t pages = database_.number("PRAGMA page_count").value_or(0);
  const std::uint64_t unused = database_.number("PRAGMA freelist_count").value_or(0);
  return (pages - std::min(pages, unused)) * database_.number("PRAGMA page_size").value_or(0);
}

void TickWriter::remove_oldest(const Tick& newest) {
  std::uint64_t used = used_bytes();
  const std::uint64_t chapter_limit =
      limits_.max_bytes != 0 ? limits_.max_bytes / chapters_a_file : largest_chapter_bytes;
  const auto keep_us = static_cast<std::uint64_t>(limits_.keep_s * 1e6);
  {
    const std::lock_guard lock(mutex_);
    bytes_ = used;
    wants_chapter_ = used > chapter_bytes_ + chapter_limit ||
                     (keep_us != 0 && newest.end_us - chapter_us_ > keep_us / chapters_a_file);
  }
  const auto is_too_old = [&](std::uint64_t tick_us) { return keep_us != 0 && tick_us + keep_us < newest.end_us; };
  const auto is_too_large = [&] { return limits_.max_bytes != 0 && used > limits_.max_bytes; };
  if (keep_us == 0 && limits_.max_bytes == 0) return;
  for (;;) {
    const auto first = database_.number("SELECT min(tick_us) FROM account");
    if (!first || *first == newest.ticked_us) break;
    if (!is_too_old(*first) && !is_too_large()) break;
    remove_first_tick();
    used = used_bytes();
  }
  const std::lock_guard lock(mutex_);
  bytes_ = used;
  chapter_bytes_ = std::min(chapter_bytes_, used);
}

void TickWriter::remove_first_tick() {
  const std::string tick = "(SELECT min(tick_us) FROM account)";
  const std::string before = "DELETE FROM samples WHERE id < " + tick + " * " + std::to_string(keys_a_microsecond);
  database_.run(before.c_str());
  const auto samples = static_cast<std::uint64_t>(sqlite3_changes(database_.get()));
  database_.run(("DELETE FROM account WHERE tick_us = " + tick).c_str());
  {
    const std::lock_guard lock(mutex_);
    removed_ += samples;
  }
  const auto oldest = database_.number("SELECT min(id) FROM samples");
  while (chapters_.size() > 1 && (!oldest || *oldest >= chapters_[1].first_key)) remove_chapter();
}

void TickWriter::remove_chapter() {
  const Tick::Chapter next = chapters_[1].first;
  const auto remove = [this](const char* table, std::uint64_t first) {
    database_.run(("DELETE FROM " + std::string(table) + " WHERE id < " + std::to_string(first)).c_str());
  };
  remove("processes", next.process);
  remove("threads", next.thread);
  remove("binaries", next.binary);
  remove("frames", next.frame);
  remove("stacks", next.stack);
  chapters_.pop_front();
}

// One file, without companions.
void TickWriter::complete() {
  statements_.reset();
  database_.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database_.run("PRAGMA journal_mode = DELETE");
}

}  // namespace profile
