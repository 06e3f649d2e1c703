// Lays out the lines of the screen. On a low terminal the lines above the table are left out, the least important ones
// first. The table always has at least one line.
#include "terminal/page.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "output/clean_text.h"
#include "output/header.h"
#include "output/text_table.h"
#include "support/clock.h"
#include "support/plural.h"
#include "terminal/line.h"
#include "terminal/text.h"

namespace profile {
namespace {

constexpr std::size_t seconds_of_history = 60;

constexpr std::array<std::string_view, 17> help = {
    "  F or 1         functions            s      sort by the next column",
    "  P or 2         processes            w W    a longer, a shorter time",
    "  S or 3         stacks               /      only what has these letters",
    "  Tab            the next of them     k u    only the kernel, only user code",
    "  m              one process a name   space  stop the picture, and go on",
    "  arrows, PgUp, PgDn, Home, End       Ctrl-L draw the screen anew",
    "                 select               q      quit",
    "",
    "  Enter on a function   the stacks that it is on",
    "  Enter on a process    the functions and stacks of this process alone",
    "  Enter on a stack      its frames, one a line; again: in one line",
    "  Esc                   one step back",
    "",
    "  SELF is what was sampled in a function itself, TOTAL also what it called.",
    "  Shares are of what is looked at: of the time, the process and the part",
    "  that stand above the table. Each process has a history of its own scale.",
    "  Sampling goes on while the picture stands.",
};

class Page {
 public:
  Page(TopModel& model, const RunInfo& run, std::size_t width, std::size_t height, bool unicode)
      : model_(model), run_(run), shown_(model.history().shown()), width_(width), height_(height), unicode_(unicode) {}

  std::vector<TopLine> lines() {
    if (height_ >= 8) put(title());
    if (height_ >= 6) put(rates());
    if (height_ >= 10) put(history());
    if (height_ >= 4) put(state());
    const bool has_foot = height_ >= 12 || (model_.is_typing() && height_ >= 2);
    const std::size_t end = has_foot ? height_ - 1 : height_;
    if (model_.shows_help()) {
      for (std::size_t i = 0; i < help.size() && lines_.size() < end; ++i) put(plain(help[i]));
    } else {
      const std::vector<TopLine> rows = top_table_lines(model_, run_, width_, end - lines_.size(), unicode_);
      lines_.insert(lines_.end(), rows.begin(), rows.end());
    }
    if (has_foot) {
      while (lines_.size() < end) put({});
      put(foot());
    }
    return std::move(lines_);
  }

 private:
  [[nodiscard]] TopLineMaker line() const { return {width_, unicode_}; }
  void put(TopLine line) { lines_.push_back(std::move(line)); }
  [[nodiscard]] TopLine plain(std::string_view text) const {
    TopLineMaker made = line();
    made.add(text);
    return made.take();
  }

  // "Sampling at 49 Hertz of all threads by user + kernel stack                 0:01:23"
  [[nodiscard]] TopLine title() const {
    const std::string text = header_title(run_);
    const std::string time = clock_time(shown_.seconds);
    TopLineMaker made = line();
    made.add(fitted(text, width_ - std::min(width_, time.size() + 1), unicode_), TopStyle::strong);
    made.add_at_end(time);
    return made.take();
  }

  // "1.93 CPUs busy  95 samples/s  5880 samples  0 lost": rates of the last second, and counts since the start.
  [[nodiscard]] TopLine rates() const {
    TopLineMaker made = line();
    double seconds = 0;
    double value = 0;
    double samples = 0;
    for (std::size_t i = shown_.ticks().size() - shown_.ticks_in(1); i < shown_.ticks().size(); ++i) {
      seconds += shown_.ticks()[i].duration_s;
      value += static_cast<double>(shown_.ticks()[i].value);
      samples += static_cast<double>(shown_.ticks()[i].samples);
    }
    if (seconds > 0 && !run_.is_state) {
      if (const double each = cpu_seconds_of_a_sample(); each > 0) {
        made.add_word(decimal(samples * each / seconds, 2) + " CPUs busy", TopStyle::strong);
      }
      if (!run_.counts_samples()) made.add_word(of_unit(value / seconds) + "/s", TopStyle::strong);
      made.add_word(amount(samples / seconds) + " " + run_.counted + "/s");
    }
    made.add_word(amount(static_cast<double>(shown_.account.recorded)) + " " + run_.counted);
    if (!run_.counts_samples()) made.add_word(of_unit(static_cast<double>(shown_.value)));
    const std::uint64_t lost = shown_.account.lost();
    made.add_word(std::to_string(lost) + " lost", lost == 0 ? TopStyle::plain : TopStyle::alert);
    if (model_.total() != model_.total_of_all()) {
      made.add_at_end("shown: " + percent(model_.total(), model_.total_of_all()));
    }
    return made.take();
  }

