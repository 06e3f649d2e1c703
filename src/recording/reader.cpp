// Reads a recording. The file is not trusted: it is opened for reading only, no trigger and no view of it is run, the
// text of each table must be ours, and numbers are checked before they are used.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <limits>
#include <unordered_map>
#include <utility>

#include "files/database_file.h"
#include "model/run_words.h"
#include "model/stored_stack.h"
#include "recording/database.h"
#include "recording/recording.h"
#include "recording/schema.h"
#include "support/clock.h"
#include "support/fd.h"
#include "support/hash.h"

namespace profile {
namespace {

using namespace recording;

// No stack has more frames, with inlined ones. A larger number in a file is a mistake, or malice.
constexpr std::size_t most_frames = 1 << 14;
constexpr int most_text_bytes = 1 << 20;
// Many rows may lead to one long stack or text, so a small file could fill the memory. A recording of a day has less.
constexpr std::size_t most_frames_of_all_stacks = std::size_t{1} << 27;
constexpr std::size_t most_bytes_of_all_texts = std::size_t{1} << 29;
constexpr std::size_t most_events = 1000;
// So many steps of SQLite's machine are spent on its check of the file, some tenths of a second.
constexpr int most_check_steps = 20'000'000;

// The name of the file in a URI.
std::string uri_of(const std::string& path, bool is_immutable) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  if (!path.starts_with('/')) uri += "./";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte > '~' || c == '%' || c == '?' || c == '#') {
      uri.append({'%', digits[byte >> 4], digits[byte & 15]});
    } else {
      uri += c;
    }
  }
  return uri + "?mode=ro" + (is_immutable ? "&immutable=1" : "");
}

bool has_log(const std::string& path) {
  struct stat log {};
  return ::stat((path + "-wal").c_str(), &log) == 0 && log.st_size != 0;
}

// A file that nobody writes, and whose recorder was not killed, is complete in itself.
Database open_recording(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw system_error("cannot read " + path, errno);
  const bool is_immutable = !is_being_written(file.get()) && !has_log(path);
  return {uri_of(path, is_immutable), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path};
}

void distrust(Database& database) {
  sqlite3* const handle = database.get();
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW}) {
    sqlite3_db_config(handle, off, 0, nullptr);
  }
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, most_text_bytes);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 64);
  database.run("PRAGMA cell_size_check = ON");
}

int has_steps_left(void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; }

// A large file is checked only in part, because this reads all of it.
void check_pages(Database& database, const std::string& path) {
  constexpr int steps_a_call = 1000;
  int calls = most_check_steps / steps_a_call;
  sqlite3_progress_handler(database.get(), steps_a_call, has_steps_left, &calls);
  std::string answer;
  try {
    answer = database.text("PRAGMA quick_check(1)");
  } catch (const DatabaseError& error) {
    if (error.code() != SQLITE_INTERRUPT) throw;
    answer = "ok";
  }
  sqlite3_progress_handler(database.get(), 0, nullptr, nullptr);
  if (answer != "ok") throw Error(path + ": the recording is damaged: " + answer.substr(0, answer.find('\n')));
}

void check_schema(Database& database, const std::string& path) {
  if (database.number("PRAGMA application_id") != application_id) throw Error(path + ": a database, but no recording");
  if (const auto found = database.number("PRAGMA user_version"); found != version) {
    throw Error(path + ": a recording of version " + std::to_string(found.value_or(0)) +
                "; this program reads version " + std::to_string(version));
  }
  for (const Table& table : tables) {
    Statement query(database, "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?1");
    query.bind(1, table.name);
    if (!query.next() || query.text(0) != table.sql) {
      throw Error(path + ": the recording's table " + std::string(table.name) + " is not as this program makes it");
    }
  }
  if (database.number("SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'view')") != 0) {
    throw Error(path + ": the recording has indices or triggers that this program does not make");
  }
}

class Reader {
 public:
  Reader(const std::string& path, const ReadRequest& request, const OnRecordedSample& on_sample)
      : path_(path), request_(request), on_sample_(on_sample), database_(open_recording(path)) {
    distrust(database_);
    check_schema(database_, path_);
    check_pages(database_, path_);
  }

  Profile read() {
    read_run();
    read_events();
    read_account();
    Lookups lookups(database_);
    lookups_ = &lookups;
    read_samples();
    lookups_ = nullptr;
    return std::move(profile_);
  }

