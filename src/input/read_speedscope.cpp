// Reads speedscope's files. Other tools write one profile per thread, with times in any unit and with fractions. In our
// files the name of a profile gives its process and thread, the outermost frame is the thread's name, and the last
// profile is the sum of the others.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "input/frame_text.h"
#include "input/header_line.h"
#include "input/json_nodes.h"
#include "input/read_json.h"
#include "input/scaled_values.h"
#include "input/stack_parts.h"
#include "input/text_stacks.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::string_view aggregated = ", aggregated";
// The limit of frames per byte of the file: a small evented profile can describe an enormous number of frames.
constexpr std::size_t most_frames_a_byte = 8;

struct SharedFrame {
  std::optional<StringId> name;
  StringId file = StringId::empty;
  std::uint32_t line = 0;
};

struct Event {
  bool opens = false;
  std::uint32_t frame = 0;
  double at = 0;
};

struct ReadProfile {
  std::string name;
  std::string unit = "none";
  std::vector<std::uint32_t> frames;  // of all stacks, root first
  std::vector<std::size_t> begins;    // index in `frames` where each stack begins
  std::vector<double> weights;
  std::vector<Event> events;
  double start = 0;
  std::optional<double> end;
};

// The owner in a profile's name, in our files: "dd (185), writer (187), CPU 3".
struct Whose {
  std::string_view process;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
};

Whose whose(std::string_view name) {
  const std::size_t cpu = name.rfind(", CPU ");
  if (cpu != name.npos) name = name.substr(0, cpu);
  Whose owner{.process = name};
  // The first separator that fits is taken, because a thread's name may have a comma in it.
  for (std::size_t at = name.find("), "); at != name.npos; at = name.find("), ", at + 1)) {
    std::string_view process = name.substr(0, at + 1);
    std::string_view thread = name.substr(at + 3);
    const auto pid = take_number_off(process);
    const auto tid = take_number_off(thread);
    if (pid && tid) return {.process = process, .pid = *pid, .tid = *tid};
  }
  if (const auto pid = take_number_off(owner.process)) owner.pid = *pid;
  return owner;
}

// How to convert a weight into the unit of the Profile.
struct WeightUnit {
  std::string_view word;
  double factor = 1;
  double ns = 0;  // of one; 0: it is no time
};

WeightUnit weight_unit(std::string_view word) {
  if (word == "nanoseconds") return {.word = word, .ns = 1};
  if (word == "microseconds") return {.word = word, .ns = 1e3};
  if (word == "milliseconds") return {.word = "nanoseconds", .factor = 1e6, .ns = 1e6};
  if (word == "seconds") return {.word = "nanoseconds", .factor = 1e9, .ns = 1e9};
  if (word == "bytes") return {.word = word};
  if (word == "none") return {.word = "samples"};
  throw Error("a profile is in " + std::string(word) + ", a unit that speedscope does not have");
}

class Reader {
 public:
  Reader(Profile& profile, ByteSource& bytes, SampleChoice& choice)
      : profile_(profile), bytes_(bytes), choice_(choice), processes_(profile), stacks_(profile) {
    root_["exporter"].text([this](std::string_view text) { is_ours_ = text == "profile"; });
    root_["name"].text([this](std::string_view text) { title_ = text; });
    add_frames(root_["shared"]["frames"].each());
    add_profiles(root_["profiles"].each());
    root_.end([this] { end(); });
  }

  void read(const std::string& name) { read_json(bytes_, name, root_); }

 private:
  void add_frames(JsonNode& frame) {
    frame.begin([this] { frames_.emplace_back(); });
    frame.end([this] {
      if (!frames_.back().name) throw Error("a frame has no name");
    });
    frame["name"].text([this](std::string_view text) { frames_.back().name = profile_.strings.intern(text); });
    frame["file"].text([this](std::string_view text) { frames_.back().file = profile_.strings.intern(text); });
    frame["line"].number([this](const JsonNumber& number) { frames_.back().line = number.index("a line"); });
  }

