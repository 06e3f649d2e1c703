#include "store/reader.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/run_words.h"
#include "model/stored_stack.h"
#include "push/store_request.h"
#include "store/row_binary.h"
#include "store/tables.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/hash.h"
#include "support/plural.h"

namespace profile {
namespace {

constexpr std::int64_t usual_length_s = 3600;
constexpr std::uint64_t most_ticks = 256;
// Of one answer. A day of a large service has less.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;
constexpr std::uint64_t most_short_bytes = std::uint64_t{4} << 20;
constexpr std::size_t most_frames = 1 << 14;  // of a stack
constexpr std::size_t most_frames_of_all_stacks = std::size_t{1} << 26;
// A process has frames of its own.
constexpr std::size_t most_made_frames = std::size_t{1} << 22;
constexpr std::size_t most_processes = std::size_t{1} << 18;
constexpr std::size_t most_bytes_of_all_texts = std::size_t{1} << 29;
constexpr std::size_t most_kinds = 1000;
// So many stacks of the services and days are read, whether they are needed or not: to find that out takes longer.
constexpr std::uint64_t most_unchosen_stacks = 50'000;
constexpr std::string_view end_of_query = " FORMAT RowBinary";

// What all rows of a kind share.
struct SampleKind {
  std::string event;
  std::string title;
  std::string unit;
  std::uint32_t frequency_hz = 0;
  std::uint64_t period_events = 0;
  std::uint64_t samples = 0;
  std::uint32_t first_s = 0;
  std::uint32_t last_s = 0;
  std::uint32_t tick_ms = 0;
};

struct StoredSample {
  std::uint32_t block = 0;
  ProcessId process{};
  std::uint64_t stack = 0;
  std::uint64_t value = 0;
  std::uint64_t samples = 0;
};

class Reader {
 public:
  Reader(const AskStore& ask, const std::string& name, const ReadRequest& request, const OnStoredSample& on_sample,
         const std::function<void(const std::string&)>& note)
      : ask_(ask), name_(name), request_(request), on_sample_(on_sample), note_(note) {}

  Profile read(std::int64_t now_s) {
    choose_tables();
    choose_times(now_s);
    choose_kinds();
    read_samples();
    choose_stacks();
    read_frames();
    read_stacks();
    add_samples();
    profile_.run.is_request_known = false;
    profile_.run.processes_by_name = true;
    profile_.account.is_known = false;
    if (unknown_samples_ != 0) {
      note_(name_ + ": " + number_of(unknown_samples_, "sample") + plural(unknown_samples_, " has", " have") +
            " a stack that the store does not have");
    }
    return std::move(profile_);
  }

 private:
  [[nodiscard]] Error error(const std::string& why) const { return Error(name_ + ": " + why); }
  [[nodiscard]] Error nonsense() const { return error("what it answers makes no sense"); }

  // Calls `read` for each row of the answer. It is called again with more bytes if the reader is short of them, so it
  // may not keep anything then.
  template <class Read>
  void each_row(const std::string& sql, std::uint64_t bytes, const Read& read) {
    constexpr std::size_t most_row_bytes = std::size_t{8} << 20;
    std::string kept;
    // A server that has begun its answer says in it that it cannot go on. No row begins so.
    constexpr std::string_view begin_of_exception = "Code: ";
    const auto fail = [&](const char* why) {
      const auto exception = kept.starts_with(begin_of_exception) ? exception_in(kept) : std::nullopt;
      throw exception ? error(exception->text) : error(why);
    };
    const auto take = [&](std::string_view piece) {
      kept.append(piece);
      std::size_t at = 0;
      while (at < kept.size()) {
        const std::string_view rest = std::string_view(kept).substr(at);
        if (rest.starts_with(begin_of_exception)) break;
        RowReader row(rest);
        read(row);
        if (row.is_wrong()) throw nonsense();
        if (row.is_short()) break;
        at = kept.size() - row.left();
      }
      kept.erase(0, at);
      if (kept.size() > most_row_bytes) throw nonsense();
    };
    ask_(sql, bytes, take);
    if (!kept.empty()) fail("its answer is cut off");
  }

  std::uint64_t count(const std::string& from) {
    std::uint64_t count = 0;
    each_row("SELECT count() FROM " + from + std::string(end_of_query), most_short_bytes,
             [&](RowReader& row) { count = row.number<std::uint64_t>(); });
    return count;
  }

  // Where there are Distributed tables, they have the rows of all servers.
  void choose_tables() {
    if (count("system.tables WHERE database = currentDatabase() AND name = 'all_samples'") != 0) prefix_ = "all_";
  }

