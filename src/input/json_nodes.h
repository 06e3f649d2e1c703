// JSON as it is read, without a document in memory: a tree of nodes says what is wanted at which place, and each is
// told what stands there. What no node waits for is passed over, whatever it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profile {

class JsonNumber {
 public:
  explicit JsonNumber(std::uint64_t whole) : whole_(whole), number_(static_cast<double>(whole)), is_whole_(true) {}
  explicit JsonNumber(double number) : number_(number) {}

  // Throws Error, which names `what`, when it is none of 0 to `most`.
  [[nodiscard]] std::uint64_t whole(const char* what, std::uint64_t most = UINT64_MAX) const;
  [[nodiscard]] std::uint32_t index(const char* what) const {
    return static_cast<std::uint32_t>(whole(what, UINT32_MAX - 1));
  }
  [[nodiscard]] double number() const { return number_; }
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  std::uint64_t whole_ = 0;
  double number_;
  bool is_whole_ = false;
};

class JsonNode {
 public:
  using OnText = std::function<void(std::string_view)>;
  using OnNumber = std::function<void(const JsonNumber&)>;
  using OnNode = std::function<void()>;

  // What stands there, if it is an object, under this name; if it is an array, in each place.
  JsonNode& operator[](std::string_view name);
  JsonNode& each();
  JsonNode& text(OnText call) { return text_ = std::move(call), *this; }
  JsonNode& number(OnNumber call) { return number_ = std::move(call), *this; }
  JsonNode& truth(std::function<void(bool)> call) { return truth_ = std::move(call), *this; }
  // An object or an array.
  JsonNode& begin(OnNode call) { return begin_ = std::move(call), *this; }
  JsonNode& end(OnNode call) { return end_ = std::move(call), *this; }

 private:
  friend class JsonWalk;
  std::vector<std::pair<std::string, std::unique_ptr<JsonNode>>> members_;
  std::unique_ptr<JsonNode> each_;
  OnText text_;
  OnNumber number_;
  std::function<void(bool)> truth_;
  OnNode begin_;
  OnNode end_;
};

// Reads the documents that stand one behind the other in `text`. `root` is told of each. An Error says where:
// "NAME:LINE: why", and the column of a long line.
void read_json(std::string_view text, const std::string& name, const JsonNode& root);

}  // namespace profile