  void add_profiles(JsonNode& node) {
    const auto last = [this]() -> ReadProfile& { return read_.back(); };
    node.begin([this] { read_.emplace_back(); });
    node["name"].text([last](std::string_view text) { last().name = text; });
    node["startValue"].number([last](const JsonNumber& number) { last().start = number.number(); });
    node["endValue"].number([last](const JsonNumber& number) { last().end = number.number(); });
    node["unit"].text([last](std::string_view text) { last().unit = text; });
    JsonNode& sample = node["samples"].each();
    sample.begin([last] { last().begins.push_back(last().frames.size()); });
    sample.each().number([last](const JsonNumber& number) { last().frames.push_back(number.index("a frame")); });
    node["weights"].each().number([last](const JsonNumber& number) { last().weights.push_back(number.number()); });
    JsonNode& event = node["events"].each();
    event.begin([last] { last().events.emplace_back(); });
    event["type"].text([last](std::string_view text) {
      if (text != "O" && text != "C") throw Error("an event is neither O nor C");
      last().events.back().opens = text == "O";
    });
    event["frame"].number([last](const JsonNumber& number) { last().events.back().frame = number.index("a frame"); });
    event["at"].number([last](const JsonNumber& number) { last().events.back().at = number.number(); });
  }

  void end() {
    profile_.run.headline = title_;
    most_frames_ = bytes_.received() * most_frames_a_byte;
    const std::size_t sum = is_ours_ && read_.size() > 1 && read_.back().name.starts_with("all processes") ? 1 : 0;
    for (std::size_t i = 0; i + sum < read_.size(); ++i) {
      add(read_[i]);
      read_[i] = {};
    }
    if (values_) values_->end();
    // The title of our samples says nothing of the time that they became here.
    RunInfo told;
    if (is_ours_ && read_header_line(title_, told) && told.unit.word() != unit_) profile_.run.headline.clear();
    drop_tids_of_processes(profile_);
  }

  void add(const ReadProfile& read) {
    std::string_view name = read.name;
    WeightUnit unit = weight_unit(read.unit);
    if (is_ours_ && name.ends_with(aggregated)) {
      name.remove_suffix(aggregated.size());
      const std::size_t comma = name.rfind(", ");
      if (read.unit == "none" && comma != name.npos) {
        unit.word = name.substr(comma + 2);
        name = name.substr(0, comma);
      }
    }
    if (unit_.empty()) {
      unit_ = unit.word;
      values_.emplace(profile_, unit_);
    }
    if (unit.word != unit_) throw Error("its profiles are in " + unit_ + " and in " + std::string(unit.word));
    profile_.run.unit = unit_;
    // For samples the format does not say which event took them.
    if (unit_ != "samples") profile_.run.event = unit_;
    const Whose owner = is_ours_ ? whose(name) : Whose{.process = name};
    row_ = Row{.process = processes_.process(owner.pid, owner.process == unknown_name ? "" : owner.process),
               .tid = owner.tid};
    if (!read.events.empty()) {
      add_events(read, unit);
      return;
    }
    if (read.begins.size() != read.weights.size()) throw Error("a profile has not as many weights as samples");
    // Our own files have sums, in no order of time.
    if (is_ours_) unit.ns = 0;
    double at = read.start;
    for (std::size_t i = 0; i < read.begins.size(); ++i) {
      const std::size_t limit = i + 1 < read.begins.size() ? read.begins[i + 1] : read.frames.size();
      const double part = part_of(at, at + read.weights[i], unit);
      at += read.weights[i];
      add_stack(std::span(read.frames).subspan(read.begins[i], limit - read.begins[i]),
                read.weights[i] * unit.factor * part);
    }
  }

  double part_of(double begin, double end, const WeightUnit& unit) {
    if (unit.ns == 0) return choice_.part_of(std::nullopt, std::nullopt);
    return choice_.part_of(begin * unit.ns, end * unit.ns);
  }

