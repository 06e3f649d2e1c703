// The view of --top: connects the model of the tables (model.h), the layout of the page (page.h) and the terminal
// (screen.h).
#include "terminal/view.h"

#include "support/clock.h"
#include "support/module.h"
#include "terminal/model.h"
#include "terminal/page.h"
#include "terminal/screen.h"
#include "terminal/text.h"

namespace profile {
namespace {

constexpr char32_t control_l = 0x0c;
// After a drawing, data that is added within this time does not cause a new one; it is shown at the next drawing.
constexpr std::uint64_t least_between_ns = 200'000'000;

class TopScreenView final : public TopView {
 public:
  explicit TopScreenView(const RunInfo& run) : run_(run) {
    model_.merge_processes(run.processes_by_name);
    draw();
  }

  void add(const Profile& profile) override {
    model_.add(profile);
    if (monotonic_ns() - drawn_ns_ >= least_between_ns) draw();
  }
  [[nodiscard]] int poll_fd() const override { return screen_.poll_fd(); }
  [[nodiscard]] bool on_ready() override {
    const bool is_due = screen_.flush();
    bool goes_on = true;
    bool any = false;
    while (goes_on) {
      const auto input = screen_.next_input();
      if (!input) break;
      any = true;
      if (input->key == TopKey::character && input->character == control_l) {
        screen_.forget_drawn();
      } else {
        goes_on = model_.on_key(input->key, input->character);
      }
    }
    if ((any || is_due) && goes_on) draw();
    return goes_on && (any || !screen_.is_closed());
  }
  void on_resize() override {
    screen_.resize();
    draw();
  }

 private:
  void draw() {
    screen_.draw(top_page(model_, run_, screen_.width(), screen_.height(), locale_.has_unicode()));
    drawn_ns_ = monotonic_ns();
  }

  RunInfo run_;
  TopModel model_;
  TopLocale locale_;  // before the screen, which uses it
  TopScreen screen_;
  std::uint64_t drawn_ns_ = 0;
};

constexpr TopViewModule terminal{.check = check_top_terminal, .make = make_top_view};

}  // namespace

void check_top_terminal() { static_cast<void>(checked_terminal_type()); }

std::unique_ptr<TopView> make_top_view(const RunInfo& run) { return std::make_unique<TopScreenView>(run); }

extern "C" const ModuleEntry profile_module_terminal{.version = PROFILE_VERSION, .functions = &terminal};

}  // namespace profile
