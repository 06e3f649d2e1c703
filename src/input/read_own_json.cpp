// Reads our own JSON. Its tables may stand in any order, so a document is kept as plain numbers until it ends. Then its
// frames, stacks and rows are added to the profile.
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "input/frame_text.h"
#include "input/json_nodes.h"
#include "input/read_json.h"
#include "input/stack_parts.h"
#include "model/run_words.h"
#include "model/stack_end.h"
#include "model/unnamed_words.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

struct ReadProcess {
  std::optional<std::uint32_t> pid;
  StringId name = StringId::empty;
};

struct ReadFrame : JsonFrame {
  std::optional<FrameKind> kind;
  std::uint32_t process = none;
  std::uint32_t module_number = none;
  std::uint32_t binary_number = none;
  std::uint32_t first_inlined = 0;
  std::uint32_t inlined = 0;
};

struct ReadRow {
  std::uint32_t process = none;
  std::uint32_t tid = 0;
  std::uint32_t cpu = any_cpu;
  std::uint32_t user = none;
  std::uint32_t kernel = none;
  std::uint32_t waker_user = none;
  std::uint32_t waker_kernel = none;
  bool missed_user = false;
  bool missed_kernel = false;
  bool missed_waker_user = false;
  bool missed_waker_kernel = false;
  StackEnd end = StackEnd::unknown;
  StackEnd waker_end = StackEnd::unknown;
  StringId thread = StringId::empty;
  StringId tag = StringId::empty;
  StringId waker = StringId::empty;
  std::optional<std::uint64_t> value;
  std::uint64_t samples = 0;
};

constexpr double longest_seconds = 1e9;  // 31 years

// The object "profile" below "ebpf", or the object "stack_traces" of waits (below "offcpu").
struct Stacks {
  std::string unit;
  std::vector<ReadProcess> processes;
  std::vector<StringId> modules;
  std::vector<Binary> binaries;
  std::vector<ReadFrame> frames;
  std::vector<InlinedFunction> inlined;
  std::vector<std::uint32_t> stack_frames;
  std::vector<std::uint32_t> stack_begins;
  std::vector<ReadRow> rows;
};

// clean_name() writes an empty name as "[unknown]"; this turns it back into the empty name.
StringId name_in(Profile& profile, std::string_view text) {
  return text == unknown_name ? StringId::empty : profile.strings.intern(text);
}

std::uint64_t address_of(std::string_view text) {
  if (!text.starts_with("0x")) throw Error("an address does not begin with 0x");
  const auto value = parse_number<std::uint64_t>(text.substr(2), 16);
  if (!value) throw Error("an address is no number");
  return *value;
}

// Adds the nodes that fill `stacks` below `at`.
class StackNodes {
 public:
  StackNodes(Profile& profile, Stacks& stacks, JsonNode& at) : profile_(profile), stacks_(stacks) {
    at["unit"].text([this](std::string_view text) { stacks_.unit = text; });
    add_processes(at["processes"].each());
    at["modules"].each()["name"].text(
        [this](std::string_view text) { stacks_.modules.push_back(profile_.strings.intern(text)); });
    add_binaries(at["binaries"].each());
    add_frames(at["frames"].each());
    JsonNode& stack = at["stacks"].each();
    stack.begin([this] { stacks_.stack_begins.push_back(static_cast<std::uint32_t>(stacks_.stack_frames.size())); });
    stack.each().number(
        [this](const JsonNumber& number) { stacks_.stack_frames.push_back(number.index("a frame of a stack")); });
    add_rows(at["rows"].each());
  }

 private:
  void add_processes(JsonNode& process) {
    process.begin([this] { stacks_.processes.emplace_back(); });
    process.end([this] {
      if (!stacks_.processes.back().pid) throw Error("a process has no pid");
    });
    process["pid"].number(
        [this](const JsonNumber& number) { stacks_.processes.back().pid = number.index("the pid of a process"); });
    process["name"].text([this](std::string_view text) { stacks_.processes.back().name = name_in(profile_, text); });
  }

