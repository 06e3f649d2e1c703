// One line per sample, `<unix_ns> <comm> <pid> <tid> <cpu> root;...;leaf`: user stack, kernel stack, then the tag. A
// reader can split a line at its first five blanks (blanks in thread names are underscores), then at every semicolon. A
// sample without a stack has the one frame [No Stack]. For units other than samples the weight follows after a blank,
// so the text after the first five blanks suits flame graph tools. -a marks frames as in the folded format.
#include "model/stack_end.h"
#include "output/shown_frame.h"
#include "output/stream.h"

namespace profile {
namespace {

class Folded final : public StreamOutput {
 public:
  explicit Folded(bool annotate) : annotate_(annotate) {}

  void begin(std::string& /*out*/, const RunInfo& run) override { shows_value_ = run.unit != Unit::samples; }

  void append(std::string& out, const Profile& profile, const Sample& sample) override {
    append_all(out, sample.unix_ns, " ");
    texts_.append(out, sample.row.thread_name,
                  [&](std::string& text) { append_word(text, profile.strings.view(sample.row.thread_name)); });
    append_all(out, " ", profile.process(sample.row.process).tgid, " ", sample.row.tid, " ", sample.cpu);
    const std::size_t before = out.size();
    const ShownParts parts = shown_parts(profile, sample.row);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      out += out.size() == before ? ' ' : ';';
      if (part->stack == StackId::none) {
        append_clean(out, part->text, Semicolon::replace);
      } else {
        stacks_.append(out, part->stack, [&](std::string& text) { render(text, profile, part->stack); });
      }
    }
    if (out.size() == before) out.append(1, ' ').append(no_stack_name);
    if (shows_value_) append_all(out, " ", sample.row.value);
    out += '\n';
  }

 private:
  // Root first: the reverse of for_each_shown(), which is leaf first.
  void render(std::string& text, const Profile& profile, StackId stack) {
    const std::size_t begin = text.size();
    const auto leaf_first = profile.stack(stack);
    const StackEnd end = profile.end_of(stack);
    if (annotate_ && is_incomplete(end)) text += incomplete_frame(end);
    for (auto frame = leaf_first.rbegin(); frame != leaf_first.rend(); ++frame) {
      shown_.clear();
      for_each_shown(profile, *frame, [this](const ShownFrame& shown) { shown_.push_back(shown); });
      for (auto shown = shown_.rbegin(); shown != shown_.rend(); ++shown) {
        if (text.size() != begin) text += ';';
        append_function(text, profile, *shown, Semicolon::replace);
        append_source_line(text, profile, shown->at, Semicolon::replace);
        if (annotate_) text += mark_of(shown->frame->kind, shown->is_inlined);
      }
    }
  }

  bool annotate_;
  bool shows_value_ = false;
  std::vector<ShownFrame> shown_;
};

}  // namespace

std::unique_ptr<StreamOutput> make_stream_folded(const OutputOptions& options) {
  return std::make_unique<Folded>(options.annotate);
}

}  // namespace profile
