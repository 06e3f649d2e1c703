#include "input/name_pattern.h"

#include <algorithm>
#include <string>
#include <utility>

#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// The patterns of Google's allocators have 50 names in 1000 letters.
constexpr std::size_t most_instructions = 20'000;
constexpr std::uint64_t most_steps = 100'000'000;  // less than a second
constexpr std::uint32_t most_repeated = 1000;      // as in RE2
constexpr int deepest = 100;

Error unreadable(const char* why) { return Error(std::string("its pattern of frames to drop cannot be read: ") + why); }

}  // namespace

// Makes instructions while it reads the pattern. A piece of program has only relative jumps, so it can be copied.
class NamePattern::Compiler {
 public:
  Compiler(std::string_view pattern, std::vector<Letters>& sets) : left_(pattern), sets_(sets) {}

  std::vector<Instruction> all() {
    std::vector<Instruction> program = alternatives();
    if (!left_.empty()) throw unreadable("a parenthesis is closed that was not opened");
    return program;
  }

 private:
  using Piece = std::vector<Instruction>;

  static std::int32_t distance(std::size_t instructions) { return static_cast<std::int32_t>(instructions); }

  void append(Piece& to, const Piece& more) {
    made_ += more.size();
    if (made_ > most_instructions) throw unreadable("it is too long");
    to.insert(to.end(), more.begin(), more.end());
  }
  bool skip(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  char take() {
    if (left_.empty()) throw unreadable("it is cut off");
    const char c = left_.front();
    left_.remove_prefix(1);
    return c;
  }

  Piece alternatives() {
    if (++depth_ > deepest) throw unreadable("it is nested too deeply");
    Piece piece = sequence();
    while (skip('|')) {
      const Piece other = sequence();
      Piece both{{.step = Step::either, .first = 1, .second = distance(piece.size() + 2)}};
      append(both, piece);
      both.push_back({.step = Step::jump, .first = distance(other.size() + 1)});
      append(both, other);
      piece = std::move(both);
    }
    --depth_;
    return piece;
  }

  Piece sequence() {
    Piece piece;
    while (!left_.empty() && left_.front() != '|' && left_.front() != ')') append(piece, repeated(one()));
    return piece;
  }

  Piece repeated(Piece piece) {
    for (;;) {
      if (skip('*')) {
        piece = maybe_many(piece);
      } else if (skip('+')) {
        piece.push_back({.step = Step::either, .first = -distance(piece.size()), .second = 1});
      } else if (skip('?')) {
        piece = maybe(piece);
      } else if (!repeat_by_numbers(piece)) {
        return piece;
      }
      skip('?');  // "as few as possible" is no difference for the whole name
    }
  }

  Piece maybe(const Piece& piece) {
    Piece made{{.step = Step::either, .first = 1, .second = distance(piece.size() + 1)}};
    append(made, piece);
    return made;
  }
  Piece maybe_many(const Piece& piece) {
    Piece made{{.step = Step::either, .first = 1, .second = distance(piece.size() + 2)}};
    append(made, piece);
    made.push_back({.step = Step::jump, .first = -distance(piece.size() + 1)});
    return made;
  }

  // "{2}", "{2,}", "{2,5}". False: there is none, and a brace is a letter.
  bool repeat_by_numbers(Piece& piece) {
    Scan scan(left_);
    std::uint32_t least = 0;
    if (!scan.skip("{") || !scan.number(least)) return false;
    std::uint32_t most = least;
    const bool has_limit = !scan.skip(",") || scan.number(most);
    if (!scan.skip("}")) return false;
    if (least > most_repeated || most > most_repeated || most < least) throw unreadable("it repeats too often");
    left_ = scan.rest();
    Piece made;
    for (std::uint32_t i = 0; i < least; ++i) append(made, piece);
    if (!has_limit) append(made, maybe_many(piece));
    for (std::uint32_t i = least; i < most; ++i) append(made, maybe(piece));
    piece = std::move(made);
    return true;
  }

  Piece one() {
    const char c = take();
    switch (c) {
      case '(':
        return group();
      case '[':
        return letter(set());
      case '.':
        return letter(Letters().set());
      case '^':
        return {{.step = Step::at_begin}};
      case '$':
        return {{.step = Step::at_end}};
      case '*':
      case '+':
      case '?':
        throw unreadable("nothing is there to be repeated");
      case '\\':
        return escaped();
      default:
        return letter(only(c));
    }
  }

  Piece group() {
    if (skip('?') && !skip(':')) {
      skip('P');
      const std::size_t end = left_.find('>');
      if (!left_.starts_with('<') || end == left_.npos) throw unreadable("it has a flag or looks around");
      left_.remove_prefix(end + 1);
    }
    Piece piece = alternatives();
    if (!skip(')')) throw unreadable("a parenthesis is not closed");
    return piece;
  }

  Piece escaped() {
    const char c = take();
    if (c == 'A') return {{.step = Step::at_begin}};
    if (c == 'z') return {{.step = Step::at_end}};
    if (c == 'Q') {  // literal text up to "\E"
      Piece piece;
      while (!left_.empty() && !left_.starts_with("\\E")) append(piece, letter(only(take())));
      left_.remove_prefix(std::min<std::size_t>(2, left_.size()));
      return piece;
    }
    return letter(class_of(c));
  }

  // Of the letter behind a backslash.
  static Letters class_of(char c) {
    Letters letters;
    switch (c) {
      case 'd':
      case 'D':
        add_range(letters, '0', '9');
        return c == 'd' ? letters : ~letters;
      case 'w':
      case 'W':
        add_range(letters, '0', '9');
        add_range(letters, 'a', 'z');
        add_range(letters, 'A', 'Z');
        letters.set('_');
        return c == 'w' ? letters : ~letters;
      case 's':
      case 'S':
        for (const char blank : {' ', '\t', '\n', '\r', '\f'}) letters |= only(blank);
        return c == 's' ? letters : ~letters;
      case 't':
        return only('\t');
      case 'n':
        return only('\n');
      default:
        break;
    }
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_word) throw unreadable("it has an escaped letter that is not known");
    return only(c);
  }

