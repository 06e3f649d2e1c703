// Ties together what there is to see (top_model.h), where it stands (top_page.h) and the terminal (top_screen.h).
#include "deliver/top_view.h"

#include "deliver/top_model.h"
#include "deliver/top_page.h"
#include "deliver/top_screen.h"
#include "deliver/top_text.h"
#include "support/clock.h"

namespace profile {
namespace {

constexpr char32_t control_l = 0x0c;
// What is added sooner than this after a drawing is seen at the next.
constexpr std::uint64_t least_between_ns = 200'000'000;

}  // namespace

class TopView::Screen {
 public:
  explicit Screen(const RunInfo& run) : run_(run) { draw(); }

  void add(const Profile& profile) {
    model_.add(profile);
    if (monotonic_ns() - drawn_ns_ >= least_between_ns) draw();
  }
  [[nodiscard]] int poll_fd() const { return screen_.poll_fd(); }
  bool on_ready() {
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
  void on_resize() {
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
  TopLocale locale_;  // before the screen, which asks for it
  TopScreen screen_;
  std::uint64_t drawn_ns_ = 0;
};

TopView::TopView(const RunInfo& run) : screen_(std::make_unique<Screen>(run)) {}
TopView::~TopView() = default;

void TopView::add(const Profile& profile) { screen_->add(profile); }
int TopView::poll_fd() const { return screen_->poll_fd(); }
bool TopView::on_ready() { return screen_->on_ready(); }
void TopView::on_resize() { screen_->on_resize(); }

}  // namespace profile