 private:
  struct Lookups {
    explicit Lookups(Database& database)
        : thread(database, "SELECT process, tid, name FROM threads WHERE id = ?1"),
          process(database,
                  "SELECT tgid, image, ifnull(command_line, name), cgroup, began_unix_ns FROM processes WHERE id = ?1"),
          binary(database, "SELECT path, build_id, code_start, code_limit, code_offset FROM binaries WHERE id = ?1"),
          frame(database,
                "SELECT kind, name, module, offset, binary, address, function, is_return, unnamed, file, line "
                "FROM frames WHERE id = ?1"),
          stack(database, "SELECT callers, frame FROM stacks WHERE id = ?1") {}
    Statement thread, process, binary, frame, stack;
  };
  struct Thread {
    ProcessId process{};
    std::uint32_t tid = 0;
    StringId name = StringId::empty;
    bool is_wanted = false;
  };
  struct Event {
    std::uint32_t index = 0;  // Sample::event
    bool is_part = false;
  };
  struct StackNode {
    std::uint64_t callers = 0;  // 0: none
    std::uint64_t frame = 0;
  };
  [[nodiscard]] Error damaged(const std::string& why) const {
    return Error(path_ + ": the recording is damaged: " + why);
  }

  // A number of the file that must fit into 32 bits.
  [[nodiscard]] std::uint32_t small(const Statement& row, int column, const char* what) const {
    const std::uint64_t number = row.number(column);
    if (number > UINT32_MAX) throw damaged(std::string(what) + " " + std::to_string(number));
    return static_cast<std::uint32_t>(number);
  }

  std::string_view view(const Statement& row, int column) {
    const std::string_view text = row.text(column);
    text_bytes_ += text.size();
    if (text_bytes_ > most_bytes_of_all_texts) throw damaged("its names are too long");
    return text;
  }
  StringId text(const Statement& row, int column) { return profile_.strings.intern(view(row, column)); }

  void read_run() {
    Statement row(
        database_,
        "SELECT began_unix_ns, duration_us, command_line, user_stacks, kernel_stacks, host FROM runs WHERE id = 1");
    if (!row.next()) throw damaged("it has no run");
    began_unix_ns_ = row.number(0);
    duration_us_ = row.number(1);
    profile_.run.command_line = row.text(2);
    profile_.run.user_stacks = row.number(3) != 0;
    profile_.run.kernel_stacks = row.number(4) != 0;
    profile_.run.host = row.text(5);
    if (duration_us_ > std::numeric_limits<std::int64_t>::max() / keys_a_microsecond) throw damaged("its duration");
  }

  void read_events() {
    Statement row(database_,
                  "SELECT id, name, unit, counted, tag, title, headline, frequency_hz, period_events, is_part "
                  "FROM events ORDER BY id");
    std::vector<std::string> names;
    std::vector<RunInfo> runs;  // of those events that the request does not leave out
    while (row.next()) {
      const std::string name(row.text(1));
      if (std::ranges::count(names, name) == 0) names.push_back(name);
      if (names.size() > most_events) throw damaged("it has too many events");
      if (!request_.event.empty() && name != request_.event) continue;
      const auto known = std::ranges::find(runs, name, &RunInfo::event);
      const auto index = static_cast<std::uint32_t>(known - runs.begin());
      RunInfo& run = known == runs.end() ? runs.emplace_back(profile_.run) : *known;
      const bool is_part = row.number(9) != 0;
      if (index == 0 || request_.all_events) events_[row.number(0)] = {.index = index, .is_part = is_part};
      run.event = name;
      run.unit = row.text(2);
      run.counted = row.text(3);
      run.tag = row.text(4);
      run.title = row.text(5);
      run.frequency_hz = row.number(7);
      run.period_events = row.number(8);
      if (index != 0) continue;
      headline_ = row.text(6);
      if (!is_part) event_ = row.number(0);
    }
    if (names.empty()) throw damaged("it has no events");
    if (!runs.empty()) {
      profile_.run = runs.front();
      profile_.other_events.assign(runs.begin() + 1, runs.end());
      return;
    }
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    throw Error(path_ + " has samples of " + all + ", not of " + request_.event);
  }