  // Where the services have many stacks, only those that are needed.
  void choose_stacks() {
    if (count(table(stacks_table) + where_of_stacks()) <= most_unchosen_stacks) return;
    needed_stacks_ = " AND stack" + in() + "(SELECT stack FROM " + table(samples_table) + where_of_kind() + ")";
    needed_frames_ = " AND frame" + in() + "(SELECT arrayJoin(frames) FROM " + table(stacks_table) + where_of_stacks() +
                     needed_stacks_ + ")";
  }

  // A time in seconds since midnight, of the day of `near_s` or so many days later.
  static std::int64_t time_of_day(double time, std::int64_t near_s, int days) {
    const auto near = static_cast<std::time_t>(near_s);
    std::tm day{};
    ::localtime_r(&near, &day);
    day.tm_mday += days;
    day.tm_hour = static_cast<int>(time) / 3600;
    day.tm_min = static_cast<int>(time) / 60 % 60;
    day.tm_sec = static_cast<int>(time) % 60;
    day.tm_isdst = -1;
    return std::mktime(&day);
  }

  // A time of the request in seconds since 1970; of times of day the last one.
  [[nodiscard]] std::int64_t since_1970(double time, ClockKind clock, std::int64_t now_s) const {
    if (clock == ClockKind::of_run) {
      throw error("a store has no first second: times are as -1h, 14:03:10 or '2026-11-28 14:03:10'");
    }
    double seconds = time;
    if (clock == ClockKind::of_day) {
      const std::int64_t today = time_of_day(time, now_s, 0);
      seconds = static_cast<double>(today > now_s ? time_of_day(time, now_s, -1) : today);
    }
    return std::llround(std::clamp(seconds, 0.0, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
  }

  void choose_times(std::int64_t now_s) {
    to_s_ = request_.to_s ? since_1970(*request_.to_s, request_.to_clock, now_s) : now_s + 1;
    from_s_ = request_.from_s ? since_1970(*request_.from_s, request_.from_clock, now_s)
                              : std::max<std::int64_t>(to_s_ - usual_length_s, 0);
    const auto is_of_day = [](const auto& time, ClockKind clock) { return time && clock == ClockKind::of_day; };
    if (is_of_day(request_.from_s, request_.from_clock) && is_of_day(request_.to_s, request_.to_clock)) {
      // The first one after the beginning: midnight may be between them.
      to_s_ = time_of_day(*request_.to_s, from_s_, 0);
      if (to_s_ <= from_s_) to_s_ = time_of_day(*request_.to_s, from_s_, 1);
    }
    if (to_s_ <= from_s_) throw error("the part that is asked for ends before it begins");
    if (!request_.tgids.empty() || !request_.tids.empty() || !request_.cpus.empty() || !request_.cgroup.empty()) {
      throw error(
          "a store does not tell processes by number, threads, CPUs or cgroups; --service, --host and --comm choose");
    }
  }

  [[nodiscard]] std::string any_of_names() const {
    std::string any;
    for (const std::string& pattern : request_.names) {
      any += (any.empty() ? "" : " OR ") + sql_matches("process", pattern);
    }
    return any;
  }

  // What chooses rows of samples, without the event.
  [[nodiscard]] std::string where() const {
    std::string sql = " WHERE time >= toDateTime(" + std::to_string(from_s_) + ") AND time < toDateTime(" +
                      std::to_string(to_s_) + ")";
    if (!request_.service.empty()) sql += " AND " + sql_matches("service", request_.service);
    if (!request_.host.empty()) sql += " AND " + sql_matches("host", request_.host);
    if (!request_.version.empty()) sql += " AND " + sql_matches("version", request_.version + '*');
    if (!request_.names.empty()) sql += " AND (" + any_of_names() + ")";
    return sql;
  }
  [[nodiscard]] std::string where_of_kind() const {
    const SampleKind& kind = kinds_.front();
    return where() + " AND event = " + sql_string(kind.event) + " AND unit = " + sql_string(kind.unit) +
           " AND title = " + sql_string(kind.title);
  }
  // The rows of the other tables that may belong to such samples.
  [[nodiscard]] std::string where_of_stacks() const {
    constexpr std::int64_t day_s = 86'400;
    std::string sql = " WHERE day >= toDate(" + std::to_string(from_s_ / day_s) + ") AND day <= toDate(" +
                      std::to_string(to_s_ / day_s) + ")";
    if (!request_.service.empty()) sql += " AND " + sql_matches("service", request_.service);
    return sql;
  }
  [[nodiscard]] std::string table(std::string_view name) const { return prefix_ + std::string(name); }
  // A subquery on other servers needs the word before IN.
  [[nodiscard]] std::string in() const { return prefix_.empty() ? " IN " : " GLOBAL IN "; }

  // Sets the event, and what is known of its samples.
  void choose_kinds() {
    std::vector<SampleKind> all;
    each_row(
        "SELECT event, title, unit, frequency_hz, period_events, sum(samples), toUInt32(min(time)), "
        "toUInt32(max(time)), max(duration_ms) FROM " +
            table(samples_table) + where() +
            " GROUP BY event, title, unit, frequency_hz, period_events ORDER BY sum(samples) DESC" +
            std::string(end_of_query),
        most_short_bytes, [&](RowReader& row) {
          SampleKind kind;
          kind.event = row.text();
          kind.title = row.text();
          kind.unit = row.text();
          kind.frequency_hz = row.number<std::uint32_t>();
          kind.period_events = row.number<std::uint64_t>();
          kind.samples = row.number<std::uint64_t>();
          kind.first_s = row.number<std::uint32_t>();
          kind.last_s = row.number<std::uint32_t>();
          kind.tick_ms = row.number<std::uint32_t>();
          if (row.is_short() || row.is_wrong()) return;
          if (all.size() >= most_kinds || kind.last_s < kind.first_s) throw nonsense();
          all.push_back(std::move(kind));
        });
    if (all.empty()) throw error("it has no samples of what is asked for");
    choose_event(all);
    set_run();
  }

  void choose_event(const std::vector<SampleKind>& all) {
    std::string event = request_.event;
    if (event.empty())
      event = std::ranges::count(all, "cpu-clock", &SampleKind::event) != 0 ? "cpu-clock" : all[0].event;
    std::vector<std::string> others;
    for (const SampleKind& kind : all) {
      if (kind.event == event) {
        if (kinds_.empty() || (kinds_[0].title == kind.title && kinds_[0].unit == kind.unit)) {
          kinds_.push_back(kind);
        } else {
          note_(name_ + ": " + kind.title + " " + kind.unit + " of " + event + " are left out");
        }
      }
      if (std::ranges::find(others, kind.event) == others.end()) others.push_back(kind.event);
    }
    if (!kinds_.empty()) return;
    std::string words;
    for (const std::string& other : others) words.append(words.empty() ? "" : ", ").append(other);
    throw error("it has samples of " + words + ", not of " + event);
  }

  void set_run() {
    const SampleKind& first = kinds_.front();
    RunInfo& run = profile_.run;
    RunInfo words;
    if (read_title(first.title, words)) {
      run.counted = words.counted;
      run.tag = words.tag;
    }
    run.event = first.event;
    run.title = first.title;
    run.unit = first.unit;
    run.frequency_hz = first.frequency_hz;
    run.period_events = first.period_events;
    std::uint32_t begin_s = first.first_s;
    std::uint32_t last_s = first.last_s;
    std::uint64_t tick_ms = 1000;
    for (const SampleKind& kind : kinds_) {
      begin_s = std::min(begin_s, kind.first_s);
      last_s = std::max(last_s, kind.last_s);
      tick_ms = std::max<std::uint64_t>(tick_ms, kind.tick_ms);
    }
    // Of different rates: what samples are worth.
    has_rates_ = kinds_.size() > 1 && run.unit == Unit::samples;
    if (has_rates_) {
      for (const SampleKind& kind : kinds_) {
        if (ns_of(kind.frequency_hz, kind.period_events) == 0)
          throw error("it does not tell what its samples are worth");
      }
      run.unit = Unit::nanoseconds;
      run.frequency_hz = run.period_events = 0;
    }
    const std::uint64_t tick_s = (tick_ms + 999) / 1000;
    const std::uint64_t ticks = (last_s - begin_s) / tick_s + 1;
    block_s_ = tick_s * ((ticks + most_ticks - 1) / most_ticks);
    begin_s_ = begin_s;
    // Ticks that come meanwhile are not read.
    from_s_ = begin_s;
    to_s_ = std::int64_t{last_s} + 1;
    profile_.began_unix_ns = begin_s * ns_per_s;
    profile_.duration_ns = ticks * tick_s * ns_per_s;
    profile_.tick_ns = block_s_ * ns_per_s;
  }

  static std::uint64_t ns_of(std::uint32_t frequency_hz, std::uint64_t period_events) {
    RunInfo run;
    run.frequency_hz = frequency_hz;
    run.period_events = period_events;
    return ns_per_sample(run);
  }

  StringId text(std::string_view text) {
    text_bytes_ += text.size();
    if (text_bytes_ > most_bytes_of_all_texts) throw error("its names are too long");
    return profile_.strings.intern(text);
  }

  void read_frames() {
    const std::string sql =
        "SELECT frame, kind, name, module, path, build_id, code_start, code_limit, code_offset, offset, function, "
        "address, is_return, unnamed, file, line FROM " +
        table(frames_table) + where_of_stacks() + needed_frames_ + " LIMIT 1 BY frame" + std::string(end_of_query);
    each_row(sql, most_bytes, [this](RowReader& row) {
      const auto id = row.number<std::uint64_t>();
      StoredFrame frame;
      frame.kind = row.text();
      frame.name = row.text();
      frame.module = row.text();
      const std::string_view path = row.text();
      const std::string_view build_id = row.text();
      CodeSegment code;
      code.start.value = row.number<std::uint64_t>();
      code.limit.value = row.number<std::uint64_t>();
      code.offset.value = row.number<std::uint64_t>();
      frame.offset = row.number<std::uint64_t>();
      frame.function = row.number<std::uint64_t>();
      frame.address = row.number<std::uint64_t>();
      frame.is_return = row.number<std::uint8_t>() != 0;
      frame.unnamed = row.text();
      frame.file = row.text();
      frame.line = row.number<std::uint32_t>();
      if (row.is_short() || row.is_wrong() || frames_.contains(id)) return;
      text_bytes_ += frame.name.size() + frame.module.size() + frame.file.size();
      const bool has_binary = !path.empty() || !build_id.empty() || code != CodeSegment();
      const BinaryId binary =
          has_binary ? profile_.binary({.path = text(path), .build_id = text(build_id), .code = code}) : BinaryId::none;
      frames_.emplace(id, frame_in_store(profile_, frame, binary));
    });
  }

  void read_stacks() {
    const std::string sql = "SELECT stack, frames FROM " + table(stacks_table) + where_of_stacks() + needed_stacks_ +
                            " LIMIT 1 BY stack" + std::string(end_of_query);
    std::vector<const FrameInStore*> path;
    each_row(sql, most_bytes, [&](RowReader& row) {
      const auto id = row.number<std::uint64_t>();
      path.clear();
      bool is_whole = true;
      for (std::size_t left = row.size(most_frames); left != 0 && !row.is_short(); --left) {
        const auto frame = frames_.find(row.number<std::uint64_t>());
        is_whole &= frame != frames_.end();
        if (frame != frames_.end()) path.push_back(&frame->second);
      }
      if (row.is_short() || row.is_wrong() || !is_whole) return;
      const auto needed = paths_.find(id);
      if (needed == paths_.end() || needed->second) return;
      count_frames(path.size());
      needed->second = path;
    });
  }
  // Of stacks that are kept, and of those that are made of them for a process.
  void count_frames(std::size_t frames) {
    frames_of_all_stacks_ += frames;
    if (frames_of_all_stacks_ > most_frames_of_all_stacks || profile_.frames().size() > most_made_frames) {
      throw error("its stacks have more frames than fit into memory; --from, --to and --service choose a part");
    }
  }

  ProcessId process_of(std::string_view name) {
    const StringId id = text(name);
    const auto [place, is_new] = processes_.try_emplace(id);
    if (is_new) {
      if (processes_.size() > most_processes) throw error("it has too many names of processes");
      const auto number = static_cast<std::uint32_t>(processes_.size() - 1);
      place->second = profile_.process(0, number, std::string(name));
    }
    return place->second;
  }

  StacksOfRow stacks_of(std::uint64_t id, ProcessId process, std::uint64_t samples) {
    const auto& path = paths_.find(id)->second;
    if (!path) {
      unknown_samples_ += samples;
      return {.user = StackId::missed};
    }
    const auto [place, is_new] = stacks_.try_emplace({id, static_cast<std::uint64_t>(process)});
    if (is_new) {
      count_frames(path->size());
      place->second = maker_.make(profile_, process, *path);
    }
    return place->second;
  }

  // Before the stacks, so that those of all of them are there.
  void read_samples() {
    const std::string block = on_sample_ ? "toUInt32(intDiv(toUInt32(time) - " + std::to_string(begin_s_) + ", " +
                                               std::to_string(block_s_) + "))"
                                         : "toUInt32(0)";
    // To group by what is the same in all rows would take time.
    const SampleKind& first = kinds_.front();
    const std::string rate = has_rates_ ? "frequency_hz, period_events"
                                        : "toUInt32(" + std::to_string(first.frequency_hz) + "), toUInt64(" +
                                              std::to_string(first.period_events) + ")";
    const std::string sql = "SELECT " + block + " AS block, process, stack, " + rate +
                            ", sum(value), sum(samples) FROM " + table(samples_table) + where_of_kind() + " GROUP BY " +
                            (on_sample_ ? "block, " : "") + "process, stack" +
                            (has_rates_ ? ", frequency_hz, period_events" : "") +
                            (on_sample_ ? " ORDER BY block" : "") + std::string(end_of_query);
    std::uint64_t sum = 0;
    each_row(sql, most_bytes, [&](RowReader& in) {
      const auto number = in.number<std::uint32_t>();
      const std::string_view name = in.text();
      const auto stack = in.number<std::uint64_t>();
      const auto frequency_hz = in.number<std::uint32_t>();
      const auto period_events = in.number<std::uint64_t>();
      auto value = in.number<std::uint64_t>();
      const auto samples = in.number<std::uint64_t>();
      if (in.is_short() || in.is_wrong()) return;
      if (has_rates_ && __builtin_mul_overflow(value, ns_of(frequency_hz, period_events), &value)) throw nonsense();
      if (__builtin_add_overflow(sum, value, &sum)) throw error("its values add up to more than 2^64 - 1");
      if (number > most_ticks) throw nonsense();
      paths_.try_emplace(stack);
      samples_.push_back(
          {.block = number, .process = process_of(name), .stack = stack, .value = value, .samples = samples});
    });
  }

  void add_samples() {
    for (const StoredSample& sample : samples_) {
      const StacksOfRow stacks = stacks_of(sample.stack, sample.process, sample.samples);
      const Row row{.process = sample.process,
                    .thread_name = profile_.process(sample.process).name,
                    .user = stacks.user,
                    .kernel = stacks.kernel,
                    .tag = stacks.tag,
                    .value = sample.value,
                    .samples = sample.samples};
      if (!on_sample_) {
        profile_.add(row);
        continue;
      }
      const std::uint64_t time_ns = sample.block * block_s_ * ns_per_s;
      on_sample_(profile_, {.row = row, .time_ns = time_ns, .unix_ns = profile_.began_unix_ns + time_ns, .cpu = 0});
    }
  }

  // The server chooses the numbers.
  struct NumberHash {
    std::size_t operator()(std::uint64_t number) const { return hash_of(hash_secret(), number); }
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const {
      return hash_of((*this)(key.first), key.second);
    }
    std::size_t operator()(StringId id) const { return (*this)(static_cast<std::uint64_t>(id)); }
  };
  template <class Key, class Value>
  using ByNumber = std::unordered_map<Key, Value, NumberHash>;

  const AskStore& ask_;
  const std::string& name_;
  const ReadRequest& request_;
  const OnStoredSample& on_sample_;
  const std::function<void(const std::string&)>& note_;
  Profile profile_;
  std::string prefix_;  // of the tables
  // Conditions of the queries for stacks and frames; empty: all are read.
  std::string needed_stacks_;
  std::string needed_frames_;
  std::int64_t from_s_ = 0;
  std::int64_t to_s_ = 0;
  std::vector<SampleKind> kinds_;  // of one event, title and unit
  bool has_rates_ = false;         // they are of different rates
  std::uint64_t begin_s_ = 0;      // of the first tick
  std::uint64_t block_s_ = 1;
  ByNumber<std::uint64_t, FrameInStore> frames_;
  std::deque<StoredSample> samples_;
  // Of the stacks that samples have; nullopt: the store does not have it.
  ByNumber<std::uint64_t, std::optional<std::vector<const FrameInStore*>>> paths_;
  ByNumber<std::pair<std::uint64_t, std::uint64_t>, StacksOfRow> stacks_;
  ByNumber<StringId, ProcessId> processes_;
  StackMaker maker_;
  std::size_t frames_of_all_stacks_ = 0;
  std::size_t text_bytes_ = 0;
  std::uint64_t unknown_samples_ = 0;
};

}  // namespace

Profile read_store(const AskStore& ask, const std::string& name, const ReadRequest& request,
                   const OnStoredSample& on_sample, std::int64_t now_s,
                   const std::function<void(const std::string&)>& note) {
  return Reader(ask, name, request, on_sample, note).read(now_s);
}

std::string sql_matches(std::string_view column, std::string_view pattern) {
  if (pattern.find('*') == std::string_view::npos) return std::string(column) + " = " + sql_string(pattern);
  std::string like;
  for (const char c : pattern) {
    if (c == '%' || c == '_' || c == '\\') like += '\\';
    like += c == '*' ? '%' : c;
  }
  return std::string(column) + " LIKE " + sql_string(like);
}

}  // namespace profile