  // 0 if a sample does not stand for time on a CPU.
  [[nodiscard]] double cpu_seconds_of_a_sample() const {
    if (!run_.is_of_cpu_clock()) return 0;
    return run_.frequency_hz != 0 ? 1 / static_cast<double>(run_.frequency_hz) : to_seconds(run_.period_events);
  }

  // "12.3 ms", "1.5 KiB", "17 page-faults"
  [[nodiscard]] std::string of_unit(double value) const {
    std::string text = amount(value, run_.unit.kind());
    if (run_.unit != Unit::microseconds && run_.unit != Unit::bytes) text += " " + clean_text(run_.unit.word());
    return text;
  }

  // The last minute of all samples; the newest second is on the right.
  [[nodiscard]] TopLine history() const {
    std::vector<double> values;
    for (const FlameHistory::Tick& tick : shown_.ticks()) {
      values.push_back(tick.duration_s > 0 ? static_cast<double>(tick.value) / tick.duration_s : 0);
    }
    if (values.empty()) return {};
    const double most = *std::max_element(values.begin(), values.end());
    const std::size_t count = std::min({values.size(), seconds_of_history, width_});
    TopLineMaker made = line();
    made.add_right(sparkline(std::span(values).last(count), most, unicode_), std::min(seconds_of_history, width_));
    made.add_word("most " + of_unit(most) + "/s");
    return made.take();
  }

  // Shows which table is selected, and the filters on it.
  [[nodiscard]] TopLine state() const {
    TopLineMaker made = line();
    const auto tab = [&](std::string_view name, TopWhat what) {
      made.add(name, model_.what() == what ? TopStyle::chosen : TopStyle::plain);
    };
    tab(" Functions ", TopWhat::functions);
    tab(" Processes ", TopWhat::processes);
    tab(" Stacks ", TopWhat::stacks);
    if (model_.history().is_paused()) made.add_word("STOPPED", TopStyle::alert);
    made.add_word(time_text());
    if (model_.part() == TopPart::kernel) made.add_word("kernel only", TopStyle::kernel);
    if (model_.part() == TopPart::user) made.add_word("user only", TopStyle::strong);
    if (model_.merges_processes()) made.add_word("by name", TopStyle::strong);
    if (!model_.filter().empty()) made.add_word(restriction("/", model_.filter(), made.room()), TopStyle::strong);
    if (!model_.process().empty()) made.add_word(restriction("", model_.process(), made.room()), TopStyle::strong);
    if (!model_.function().empty())
      made.add_word(restriction("with ", model_.function(), made.room()), TopStyle::strong);
    made.add_at_end(count_text());
    return made.take();
  }

  [[nodiscard]] std::string count_text() const {
    if (model_.what() == TopWhat::processes) return number_of(model_.row_count(), "process", "processes");
    return number_of(model_.row_count(), model_.what() == TopWhat::functions ? "function" : "stack");
  }

  // The text is cut so that it fits in the line after two blanks.
  [[nodiscard]] std::string restriction(std::string_view what, std::string_view text, std::size_t room) const {
    return fitted(std::string(what).append(text), std::min<std::size_t>(room < 2 ? 0 : room - 2, 40), unicode_);
  }

  [[nodiscard]] std::string time_text() const {
    return model_.window_s() == 0 ? "since the start" : "last " + decimal(model_.window_s(), 0) + " s";
  }

  [[nodiscard]] TopLine foot() const {
    TopLineMaker made = line();
    if (model_.is_typing()) {
      // Show the end of the typed text.
      std::string_view text = model_.filter();
      while (!text.empty() && columns_of(text) + 2 > width_) text.remove_prefix(1);
      made.add("/");
      made.add(text, TopStyle::strong);
      made.add(" ", TopStyle::chosen);
      made.add_at_end("Enter keeps it, Esc shows all");
      return made.take();
    }
    if (model_.shows_help()) return plain("Any key closes this");
    for (const std::string_view key :
         {"q:quit", "h:help", "F P S:table", "s:sort", "/:filter", "w:time", "space:stop", "Enter:into"}) {
      const std::size_t colon = key.find(':');
      if (key.size() + 2 > made.room()) break;
      made.add_word(key.substr(0, colon), TopStyle::strong);
      made.add(" ");
      made.add(key.substr(colon + 1));
    }
    return made.take();
  }

  TopModel& model_;
  const RunInfo& run_;
  const TopRecording& shown_;
  std::size_t width_;
  std::size_t height_;
  bool unicode_;
  std::vector<TopLine> lines_;
};

}  // namespace

std::vector<TopLine> top_page(TopModel& model, const RunInfo& run, std::size_t width, std::size_t height,
                              bool unicode) {
  return Page(model, run, width, height, unicode).lines();
}

}  // namespace profile