  // The time in seconds of the run.
  [[nodiscard]] double in_run(const std::optional<double>& time, ClockKind clock, double absent) const {
    if (!time) return absent;
    if (clock == ClockKind::of_run) return *time;
    const double began_s = to_seconds(began_unix_ns_);
    if (clock == ClockKind::since_1970) return *time - began_s;
    const auto whole = static_cast<std::time_t>(began_s);
    std::tm day{};
    ::localtime_r(&whole, &day);
    const double since_midnight = 3600.0 * day.tm_hour + 60.0 * day.tm_min + day.tm_sec + began_s - std::floor(began_s);
    constexpr double day_s = 86400;
    const double in_run = *time - since_midnight;
    return in_run < -day_s / 2 ? in_run + day_s : in_run;  // the run has passed midnight
  }

  // The part of the run that is wanted, in microseconds.
  void read_account() {
    const double length_s = static_cast<double>(duration_us_) / 1e6;
    const double from_s = std::max(in_run(request_.from_s, request_.from_clock, 0), 0.0);
    const double to_s = std::max(in_run(request_.to_s, request_.to_clock, HUGE_VAL), 0.0);
    const auto us = [&](double seconds) {
      return static_cast<std::uint64_t>(std::llround(std::min(seconds, length_s + 3600) * 1e6));
    };
    from_us_ = us(from_s);
    to_us_ = to_s == HUGE_VAL ? std::numeric_limits<std::int64_t>::max() / keys_a_microsecond : us(to_s);
    if (to_us_ < from_us_) throw Error(path_ + ": the part that is asked for ends before it begins");
    profile_.began_unix_ns = began_unix_ns_ + from_us_ * 1000;
    profile_.duration_ns = (std::min(to_us_, duration_us_) - std::min(from_us_, duration_us_)) * 1000;
    if (!request_.is_all()) {
      profile_.run.is_request_known = false;
      profile_.account.is_known = false;
      return;
    }
    profile_.run.headline = headline_;
    profile_.run.duration_s = length_s;
    Statement sum(database_,
                  "SELECT sum(taken), sum(taken_idle), sum(recorded), sum(recorded_by_ring), sum(idle), sum(filtered), "
                  "sum(lost_ring_full), sum(lost_spans_full), sum(lost_unwritten), sum(lost_unread) FROM account "
                  "WHERE event = ?1");
    sum.bind(1, event_);
    if (!sum.next()) return;
    int column = 0;
    Account& account = profile_.account;
    for (std::uint64_t Account::*const count :
         {&Account::taken, &Account::taken_idle, &Account::recorded, &Account::recorded_by_ring, &Account::idle,
          &Account::filtered, &Account::lost_ring_full, &Account::lost_spans_full, &Account::lost_unwritten,
          &Account::lost_unread}) {
      account.*count = sum.number(column++);
    }
  }

  void read_samples() {
    Statement row(database_,
                  "SELECT id, thread, cpu, stack, value, event FROM samples WHERE id >= ?1 AND id < ?2 ORDER BY id");
    row.bind(1, from_us_ * keys_a_microsecond);
    row.bind(2, to_us_ * keys_a_microsecond);
    std::uint64_t sum = 0;
    std::uint64_t recorded = 0;
    while (row.next()) {
      const auto known = events_.find(row.number(5));
      if (known == events_.end()) continue;
      const Event event = known->second;
      const Thread& thread = thread_of(row.number(1));
      const std::uint32_t cpu = small(row, 2, "the CPU of a sample");
      if (!thread.is_wanted || !takes_cpu(cpu)) continue;
      const StacksOfRow stacks = row.is_null(3) ? StacksOfRow() : stacks_of(row.number(3), thread.process);
      const std::uint64_t value = row.number(4);
      if (__builtin_add_overflow(sum, value, &sum)) throw damaged("the values add up to more than 2^64 - 1");
      recorded += event.is_part || event.index != 0 ? 0 : 1;
      const std::uint64_t time_us = row.number(0) / keys_a_microsecond;
      const Sample sample{.row = {.process = thread.process,
                                  .tid = thread.tid,
                                  .cpu = cpu,
                                  .thread_name = thread.name,
                                  .user = stacks.user,
                                  .kernel = stacks.kernel,
                                  .tag = stacks.tag,
                                  .value = value,
                                  .samples = event.is_part ? 0U : 1U},
                          .time_ns = time_us * 1000,
                          .unix_ns = began_unix_ns_ + time_us * 1000,
                          .cpu = cpu,
                          .event = event.index};
      if (on_sample_) {
        on_sample_(profile_, sample);
      } else {
        profile_.add(sample.row);
      }
    }
    // The reader gets what the file has. What its limits have removed is not there, so it is no part of the account.
    if (request_.is_all() && profile_.account.recorded != recorded) {
      profile_.account.taken -= std::min(profile_.account.taken, profile_.account.recorded);
      profile_.account.recorded = recorded;
      profile_.account.taken += recorded;
    }
  }