  void add_binaries(JsonNode& binary) {
    const auto last = [this]() -> Binary& { return stacks_.binaries.back(); };
    binary.begin([this] { stacks_.binaries.emplace_back(); });
    const auto text = [this](std::string_view words) { return profile_.strings.intern(words); };
    binary["path"].text([last, text](std::string_view words) { last().path = text(words); });
    binary["build_id"].text([last, text](std::string_view words) { last().build_id = text(words); });
    binary["start"].text([last](std::string_view words) { last().code.start.value = address_of(words); });
    binary["limit"].text([last](std::string_view words) { last().code.limit.value = address_of(words); });
    binary["file_offset"].text([last](std::string_view words) { last().code.offset.value = address_of(words); });
  }

  void add_frames(JsonNode& frame) {
    const auto last = [this]() -> ReadFrame& { return stacks_.frames.back(); };
    frame.begin(
        [this] { stacks_.frames.emplace_back().first_inlined = static_cast<std::uint32_t>(stacks_.inlined.size()); });
    frame.end([last] {
      if (!last().kind) throw Error("a frame has no kind");
    });
    frame["kind"].text([last](std::string_view text) {
      if (text != "user" && text != "kernel" && text != "script") throw Error("a frame is of no known kind");
      last().kind = text == "kernel" ? FrameKind::kernel : text == "script" ? FrameKind::script : FrameKind::user;
    });
    frame["process"].number(
        [last](const JsonNumber& number) { last().process = number.index("the process of a frame"); });
    frame["unnamed"].text([last](std::string_view text) { last().unnamed = unnamed_of(text); });
    frame["symbol"].text([this, last](std::string_view text) { last().symbol = profile_.strings.intern(text); });
    frame["module"].number(
        [last](const JsonNumber& number) { last().module_number = number.index("the module of a frame"); });
    frame["function"].number(
        [last](const JsonNumber& number) { last().function = number.whole("the function of a frame"); });
    frame["offset"].number([last](const JsonNumber& number) { last().offset = number.whole("the offset of a frame"); });
    frame["address"].text([last](std::string_view text) { last().address = address_of(text); });
    frame["is_return"].truth([last](bool truth) { last().is_return = truth; });
    frame["binary"].number(
        [last](const JsonNumber& number) { last().binary_number = number.index("the binary of a frame"); });
    frame["binary_address"].text([last](std::string_view text) { last().binary_address = address_of(text); });
    add_line(frame, [last]() -> SourceLine& { return last().at; });
    frame["begins_at"].number(
        [last](const JsonNumber& number) { last().begins_at = number.index("where a function begins"); });
    JsonNode& inlined = frame["inlined"].each();
    inlined.begin([this, last] {
      stacks_.inlined.emplace_back();
      ++last().inlined;
    });
    inlined["symbol"].text(
        [this](std::string_view text) { stacks_.inlined.back().symbol = profile_.strings.intern(text); });
    add_line(inlined, [this]() -> SourceLine& { return stacks_.inlined.back().at; });
  }

  template <class Line>
  void add_line(JsonNode& at, const Line& line) {
    at["file"].text([this, line](std::string_view text) { line().file = profile_.strings.intern(text); });
    at["line"].number([line](const JsonNumber& number) { line().line = number.index("a line"); });
  }

  void add_rows(JsonNode& row) {
    const auto last = [this]() -> ReadRow& { return stacks_.rows.back(); };
    row.begin([this] { stacks_.rows.emplace_back(); });
    row.end([last] {
      if (!last().value) throw Error("a row has no value");
    });
    row["process"].number([last](const JsonNumber& number) { last().process = number.index("the process of a row"); });
    row["tid"].number([last](const JsonNumber& number) { last().tid = number.index("a tid"); });
    row["cpu"].number([last](const JsonNumber& number) { last().cpu = number.index("a CPU"); });
    row["thread"].text([this, last](std::string_view text) { last().thread = name_in(profile_, text); });
    row["tag"].text([this, last](std::string_view text) { last().tag = profile_.strings.intern(text); });
    row["user"].number([last](const JsonNumber& number) { last().user = number.index("a stack of a row"); });
    row["kernel"].number([last](const JsonNumber& number) { last().kernel = number.index("a stack of a row"); });
    row["user"].text([last](std::string_view text) { last().missed_user = text == "missed"; });
    row["kernel"].text([last](std::string_view text) { last().missed_kernel = text == "missed"; });
    row["waker"].text([this, last](std::string_view text) { last().waker = profile_.strings.intern(text); });
    row["waker_user"].number(
        [last](const JsonNumber& number) { last().waker_user = number.index("a stack of a row"); });
    row["waker_kernel"].number(
        [last](const JsonNumber& number) { last().waker_kernel = number.index("a stack of a row"); });
    row["waker_user"].text([last](std::string_view text) { last().missed_waker_user = text == "missed"; });
    row["waker_kernel"].text([last](std::string_view text) { last().missed_waker_kernel = text == "missed"; });
    row["user_end"].text([last](std::string_view text) { last().end = end_of_key(text).value_or(StackEnd::unknown); });
    row["waker_user_end"].text(
        [last](std::string_view text) { last().waker_end = end_of_key(text).value_or(StackEnd::unknown); });
    row["value"].number([last](const JsonNumber& number) { last().value = number.whole("the value of a row"); });
    row["samples"].number([last](const JsonNumber& number) { last().samples = number.whole("the samples of a row"); });
  }

