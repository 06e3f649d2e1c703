#include "terminal/screen.h"

#include <ncurses.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "support/error.h"

namespace profile {
namespace {

// If nothing follows an Esc for this time, it is the Esc key and not the beginning of another key's sequence. The time
// is long enough for sequences that a network splits.
constexpr int escape_delay_ms = 50;

// How long the destructor waits for a terminal that does not accept output.
constexpr double patience_s = 1;

// Colours that can be read on black and on white: with 256 colours an orange and a blue of medium lightness, otherwise
// magenta for the kernel only.
constexpr short kernel_pair = 1;
constexpr short jit_pair = 2;
constexpr short alert_pair = 3;
constexpr short orange_of_256 = 166;
constexpr short blue_of_256 = 31;

struct KnownKey {
  int kind = 0;  // KEY_CODE_YES: `code` is a number of ncurses; OK: it is a character
  wint_t code = 0;
  TopKey key = TopKey::character;
};
constexpr KnownKey known_keys[] = {
    {KEY_CODE_YES, KEY_UP, TopKey::up},
    {KEY_CODE_YES, KEY_DOWN, TopKey::down},
    {KEY_CODE_YES, KEY_PPAGE, TopKey::page_up},
    {KEY_CODE_YES, KEY_NPAGE, TopKey::page_down},
    {KEY_CODE_YES, KEY_HOME, TopKey::home},
    {KEY_CODE_YES, KEY_END, TopKey::end},
    {KEY_CODE_YES, KEY_ENTER, TopKey::enter},
    {KEY_CODE_YES, KEY_BACKSPACE, TopKey::backspace},
    {KEY_CODE_YES, KEY_DC, TopKey::backspace},
    {KEY_CODE_YES, KEY_BTAB, TopKey::tab_back},
    {OK, '\r', TopKey::enter},
    {OK, '\n', TopKey::enter},
    {OK, '\t', TopKey::tab},
    {OK, 0x1b, TopKey::escape},
    {OK, 0x08, TopKey::backspace},
    {OK, 0x7f, TopKey::backspace},
};

std::wstring wide(const std::string& text) {
  std::wstring out(text.size(), L'\0');
  const std::size_t size = ::mbstowcs(out.data(), text.c_str(), out.size());
  out.resize(size <= text.size() ? size : 0);  // a text from fitted() can be converted
  return out;
}

}  // namespace

TopScreen::KeptSignals::KeptSignals() {
  for (const int number : {SIGINT, SIGTERM, SIGWINCH, SIGTSTP}) ::sigaction(number, nullptr, &kept_[number]);
}

TopScreen::KeptSignals::~KeptSignals() { ::sigaction(SIGTSTP, &kept_[SIGTSTP], nullptr); }

void TopScreen::KeptSignals::put_back() {
  for (const int number : {SIGINT, SIGTERM, SIGWINCH}) ::sigaction(number, &kept_[number], nullptr);
}

TopScreen::TopScreen() {
  const std::string type = checked_terminal_type();
  ::tcgetattr(STDIN_FILENO, &before_);
  ready_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : {STDIN_FILENO, output_.poll_fd()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &event) != 0) throw system_error("cannot wait for keys", errno);
  }
  screen_ = ::newterm(type.c_str(), output_.file(), stdin);
  signals_.put_back();
  if (screen_ == nullptr) throw Error("--top cannot use the terminal of type '" + type + "' (TERM)");
  ::cbreak();  // Ctrl-C stays a signal, so that the command of the run receives it too
  ::noecho();
  ::nonl();
  adapt_terminal();
  ::keypad(stdscr, TRUE);
  ::nodelay(stdscr, TRUE);
  ::set_escdelay(escape_delay_ms);
  ::curs_set(0);
  start_colors();
  resize();
}

TopScreen::~TopScreen() {
  output_.keep([] { ::endwin(); });
  output_.finish(patience_s);
  ::delscreen(screen_);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);  // TCSANOW does not wait for pending output
}