  // Behind "[".
  Letters set() {
    const bool is_negated = skip('^');
    Letters letters;
    for (bool is_first = true; is_first || !left_.starts_with(']'); is_first = false) {
      const char low = take();
      if (low == '[' && left_.starts_with(':')) throw unreadable("it has a named class of letters");
      if (low == '\\') {
        letters |= class_of(take());
      } else if (left_.size() > 1 && left_[0] == '-' && left_[1] != ']') {
        left_.remove_prefix(1);
        const char high = take();
        if (high == '\\' || static_cast<unsigned char>(high) < static_cast<unsigned char>(low)) {
          throw unreadable("it has a range that is none");
        }
        add_range(letters, low, high);
      } else {
        letters |= only(low);
      }
    }
    left_.remove_prefix(1);
    return is_negated ? ~letters : letters;
  }

  static Letters only(char c) { return Letters().set(static_cast<unsigned char>(c)); }
  static void add_range(Letters& letters, char low, char high) {
    for (unsigned c = static_cast<unsigned char>(low); c <= static_cast<unsigned char>(high); ++c) letters.set(c);
  }
  Piece letter(const Letters& letters) {
    if (sets_.size() == most_instructions) throw unreadable("it is too long");
    sets_.push_back(letters);
    return {{.step = Step::letter, .first = distance(sets_.size() - 1)}};
  }

  std::string_view left_;
  std::vector<Letters>& sets_;
  std::size_t made_ = 0;  // instructions, also those of pieces that have been copied
  int depth_ = 0;
};

NamePattern::NamePattern(std::string_view pattern)
    : program_(Compiler(pattern, sets_).all()), budget_(most_steps), is_state_(program_.size() + 1) {}

void NamePattern::add_state(std::size_t at, bool is_begin, bool is_end) {
  left_.push_back(at);
  while (!left_.empty()) {
    const std::size_t state = left_.back();
    left_.pop_back();
    if (is_state_[state]) continue;
    is_state_[state] = true;
    next_.push_back(state);
    if (state == program_.size()) continue;
    const Instruction& instruction = program_[state];
    const auto go = [&](std::int32_t distance) { left_.push_back(state + static_cast<std::size_t>(distance)); };
    if (instruction.step == Step::either) go(instruction.second);
    if (instruction.step == Step::either || instruction.step == Step::jump) go(instruction.first);
    if (instruction.step == Step::at_begin && is_begin) go(1);
    if (instruction.step == Step::at_end && is_end) go(1);
  }
}

bool NamePattern::matches(std::string_view name) {
  states_.clear();
  const auto take_next = [this] {
    states_.swap(next_);
    next_.clear();
    for (const std::size_t state : states_) is_state_[state] = false;
  };
  add_state(0, true, name.empty());
  take_next();
  for (std::size_t i = 0; i < name.size() && !states_.empty(); ++i) {
    if (!budget_.take(states_.size() + 1)) throw Error("its pattern of frames to drop takes too long");
    for (const std::size_t state : states_) {
      if (state == program_.size() || program_[state].step != Step::letter) continue;
      if (!sets_[static_cast<std::size_t>(program_[state].first)].test(static_cast<unsigned char>(name[i]))) continue;
      add_state(state + 1, false, i + 1 == name.size());
    }
    take_next();
  }
  for (const std::size_t state : states_) {
    if (state == program_.size()) return true;
  }
  return false;
}

}  // namespace profile