  [[nodiscard]] bool takes_cpu(std::uint32_t cpu) const {
    return request_.cpus.empty() || std::ranges::count(request_.cpus, static_cast<int>(cpu)) != 0;
  }

  const Thread& thread_of(std::uint64_t number) {
    const auto [place, is_new] = threads_.try_emplace(number);
    if (!is_new) return place->second;
    Statement& row = lookups_->thread;
    row.bind(1, number);
    if (!row.next()) throw damaged("it has no thread " + std::to_string(number));
    Thread& thread = place->second;
    const std::uint64_t process = row.number(0);
    thread.tid = small(row, 1, "the thread id");
    thread.name = text(row, 2);
    row.reset();
    thread.is_wanted = read_process(process, thread);
    return thread;
  }

  // Whether the request wants samples of the thread.
  bool read_process(std::uint64_t number, Thread& thread) {
    Statement& row = lookups_->process;
    row.bind(1, number);
    if (!row.next()) throw damaged("it has no process " + std::to_string(number));
    const std::uint32_t tgid = small(row, 0, "the process id");
    const std::uint32_t image = small(row, 1, "the program of a process");
    // Another chapter of the file may have it again, with a name from later on.
    const std::string name(view(row, 2));
    const std::string cgroup(view(row, 3));
    const std::uint64_t began_unix_ns = row.number(4);
    row.reset();
    thread.process = profile_.process(tgid, image, name);
    profile_.process(thread.process).began_unix_ns = began_unix_ns;
    const auto has = [](const auto& list, auto value) { return list.empty() || std::ranges::count(list, value) != 0; };
    if (!has(request_.tgids, tgid) || !has(request_.tids, thread.tid)) return false;
    const auto is_below = [](std::string_view path, std::string_view group) {
      return path.starts_with(group) &&
             (path.size() == group.size() || path[group.size()] == '/' || group.ends_with('/'));
    };
    if (!request_.cgroup.empty() && !is_below(cgroup, request_.cgroup)) return false;
    const std::string_view own = profile_.strings.view(thread.name);
    return request_.names.empty() || std::ranges::any_of(request_.names, [&](std::string_view pattern) {
             return pattern.ends_with('*') ? own.starts_with(pattern.substr(0, pattern.size() - 1)) : own == pattern;
           });
  }

  StacksOfRow stacks_of(std::uint64_t number, ProcessId process) {
    const auto key = std::pair(number, process);
    const auto [place, is_new] = stacks_.try_emplace(key);
    if (is_new) place->second = read_stack(number, process);
    return place->second;
  }

  StacksOfRow read_stack(std::uint64_t number, ProcessId process) {
    path_of(number);
    frames_of_all_stacks_ += frame_path_.size();
    if (frames_of_all_stacks_ > most_frames_of_all_stacks) {
      throw Error(path_ + ": its stacks have more frames than fit into memory; --from and --to choose a part");
    }
    outermost_first_.clear();
    for (std::size_t i = frame_path_.size(); i-- != 0;) outermost_first_.push_back(&stored_frame(frame_path_[i]));
    return stack_maker_.make(profile_, process, outermost_first_);
  }

  // The frames of a stack, leaf first. A stack has a larger number than that of its callers, so there is an end.
  void path_of(std::uint64_t number) {
    frame_path_.clear();
    while (number != 0) {
      const StackNode& node = stack_node(number);
      frame_path_.push_back(node.frame);
      if (frame_path_.size() > most_frames) throw damaged("stack " + std::to_string(number) + " has too many frames");
      number = node.callers;
    }
  }