  void add_events(const ReadProfile& read, const WeightUnit& unit) {
    open_.clear();
    double at = read.events.front().at;
    for (const Event& event : read.events) {
      if (event.at < at) throw Error("an event stands behind one that is later");
      add_open(at, event.at, unit);
      at = event.at;
      if (event.opens) {
        open_.push_back(event.frame);
      } else if (open_.empty() || open_.back() != event.frame) {
        throw Error("an event closes a frame that is not the last one opened");
      } else {
        open_.pop_back();
      }
    }
    if (open_.empty()) return;
    // The recorder was stopped in the middle.
    if (!read.end || *read.end < at) throw Error("a frame is still open at the end, which is not told");
    add_open(at, *read.end, unit);
  }

  // The time from `begin` to `end` belongs to the frames that are open.
  void add_open(double begin, double end, const WeightUnit& unit) {
    constexpr double last_digit = 0x1p-51;
    const double error = std::abs(end) * last_digit;
    if (open_.empty() || end - begin <= error) return;
    add_stack(open_, (end - begin) * unit.factor * part_of(begin, end, unit), error * unit.factor);
  }

  void add_stack(std::span<const std::uint32_t> root_first, double weight, double error = 0) {
    if (!(weight >= 0) || weight >= 0x1p64) throw Error("a weight is no number that it can be");
    const std::uint64_t value = values_->value_of(weight, error);
    if (value == 0) return;
    Row row = row_;
    row.value = value;
    row.samples = samples_of(profile_.run, row.value);
    row.thread_name = profile_.process(row.process).name;
    if (is_ours_ && !root_first.empty()) {
      const StringId thread = *shared(root_first.front()).name;
      row.thread_name = profile_.strings.view(thread) == unknown_name ? StringId::empty : thread;
      root_first = root_first.subspan(1);
    }
    frame_count_ += root_first.size();
    if (frame_count_ > most_frames_) throw Error("its events stand for more than can be kept of a file of its size");
    leaf_first_.clear();
    for (std::size_t i = root_first.size(); i-- > 0;) leaf_first_.push_back(frame(shared(root_first[i])));
    stacks_.fill(row, leaf_first_);
    profile_.add(row);
  }

  [[nodiscard]] const SharedFrame& shared(std::uint32_t number) const {
    if (number >= frames_.size())
      throw Error("a stack refers to frame " + std::to_string(number) + ", which is not in it");
    return frames_[number];
  }

  [[nodiscard]] TextFrame frame(const SharedFrame& read) const {
    TextFrame frame{.text = name_text(profile_.strings.view(*read.name))};
    std::string_view file = profile_.strings.view(read.file);
    if (read.line != 0) {
      frame.text.file = file;
      frame.text.line = read.line;
      return frame;
    }
    if (file.starts_with('[') && file.ends_with(']')) {
      // Other programs name more in brackets: "[vdso]", "[eval]", "[anon:...]".
      if (is_ours_ || file.starts_with("[kernel")) frame.kind = FrameKind::kernel;
      file = file.substr(1, file.size() - 2);
    }
    file = without_deleted(file);
    if (!frame.text.symbol.empty() && frame.text.module.empty()) frame.text.module = file.substr(file.rfind('/') + 1);
    return frame;
  }

  Profile& profile_;
  ByteSource& bytes_;
  SampleChoice& choice_;
  NamedProcesses processes_;
  TextStacks stacks_;
  std::optional<ScaledValues> values_;
  JsonNode root_;
  bool is_ours_ = false;
  std::string title_;
  std::string unit_;
  std::vector<SharedFrame> frames_;
  std::vector<ReadProfile> read_;
  Row row_;                          // what all rows of the current speedscope profile share
  std::vector<std::uint32_t> open_;  // of the current evented profile
  std::uint64_t most_frames_ = 0;
  std::uint64_t frame_count_ = 0;
  std::vector<TextFrame> leaf_first_;
};

}  // namespace

void read_speedscope(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice) {
  Reader(profile, bytes, choice).read(name);
  choice.choose_rows(profile);
}

}  // namespace profile