// Disables Ctrl-S, which would stop our output and with it the run, and Ctrl-\, which would kill us without restoring
// the terminal.
void TopScreen::adapt_terminal() {
  termios now{};
  if (::tcgetattr(STDIN_FILENO, &now) != 0) return;
  now.c_iflag &= ~static_cast<tcflag_t>(IXON);
  now.c_cc[VQUIT] = _POSIX_VDISABLE;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
  ::def_prog_mode();
}

void TopScreen::start_colors() {
  const char* const no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nothing here sets any
  const bool unwanted = no_color != nullptr && *no_color != '\0';
  if (unwanted || !::has_colors() || ::start_color() != OK || ::use_default_colors() != OK) return;
  has_colors_ = true;
  const bool has_many = COLORS >= 256;
  ::init_pair(kernel_pair, has_many ? orange_of_256 : short{COLOR_MAGENTA}, -1);
  ::init_pair(jit_pair, has_many ? blue_of_256 : short{-1}, -1);
  ::init_pair(alert_pair, COLOR_RED, -1);
}

unsigned TopScreen::attributes_of(TopStyle style) const {
  const auto colored = [this](short pair) { return has_colors_ ? COLOR_PAIR(pair) : 0U; };
  switch (style) {
    case TopStyle::plain:
      break;
    case TopStyle::strong:
    case TopStyle::warm:
      return A_BOLD;
    case TopStyle::heading:
      return A_UNDERLINE;
    case TopStyle::chosen:
      return A_REVERSE;
    case TopStyle::alert:
      return A_BOLD | A_REVERSE | colored(alert_pair);
    case TopStyle::kernel:
      return colored(kernel_pair);
    case TopStyle::jit:
      return colored(jit_pair);
    case TopStyle::hot:
      return A_BOLD | colored(alert_pair);
  }
  return A_NORMAL;
}

std::size_t TopScreen::width() const { return static_cast<std::size_t>(getmaxx(stdscr)); }
std::size_t TopScreen::height() const { return static_cast<std::size_t>(getmaxy(stdscr)); }

void TopScreen::draw(const std::vector<TopLine>& lines) {
  is_overdue_ = output_.is_pending();
  if (is_overdue_) return;
  ::werase(stdscr);  // not wclear(), which would send the whole screen again
  int row = 0;
  for (const TopLine& line : lines) {
    ::wmove(stdscr, row++, 0);
    for (const TopSpan& span : line.spans) {
      ::wattrset(stdscr, static_cast<int>(line.is_selected ? A_REVERSE : attributes_of(span.style)));
      // Wide characters, because ncurses decodes bytes by the locale of the process, not of this thread.
      const std::wstring text = wide(span.text);
      ::waddnwstr(stdscr, text.data(), static_cast<int>(text.size()));
    }
    if (!line.is_selected) continue;
    ::wattrset(stdscr, static_cast<int>(A_REVERSE));
    if (getcury(stdscr) == row - 1) ::whline(stdscr, ' ', getmaxx(stdscr));
  }
  ::wattrset(stdscr, static_cast<int>(A_NORMAL));
  output_.keep([] { ::wrefresh(stdscr); });
}

bool TopScreen::flush() {
  if (output_.is_pending()) output_.flush();
  return is_overdue_ && !output_.is_pending();
}

void TopScreen::forget_drawn() { ::clearok(curscr, TRUE); }

void TopScreen::resize() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
  if (::is_term_resized(size.ws_row, size.ws_col)) ::resizeterm(size.ws_row, size.ws_col);
}

std::optional<TopScreen::Input> TopScreen::next_input() {
  wint_t code = 0;
  const auto next = [&] {
    int kind = ERR;
    output_.keep([&] { kind = ::wget_wch(stdscr, &code); });  // this also draws pending changes, so it needs keep()
    return kind;
  };
  for (int kind = next(); kind != ERR; kind = next()) {
    for (const KnownKey& known : known_keys) {
      if (known.kind == kind && known.code == code) return Input{.key = known.key};
    }
    if (kind != KEY_CODE_YES) return Input{.character = static_cast<char32_t>(code)};
  }
  return std::nullopt;
}

bool TopScreen::is_closed() const {
  pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&in, 1, 0) == 1 && (in.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace profile
