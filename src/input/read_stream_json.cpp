// Reads the output of --stream=json: one object per line, each a sample with its full user and kernel stacks.
#include <optional>
#include <vector>

#include "input/frame_text.h"
#include "input/json_nodes.h"
#include "input/read_json.h"
#include "input/stack_parts.h"
#include "model/stack_end.h"
#include "model/unnamed_words.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// A frame of the current line. An inlined frame stands before the frame that holds it.
struct ReadFrame : JsonFrame {
  bool is_inlined = false;
};

class Reader {
 public:
  Reader(Profile& profile, SampleChoice& choice) : profile_(profile), choice_(choice), processes_(profile) {
    root_["time_unix_ns"].number([this](const JsonNumber& number) { time_ns_ = number.whole("the time"); });
    root_["cpu"].number([this](const JsonNumber& number) { cpu_ = number.index("the CPU"); });
    root_.begin([this] { begin_sample(); });
    root_.end([this] { end_sample(); });
    root_["comm"].text([this](std::string_view text) { name_ = text == unknown_name ? "" : text; });
    root_["pid"].number([this](const JsonNumber& number) { pid_ = number.index("the pid"); });
    root_["tid"].number([this](const JsonNumber& number) { row_.tid = number.index("the tid"); });
    root_["event"].text([this](std::string_view text) { event_ = text; });
    root_["unit"].text([this](std::string_view text) { unit_ = text; });
    root_["value"].number([this](const JsonNumber& number) { value_ = number.whole("the value"); });
    root_["tag"].text([this](std::string_view text) { row_.tag = profile_.strings.intern(text); });
    root_["user_end"].text([this](std::string_view text) { end_ = end_of_key(text).value_or(StackEnd::unknown); });
    add_frames(root_["user"].each(), user_);
    add_frames(root_["kernel"].each(), kernel_);
  }

  void read(ByteSource& bytes, const std::string& name) {
    read_json(bytes, name, root_);
    drop_tids_of_processes(profile_);
  }

 private:
  void begin_sample() {
    row_ = Row{.samples = 1};
    value_.reset();
    time_ns_.reset();
    cpu_.reset();
    pid_ = 0;
    end_ = StackEnd::unknown;
    name_.clear();
    user_.clear();
    kernel_.clear();
  }

  void add_frames(JsonNode& frame, std::vector<ReadFrame>& into) {
    frame.begin([&into] { into.emplace_back(); });
    frame.end([&into] {
      if (into.back().symbol != StringId::empty) into.back().unnamed = Unnamed::named;
    });
    frame["symbol"].text([this, &into](std::string_view text) { into.back().symbol = profile_.strings.intern(text); });
    frame["module"].text([this, &into](std::string_view text) { into.back().module = profile_.strings.intern(text); });
    frame["unnamed"].text([&into](std::string_view text) { into.back().unnamed = unnamed_of(text); });
    frame["function"].number(
        [&into](const JsonNumber& number) { into.back().function = number.whole("the function of a frame"); });
    frame["offset"].number([&into](const JsonNumber& number) { into.back().offset = number.whole("an offset"); });
    frame["address"].text([&into](std::string_view text) {
      Scan scan(text);
      scan.skip("0x");
      scan.number(into.back().address, 16);
    });
    frame["file"].text([this, &into](std::string_view text) { into.back().at.file = profile_.strings.intern(text); });
    frame["line"].number([&into](const JsonNumber& number) { into.back().at.line = number.index("a line"); });
    frame["inlined"].truth([&into](bool truth) { into.back().is_inlined = truth; });
  }

  void end_sample() {
    if (!value_) throw Error("a sample has no value");
    if (!choice_.takes({.time_ns = time_ns_, .tgid = pid_, .tid = row_.tid, .cpu = cpu_, .name = name_})) return;
    if (!choice_.event().empty() && event_ != choice_.event()) return;
    row_.value = *value_;
    if (profile_.rows().empty()) {
      profile_.run.event = event_;
      if (!unit_.empty()) profile_.run.unit = unit_;
    } else if (unit_ != profile_.run.unit.word()) {
      throw Error("a sample is in " + unit_ + ", and those before are not");
    }
    if (!total_.add(row_.value)) throw Error("the values add up to more than 2^64 - 1");
    row_.process = processes_.process(pid_, name_);
    row_.thread_name = profile_.strings.intern(name_);
    row_.user = stack(user_, FrameKind::user, missed_user_stack, end_);
    row_.kernel = stack(kernel_, FrameKind::kernel, missed_kernel_stack, StackEnd::unknown);
    profile_.add(row_);
  }

  StackId stack(const std::vector<ReadFrame>& leaf_first, FrameKind kind, std::string_view missed, StackEnd end) {
    if (leaf_first.size() == 1 && profile_.strings.view(leaf_first[0].symbol) == missed) return StackId::missed;
    ids_.clear();
    inlined_.clear();
    for (const ReadFrame& read : leaf_first) {
      if (read.is_inlined) {
        inlined_.push_back({.symbol = read.symbol, .at = read.at});
      } else {
        ids_.push_back(add_json_frame(profile_, read, kind, row_.process, inlined_));
        inlined_.clear();
      }
    }
    return profile_.stack(ids_, end);
  }

  Profile& profile_;
  SampleChoice& choice_;
  NamedProcesses processes_;
  CheckedSum total_;
  JsonNode root_;
  // Of the current sample.
  Row row_;
  std::optional<std::uint64_t> value_;
  std::optional<std::uint64_t> time_ns_;
  std::optional<std::uint32_t> cpu_;
  std::uint32_t pid_ = 0;
  StackEnd end_ = StackEnd::unknown;
  std::string name_;
  std::string event_;
  std::string unit_;
  std::vector<ReadFrame> user_;
  std::vector<ReadFrame> kernel_;
  std::vector<FrameId> ids_;
  std::vector<InlinedFunction> inlined_;
};

}  // namespace

void read_stream_json(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice) {
  Reader(profile, choice).read(bytes, name);
}

}  // namespace profile
