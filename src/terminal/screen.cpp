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
#include <string>

#include "support/error.h"
#include "terminal/capabilities.h"

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

std::optional<TopKey> key_of(wint_t code) {
  switch (code) {
    case KEY_UP:
      return TopKey::up;
    case KEY_DOWN:
      return TopKey::down;
    case KEY_PPAGE:
      return TopKey::page_up;
    case KEY_NPAGE:
      return TopKey::page_down;
    case KEY_HOME:
      return TopKey::home;
    case KEY_END:
      return TopKey::end;
    case KEY_ENTER:
      return TopKey::enter;
    case KEY_BACKSPACE:
    case KEY_DC:
      return TopKey::backspace;
    case KEY_BTAB:
      return TopKey::tab_back;
    default:
      return std::nullopt;
  }
}

TopScreen::Input input_of(wint_t character) {
  switch (character) {
    case '\r':
    case '\n':
      return {.key = TopKey::enter};
    case '\t':
      return {.key = TopKey::tab};
    case 0x1b:
      return {.key = TopKey::escape};
    case 0x08:
    case 0x7f:
      return {.key = TopKey::backspace};
    default:
      return {.key = TopKey::character, .character = static_cast<char32_t>(character)};
  }
}

std::wstring wide(const std::string& text) {
  std::wstring out;
  mbstate_t state{};
  for (std::size_t at = 0; at < text.size();) {
    wchar_t character = 0;
    const std::size_t size = ::mbrtowc(&character, text.data() + at, text.size() - at, &state);
    if (size == 0 || size > text.size()) break;  // does not happen in a text from fitted()
    out += character;
    at += size;
  }
  return out;
}

}  // namespace

TopScreen::KeptSignals::KeptSignals() {
  ::sigaction(SIGINT, nullptr, &interrupt_);
  ::sigaction(SIGTERM, nullptr, &terminate_);
  ::sigaction(SIGWINCH, nullptr, &resize_);
  ::sigaction(SIGTSTP, nullptr, &stop_);
}

TopScreen::KeptSignals::~KeptSignals() { ::sigaction(SIGTSTP, &stop_, nullptr); }

void TopScreen::KeptSignals::put_back() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
  ::sigaction(SIGWINCH, &resize_, nullptr);
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

int TopScreen::attributes_of(TopStyle style) const {
  const auto colored = [this](short pair) { return has_colors_ ? COLOR_PAIR(pair) : 0U; };
  chtype attributes = A_NORMAL;
  switch (style) {
    case TopStyle::plain:
      break;
    case TopStyle::strong:
      attributes = A_BOLD;
      break;
    case TopStyle::heading:
      attributes = A_UNDERLINE;
      break;
    case TopStyle::chosen:
      attributes = A_REVERSE;
      break;
    case TopStyle::alert:
      attributes = A_BOLD | A_REVERSE | colored(alert_pair);
      break;
    case TopStyle::kernel:
      attributes = colored(kernel_pair);
      break;
    case TopStyle::jit:
      attributes = colored(jit_pair);
      break;
    case TopStyle::warm:
      attributes = A_BOLD;
      break;
    case TopStyle::hot:
      attributes = A_BOLD | colored(alert_pair);
      break;
  }
  return static_cast<int>(attributes);
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
      ::wattrset(stdscr, line.is_selected ? static_cast<int>(A_REVERSE) : attributes_of(span.style));
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
    if (kind != KEY_CODE_YES) return input_of(code);
    if (const auto key = key_of(code)) return Input{.key = *key};
  }
  return std::nullopt;
}

bool TopScreen::is_closed() const {
  pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&in, 1, 0) == 1 && (in.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace profile
