#include "store/reader.h"

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/stored_stack.h"
#include "store/row_binary.h"
#include "store/selection.h"
#include "store/tables.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/hash.h"
#include "support/plural.h"

namespace profile {
namespace {

constexpr std::uint64_t most_ticks = 256;
constexpr std::size_t most_frames = 1 << 14;  // of a stack
constexpr std::size_t most_frames_of_all_stacks = std::size_t{1} << 26;
// A process has frames of its own.
constexpr std::size_t most_made_frames = std::size_t{1} << 22;
constexpr std::size_t most_processes = std::size_t{1} << 18;
constexpr std::size_t most_bytes_of_all_texts = std::size_t{1} << 29;
// So many stacks of the services and days are read, whether they are needed or not: to find that out takes longer.
constexpr std::uint64_t most_unchosen_stacks = 50'000;

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
         std::int64_t now_s, const std::function<void(const std::string&)>& note)
      : name_(name), on_sample_(on_sample), note_(note), selection_(ask, name, request, now_s) {}

  Profile read() {
    selection_.choose_kinds(note_);
    set_run();
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
  // Where the services have many stacks, only those that are needed.
  void choose_stacks() {
    const StoreSelection& from = selection_;
    if (from.count(from.table(stacks_table) + from.where_of_stacks()) <= most_unchosen_stacks) return;
    needed_stacks_ =
        " AND stack" + from.in() + "(SELECT stack FROM " + from.table(samples_table) + from.where_of_kind() + ")";
    needed_frames_ = " AND frame" + from.in() + "(SELECT arrayJoin(frames) FROM " + from.table(stacks_table) +
                     from.where_of_stacks() + needed_stacks_ + ")";
  }

  void set_run() {
    selection_.set_run(profile_.run);
    begin_s_ = static_cast<std::uint64_t>(selection_.from_s());
    const std::uint64_t tick_s = selection_.tick_s();
    const std::uint64_t ticks = (static_cast<std::uint64_t>(selection_.to_s()) - 1 - begin_s_) / tick_s + 1;
    block_s_ = tick_s * ((ticks + most_ticks - 1) / most_ticks);
    profile_.began_unix_ns = begin_s_ * ns_per_s;
    profile_.duration_ns = ticks * tick_s * ns_per_s;
    profile_.tick_ns = block_s_ * ns_per_s;
  }

  StringId text(std::string_view text) {
    text_bytes_ += text.size();
    if (text_bytes_ > most_bytes_of_all_texts) throw selection_.error("its names are too long");
    return profile_.strings.intern(text);
  }

  void read_frames() {
    const std::string sql =
        "SELECT frame, kind, name, module, path, build_id, code_start, code_limit, code_offset, offset, function, "
        "address, is_return, unnamed, file, line FROM " +
        selection_.table(frames_table) + selection_.where_of_stacks() + needed_frames_ + " LIMIT 1 BY frame" +
        std::string(end_of_query);
    selection_.each_row(sql, most_answer_bytes, [this](RowReader& row) {
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
    const std::string sql = "SELECT stack, frames FROM " + selection_.table(stacks_table) +
                            selection_.where_of_stacks() + needed_stacks_ + " LIMIT 1 BY stack" +
                            std::string(end_of_query);
    std::vector<const FrameInStore*> path;
    selection_.each_row(sql, most_answer_bytes, [&](RowReader& row) {
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
      throw selection_.error(
          "its stacks have more frames than fit into memory; --from, --to and --service choose a part");
    }
  }

  ProcessId process_of(std::string_view name) {
    const StringId id = text(name);
    const auto [place, is_new] = processes_.try_emplace(id);
    if (is_new) {
      if (processes_.size() > most_processes) throw selection_.error("it has too many names of processes");
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
    const bool has_rates = selection_.has_rates();
    // To group by what is the same in all rows would take time.
    const SampleKind& first = selection_.kinds().front();
    const std::string rate = has_rates ? "frequency_hz, period_events"
                                       : "toUInt32(" + std::to_string(first.frequency_hz) + "), toUInt64(" +
                                             std::to_string(first.period_events) + ")";
    const std::string sql = "SELECT " + block + " AS block, process, stack, " + rate +
                            ", sum(value), sum(samples) FROM " + selection_.table(samples_table) +
                            selection_.where_of_kind() + " GROUP BY " + (on_sample_ ? "block, " : "") +
                            "process, stack" + (has_rates ? ", frequency_hz, period_events" : "") +
                            (on_sample_ ? " ORDER BY block" : "") + std::string(end_of_query);
    std::uint64_t sum = 0;
    selection_.each_row(sql, most_answer_bytes, [&](RowReader& in) {
      const auto number = in.number<std::uint32_t>();
      const std::string_view name = in.text();
      const auto stack = in.number<std::uint64_t>();
      const auto frequency_hz = in.number<std::uint32_t>();
      const auto period_events = in.number<std::uint64_t>();
      auto value = in.number<std::uint64_t>();
      const auto samples = in.number<std::uint64_t>();
      if (in.is_short() || in.is_wrong()) return;
      if (has_rates && __builtin_mul_overflow(value, StoreSelection::ns_per_value(frequency_hz, period_events), &value))
        throw selection_.nonsense();
      if (__builtin_add_overflow(sum, value, &sum)) throw selection_.error("its values add up to more than 2^64 - 1");
      if (number > most_ticks) throw selection_.nonsense();
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
      on_sample_(profile_,
                 {.row = row, .time_ns = time_ns, .unix_ns = profile_.began_unix_ns + time_ns, .cpu = 0, .event = 0});
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

  const std::string& name_;
  const OnStoredSample& on_sample_;
  const std::function<void(const std::string&)>& note_;
  StoreSelection selection_;
  Profile profile_;
  // Conditions of the queries for stacks and frames; empty: all are read.
  std::string needed_stacks_;
  std::string needed_frames_;
  std::uint64_t begin_s_ = 0;  // of the first tick
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
  return Reader(ask, name, request, on_sample, now_s, note).read();
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