  Profile& profile_;
  Stacks& stacks_;
};

// Adds the kept numbers of one document to the profile.
class Adding {
 public:
  Adding(Profile& profile, NamedProcesses& processes, CheckedSum& total, const Stacks& stacks)
      : profile_(profile), stacks_(stacks), total_(total) {
    for (const ReadProcess& process : stacks.processes) {
      processes_.push_back(processes.process(*process.pid, profile.strings.view(process.name)));
    }
    frames_.reserve(stacks.frames.size());
    for (const ReadFrame& frame : stacks.frames) frames_.push_back(add(frame));
  }

  void add_rows() {
    for (const ReadRow& read : stacks_.rows) {
      Row row{.process = item(processes_, read.process, "process"), .tid = read.tid, .cpu = read.cpu};
      row.thread_name = read.thread;
      row.user = read.missed_user ? StackId::missed : stack(read.user, read.end);
      row.kernel = read.missed_kernel ? StackId::missed : stack(read.kernel, StackEnd::unknown);
      row.tag = read.tag;
      row.waker = read.waker;
      if (row.waker != StringId::empty) {
        row.waker_user = read.missed_waker_user ? StackId::missed : stack(read.waker_user, read.waker_end);
        row.waker_kernel = read.missed_waker_kernel ? StackId::missed : stack(read.waker_kernel, StackEnd::unknown);
      }
      row.value = *read.value;
      row.samples = read.samples;
      if (!total_.add(row.value)) throw Error("the values add up to more than 2^64 - 1");
      profile_.add(row);
    }
  }

 private:
  template <class Item>
  static const Item& item(const std::vector<Item>& items, std::uint32_t number, const char* what) {
    if (number < items.size()) return items[number];
    throw Error(std::string("it refers to a ") + what + " that is not in it");
  }

  FrameId add(const ReadFrame& read) {
    ReadFrame frame = read;
    if (read.module_number != none) frame.module = item(stacks_.modules, read.module_number, "module");
    if (read.binary_number != none)
      frame.binary = profile_.binary(item(stacks_.binaries, read.binary_number, "binary"));
    const ProcessId space =
        *read.kind == FrameKind::kernel ? ProcessId::kernel : item(processes_, read.process, "process");
    return add_json_frame(profile_, frame, *read.kind, space,
                          std::span(stacks_.inlined).subspan(read.first_inlined, read.inlined));
  }

  StackId stack(std::uint32_t number, StackEnd end) {
    if (number == none) return StackId::none;
    const std::uint64_t key = std::uint64_t{number} << 32 | static_cast<std::uint32_t>(end);
    const auto [found, is_new] = known_.try_emplace(key);
    if (!is_new) return found->second;
    const std::uint32_t begin = item(stacks_.stack_begins, number, "stack");
    const std::size_t limit =
        number + 1 < stacks_.stack_begins.size() ? stacks_.stack_begins[number + 1] : stacks_.stack_frames.size();
    scratch_.clear();
    for (std::size_t i = begin; i < limit; ++i) {
      scratch_.push_back(item(frames_, stacks_.stack_frames[i], "frame"));
    }
    return found->second = profile_.stack(scratch_, end);
  }

  Profile& profile_;
  const Stacks& stacks_;
  CheckedSum& total_;
  std::vector<ProcessId> processes_;
  std::vector<FrameId> frames_;
  std::vector<FrameId> scratch_;
  std::unordered_map<std::uint64_t, StackId> known_;  // key: number << 32 | end
};