  // Many stacks share their callers, and a query takes twenty times as long as this table.
  const StackNode& stack_node(std::uint64_t number) {
    const auto [place, is_new] = stack_nodes_.try_emplace(number);
    if (!is_new) return place->second;
    Statement& row = lookups_->stack;
    row.bind(1, number);
    if (!row.next()) throw damaged("it has no stack " + std::to_string(number));
    place->second = {.callers = row.is_null(0) ? 0 : row.number(0), .frame = row.number(1)};
    row.reset();
    if (place->second.callers >= number) throw damaged("the callers of stack " + std::to_string(number));
    return place->second;
  }

  const FrameInStore& stored_frame(std::uint64_t number) {
    const auto [place, is_new] = frames_.try_emplace(number);
    if (is_new) place->second = read_frame(number);
    return place->second;
  }

  FrameInStore read_frame(std::uint64_t number) {
    Statement& row = lookups_->frame;
    row.bind(1, number);
    if (!row.next()) throw damaged("it has no frame " + std::to_string(number));
    const auto number_or = [&](int column, std::uint64_t absent) {
      return row.is_null(column) ? absent : row.number(column);
    };
    const std::uint64_t binary = number_or(4, 0);
    const FrameInStore stored = frame_in_store(profile_,
                                               {.kind = row.text(0),
                                                .name = view(row, 1),
                                                .module = view(row, 2),
                                                .file = view(row, 9),
                                                .unnamed = row.is_null(8) ? std::string_view() : row.text(8),
                                                .line = small(row, 10, "a line"),
                                                .offset = number_or(3, unknown_offset),
                                                .function = number_or(6, unknown_offset),
                                                .address = number_or(5, 0),
                                                .is_return = row.number(7) != 0},
                                               binary == 0 ? BinaryId::none : binary_of(binary));
    row.reset();
    return stored;
  }

  BinaryId binary_of(std::uint64_t number) {
    const auto [place, is_new] = binaries_.try_emplace(number, BinaryId::none);
    if (!is_new) return place->second;
    Statement& row = lookups_->binary;
    row.bind(1, number);
    if (!row.next()) throw damaged("it has no binary " + std::to_string(number));
    const Binary binary{.path = text(row, 0),
                        .build_id = text(row, 1),
                        .code = {.start = ElfAddress{row.number(2)},
                                 .limit = ElfAddress{row.number(3)},
                                 .offset = FileOffset{row.number(4)}}};
    row.reset();
    place->second = profile_.binary(binary);
    return place->second;
  }

  // The file chooses the numbers.
  struct NumberHash {
    std::size_t operator()(std::uint64_t number) const { return hash_of(hash_secret(), number); }
    std::size_t operator()(const std::pair<std::uint64_t, ProcessId>& key) const {
      return hash_of((*this)(key.first), static_cast<std::uint64_t>(key.second));
    }
  };
  template <class Key, class Value>
  using ByNumber = std::unordered_map<Key, Value, NumberHash>;

  const std::string& path_;
  const ReadRequest& request_;
  const OnRecordedSample& on_sample_;
  Database database_;
  Profile profile_;
  std::uint64_t began_unix_ns_ = 0;
  std::uint64_t duration_us_ = 0;
  std::string headline_;
  std::uint64_t event_ = 0;  // the number of Profile::run's event
  std::uint64_t from_us_ = 0;
  std::uint64_t to_us_ = 0;
  ByNumber<std::uint64_t, Event> events_;  // those whose samples are wanted, by number
  Lookups* lookups_ = nullptr;
  ByNumber<std::uint64_t, Thread> threads_;
  ByNumber<std::uint64_t, FrameInStore> frames_;
  ByNumber<std::uint64_t, BinaryId> binaries_;
  ByNumber<std::pair<std::uint64_t, ProcessId>, StacksOfRow> stacks_;
  ByNumber<std::uint64_t, StackNode> stack_nodes_;
  std::size_t frames_of_all_stacks_ = 0;
  std::size_t text_bytes_ = 0;
  std::vector<std::uint64_t> frame_path_;
  std::vector<const FrameInStore*> outermost_first_;
  StackMaker stack_maker_;
};

}  // namespace

Profile read_recording(const std::string& path, const ReadRequest& request, const OnRecordedSample& on_sample) {
  return Reader(path, request, on_sample).read();
}

}  // namespace profile
