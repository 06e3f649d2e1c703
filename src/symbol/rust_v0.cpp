#include "symbol/rust_v0.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "symbol/punycode.h"
#include "symbol/rust_v0_reader.h"

namespace profile {
namespace {

// Nested types of real programs stay below 100; the compiler itself stops at 128 by default.
constexpr int max_depth = 256;
// Paths, types and constants looked at, back references followed and followed again.
constexpr int max_steps = 1 << 16;
// Lifetimes one `for<…>` may introduce.
constexpr std::uint64_t max_binder = 64;

// By their letters; "" for those that mean something else.
constexpr std::array<std::string_view, 26> basic_types = {
    "i8",   "bool", "char", "f64", "str", "f32", "",    "u8", "isize", "usize", "",    "i32", "u32",
    "i128", "u128", "_",    "",    "",    "i16", "u16", "()", "...",   "",      "i64", "u64", "!"};

std::string_view basic_type(char tag) {
  return tag >= 'a' && tag <= 'z' ? basic_types[static_cast<std::size_t>(tag - 'a')] : std::string_view{};
}

// At most 16 of them.
std::uint64_t hex_value(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

bool is_code_point(std::uint64_t code) { return code <= 0x10ffff && (code < 0xd800 || code >= 0xe000); }

// Reads and prints in one go. After a failure every step returns at once.
class Printer : private RustV0Reader {
 public:
  Printer(std::string_view mangled, std::size_t max_bytes) : RustV0Reader(mangled), max_bytes_(max_bytes) {}
  std::optional<std::string> symbol();

 private:
  // One level deeper, one step more.
  class Level {
   public:
    explicit Level(Printer& printer) : printer_(printer) {
      if (++printer_.depth_ > max_depth || ++printer_.steps_ > max_steps) printer_.failed_ = true;
    }
    ~Level() { --printer_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Printer& printer_;
  };

  void print(std::string_view text) {
    if (failed_ || silent_ > 0) return;
    if (text.size() > max_bytes_ - out_.size()) return fail();
    out_ += text;
  }
  void print_number(std::uint64_t number) { print(std::to_string(number)); }
  void print(const RustIdentifier& identifier);
  void print_lifetime(std::uint64_t index);

  // What stands behind a 'B', already eaten: `read` continues there, then comes back.
  template <class Read>
  void back_reference(Read read);
  // `item` until an 'E', `separator` between them; how many.
  template <class Item>
  int list(std::string_view separator, Item item);

  void path(bool in_value);
  void nested(bool in_value);
  void implementation(char tag, bool in_value);
  void generic_argument();
  void type();
  bool structured_type(char tag);
  void function_type();
  void dynamic_type();
  void dynamic_trait();
  bool path_with_open_generics();
  void binder();
  void constant();
  void number(bool is_signed);
  void character();

  std::size_t max_bytes_;
  std::string out_;
  int silent_ = 0;
  int depth_ = 0;
  int steps_ = 0;
  std::uint64_t lifetimes_ = 0;  // introduced by the binders around
};

std::optional<std::string> Printer::symbol() {
  if (!is_upper_case(peek())) return std::nullopt;  // a digit would be a later version of the encoding
  path(true);
  if (!failed_ && at_ < in_.size()) {  // the crate it was instantiated in
    ++silent_;
    path(false);
  }
  if (failed_ || at_ != in_.size()) return std::nullopt;
  return std::move(out_);
}

void Printer::print(const RustIdentifier& identifier) {
  if (identifier.punycode.empty()) return print(identifier.text);
  if (failed_ || silent_ > 0) return;
  const auto decoded = decode_punycode(identifier.text, identifier.punycode);
  return decoded ? print(*decoded) : fail();
}

// Counted from the innermost binder outwards, from 1; 0 is the erased one.
void Printer::print_lifetime(std::uint64_t index) {
  if (index == 0) return print("'_");
  if (index > lifetimes_) return fail();
  const std::uint64_t number = lifetimes_ - index;
  if (number < 26) {
    const char name[] = {'\'', static_cast<char>('a' + number)};
    return print(std::string_view(name, sizeof name));
  }
  print("'_");
  print_number(number);
}

template <class Read>
void Printer::back_reference(Read read) {
  const std::size_t here = at_ - 1;
  const std::uint64_t target = integer62();
  if (failed_ || silent_ > 0) return;
  if (target >= here - 2) return fail();  // counted from behind "_R"; only backwards
  const std::size_t resume = at_;
  at_ = static_cast<std::size_t>(target) + 2;
  read();
  at_ = resume;
}

template <class Item>
int Printer::list(std::string_view separator, Item item) {
  int count = 0;
  while (!failed_ && !eat('E')) {
    if (count++ > 0) print(separator);
    item();
  }
  return count;
}

void Printer::path(bool in_value) {
  const Level level(*this);
  if (failed_) return;
  switch (const char tag = next()) {
    case 'C':
      optional_integer62('s');
      return print(identifier());
    case 'N':
      return nested(in_value);
    case 'M':
    case 'X':
    case 'Y':
      return implementation(tag, in_value);
    case 'I':
      path(in_value);
      print(in_value ? "::<" : "<");
      list(", ", [this] { generic_argument(); });
      return print(">");
    case 'B':
      return back_reference([this, in_value] { path(in_value); });
    default:
      return fail();
  }
}

void Printer::nested(bool in_value) {
  const char space = next();
  if (!is_lower_case(space) && !is_upper_case(space)) return fail();
  path(in_value);
  const std::uint64_t number = optional_integer62('s');
  const RustIdentifier name = identifier();
  if (is_lower_case(space)) {
    if (!name.empty()) print("::");
    return print(name);
  }
  // What the compiler made: closures and shims.
  print("::{");
  print(space == 'C' ? "closure" : space == 'S' ? "shim" : std::string_view(&space, 1));
  if (!name.empty()) print(":");
  print(name);
  print("#");
  print_number(number);
  print("}");
}

void Printer::implementation(char tag, bool in_value) {
  if (tag != 'Y') {  // where the impl stands: nobody asks for it
    optional_integer62('s');
    ++silent_;
    path(in_value);
    --silent_;
  }
  print("<");
  type();
  if (tag != 'M') {
    print(" as ");
    path(false);
  }
  print(">");
}

void Printer::generic_argument() {
  if (eat('L')) return print_lifetime(integer62());
  if (eat('K')) return constant();
  type();
}

void Printer::type() {
  const Level level(*this);
  if (failed_) return;
  const char tag = next();
  if (const std::string_view name = basic_type(tag); !name.empty()) return print(name);
  if (structured_type(tag)) return;
  --at_;
  path(false);
}

bool Printer::structured_type(char tag) {
  switch (tag) {
    case 'R':
    case 'Q':
      print("&");
      if (eat('L')) {
        if (const std::uint64_t index = integer62(); index != 0) {
          print_lifetime(index);
          print(" ");
        }
      }
      if (tag == 'Q') print("mut ");
      type();
      return true;
    case 'P':
    case 'O':
      print(tag == 'P' ? "*const " : "*mut ");
      type();
      return true;
    case 'A':
    case 'S':
      print("[");
      type();
      if (tag == 'A') {
        print("; ");
        constant();
      }
      print("]");
      return true;
    case 'T':
      print("(");
      if (list(", ", [this] { type(); }) == 1) print(",");
      print(")");
      return true;
    case 'F':
      function_type();
      return true;
    case 'D':
      dynamic_type();
      return true;
    case 'B':
      back_reference([this] { type(); });
      return true;
    default:
      return failed_;
  }
}

void Printer::binder() {
  const std::uint64_t count = optional_integer62('G');
  if (count == 0) return;
  if (count > max_binder) return fail();
  print("for<");
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) print(", ");
    ++lifetimes_;
    print_lifetime(1);
  }
  print("> ");
}

void Printer::function_type() {
  const std::uint64_t outer = lifetimes_;
  binder();
  if (eat('U')) print("unsafe ");
  if (eat('K')) {
    std::string abi = "C";
    if (!eat('C')) {
      const RustIdentifier name = identifier();
      if (name.text.empty() || !name.punycode.empty()) return fail();
      abi = name.text;
      for (char& c : abi) c = c == '_' ? '-' : c;
    }
    print("extern \"" + abi + "\" ");
  }
  print("fn(");
  list(", ", [this] { type(); });
  print(")");
  if (!eat('u')) {  // returns something
    print(" -> ");
    type();
  }
  lifetimes_ = outer;
}

void Printer::dynamic_type() {
  print("dyn ");
  const std::uint64_t outer = lifetimes_;
  binder();
  list(" + ", [this] { dynamic_trait(); });
  lifetimes_ = outer;
  if (!eat('L')) return fail();
  if (const std::uint64_t index = integer62(); index != 0) {
    print(" + ");
    print_lifetime(index);
  }
}

// Associated types are written among the generic arguments: `Iterator<Item = u8>`.
void Printer::dynamic_trait() {
  bool open = path_with_open_generics();
  while (!failed_ && eat('p')) {
    print(open ? ", " : "<");
    open = true;
    print(identifier());
    print(" = ");
    type();
  }
  if (open) print(">");
}

bool Printer::path_with_open_generics() {
  const Level level(*this);
  bool open = false;
  if (failed_) return open;
  if (eat('B')) {
    back_reference([this, &open] { open = path_with_open_generics(); });
  } else if (eat('I')) {
    path(false);
    print("<");
    list(", ", [this] { generic_argument(); });
    open = true;
  } else {
    path(false);
  }
  return open;
}

void Printer::constant() {
  const Level level(*this);
  if (failed_) return;
  const char tag = next();
  if (tag == 'B') return back_reference([this] { constant(); });
  if (tag == 'p') return print("_");
  if (tag == 'c') return character();
  if (std::string_view("htmyoj").find(tag) != std::string_view::npos) return number(false);
  if (std::string_view("aslxni").find(tag) != std::string_view::npos) return number(true);
  if (tag != 'b') return fail();  // strings and structures are not stable yet
  const bool value = eat('1');
  if (!value && !eat('0')) return fail();
  print(value ? "true" : "false");
  if (!eat('_')) fail();
}

void Printer::number(bool is_signed) {
  if (is_signed && eat('n')) print("-");
  const std::string_view digits = hex_digits();
  if (digits.size() > 16) {
    print("0x");
    return print(digits);
  }
  print_number(hex_value(digits));
}

void Printer::character() {
  const std::string_view digits = hex_digits();
  const std::uint64_t code = hex_value(digits);
  if (failed_ || digits.empty() || digits.size() > 6 || !is_code_point(code)) return fail();
  std::string text;
  if (code == '\'' || code == '\\') {
    text = {'\\', static_cast<char>(code)};
  } else if (code >= 0x20 && code != 0x7f) {
    append_utf8(text, static_cast<std::uint32_t>(code));
  } else {
    text.append("\\u{").append(digits).append("}");
  }
  print("'" + text + "'");
}

}  // namespace

std::optional<std::string> demangle_rust_v0(std::string_view mangled, std::size_t max_bytes) {
  if (!mangled.starts_with("_R")) return std::nullopt;
  return Printer(mangled, max_bytes).symbol();
}

}  // namespace profile