// Adds the nodes that read what the document says about the run. Only the first document counts.
void add_run(JsonNode& at, RunInfo& run) {
  at["host"].text([&run](std::string_view text) { run.host = text; });
  at["event"].text([&run](std::string_view text) { run.event = text; });
  at["unit"].text([&run](std::string_view text) { run.unit = text; });
  at["is_state"].truth([&run](bool truth) { run.is_state = truth; });
  at["title"].text([&run](std::string_view text) { run.title = text; });
  at["frequency_hz"].number([&run](const JsonNumber& number) { run.frequency_hz = number.whole("the rate"); });
  at["period_events"].number([&run](const JsonNumber& number) { run.period_events = number.whole("the period"); });
  at["duration_s"].number([&run](const JsonNumber& number) { run.duration_s = number.number(); });
  at["user_stacks"].truth([&run](bool truth) { run.user_stacks = truth; });
  at["kernel_stacks"].truth([&run](bool truth) { run.kernel_stacks = truth; });
  JsonNode& targets = at["targets"];
  targets.begin([&run] { run.is_request_known = true; });
  targets["pids"].each().number([&run](const JsonNumber& number) { run.tgids.push_back(number.index("a pid")); });
  targets["tids"].each().number([&run](const JsonNumber& number) { run.tids.push_back(number.index("a tid")); });
  targets["names"].each().text([&run](std::string_view text) { run.names.emplace_back(text); });
  targets["cpus"].text([&run](std::string_view text) { run.cpus = text; });
  targets["command"].each().text([&run](std::string_view text) { run.command.emplace_back(text); });
}

// The document says what a value counts by its title alone.
void take_words_of_title(RunInfo& run) {
  RunInfo told;
  if (!read_title(run.title, told) || told.event != run.event) return;
  run.counted = told.counted;
  run.tag = told.tag;
}

// Adds the nodes that read what became of every sample of one document.
void add_account(JsonNode& at, Account& account) {
  at.begin([&account] { account.is_known = true; });
  const auto add = [&](const std::string& name, std::uint64_t Account::*count) {
    at[name].number(
        [&account, count](const JsonNumber& number) { account.*count = number.whole("a number of the account"); });
  };
  add("asked", &Account::asked);
  add("taken", &Account::taken);
  add("recorded", &Account::recorded);
  add("recorded_by_ring", &Account::recorded_by_ring);
  add("idle", &Account::idle);
  add("filtered", &Account::filtered);
  for (const LossReason& reason : loss_reasons) add("lost_" + std::string(reason.key), reason.count);
}

}  // namespace

void read_own_json(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice) {
  NamedProcesses processes(profile);
  CheckedSum total;
  JsonNode root;
  RunInfo run;
  Account account;
  Stacks stacks;
  Stacks waits;  // used when the document has no other stacks
  bool is_first = true;
  add_run(root["profile"], run);
  root["profile"]["began_unix_ms"].number([&profile](const JsonNumber& number) {
    constexpr std::uint64_t ns_per_ms = 1'000'000;
    const std::uint64_t began_ms = number.whole("the time of a report", UINT64_MAX / ns_per_ms);
    if (profile.began_unix_ns == 0) profile.began_unix_ns = began_ms * ns_per_ms;
  });
  root["profile"]["took_s"].number([&profile](const JsonNumber& number) {
    if (number.number() > 0 && number.number() < longest_seconds) profile.duration_ns += to_ns(number.number());
  });
  add_account(root["account"], account);
  const StackNodes of_stacks(profile, stacks, root["ebpf"]["profile"]);
  const StackNodes of_waits(profile, waits, root["ebpf"]["offcpu"]["stack_traces"]);
  root.begin([&] {
    run = unknown_profile().run;
    account = unknown_profile().account;
    stacks = Stacks();
    waits = Stacks();
  });
  root.end([&] {
    const Stacks& chosen = stacks.rows.empty() ? waits : stacks;
    if (!chosen.unit.empty()) run.unit = chosen.unit;
    take_words_of_title(run);
    if (!is_first && run.unit != profile.run.unit)
      throw Error("it is in " + run.unit.word() + ", and what stands before is not");
    if (std::exchange(is_first, false)) {
      profile.run = run;
      profile.account = account;
    } else {
      if (profile.run.is_state && run.is_state) {
        profile.forget_rows();
        total = CheckedSum();
      }
      profile.account += account;
    }
    Adding(profile, processes, total, chosen).add_rows();
  });
  read_json(bytes, name, root);
  choice.choose_rows(profile);
}

}  // namespace profile
