// Where a stream goes: stdout or a file, and never at the price of waiting for who reads it. What the reader does not
// take is kept up to a bound; from there on the session leaves the samples in the kernel's ring buffer, and when that
// is full too the kernel counts what it has to drop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "support/fd.h"

namespace profile {

class AsideWriter;

class StreamWriter {
 public:
  // "-" is stdout. Throws Error when the file cannot be opened. An existing file keeps its contents until the first
  // flush.
  explicit StreamWriter(std::string path);
  ~StreamWriter();
  StreamWriter(StreamWriter&&) noexcept;
  StreamWriter& operator=(StreamWriter&&) = delete;
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  // What is to be written; append to it.
  [[nodiscard]] std::string& buffer() { return pending_; }
  // What was appended up to here is a whole record. Records are told apart only to say how many did not get through.
  void end_record() { record_ends_.push_back(dropped_bytes_ + pending_.size()); }
  // Whether so much is pending that no more should be appended.
  [[nodiscard]] bool is_behind() const { return pending_bytes() >= most_pending_bytes; }

  enum class Result { written, behind, closed_pipe };
  // Writes what can be written without waiting. `behind`: a part is still pending. `closed_pipe`: nobody reads any
  // more, and nobody ever will. Throws Error for all else that goes wrong, a full disk for instance; both are final.
  Result flush();
  // Readable when flush() has something to do that it could not do before: the reader took something, or is gone.
  [[nodiscard]] int poll_fd() const { return epoll_.get(); }

  struct Unwritten {
    std::size_t bytes = 0;
    std::size_t records = 0;  // a record of which a part was written is one of them
  };
  // Ends it: writes the rest, waiting for the reader for `patience_s` altogether, and returns what could not be
  // written. Throws Error as flush() does, and for what a file system says only at close.
  Unwritten finish(double patience_s);
  [[nodiscard]] const std::string& path() const { return path_; }

  static constexpr std::size_t most_pending_bytes = 1 << 20;

 private:
  // How to write without waiting.
  enum class Way : std::uint8_t {
    plain,   // just so: a file, or a device that takes everything
    own,     // the open file description is ours alone and non-blocking
    socket,  // each send is told not to wait
    shared   // only as much as poll() promises to take: others have the description too, and would be made non-blocking
  };

  void open_stdout();
  void open_file();
  Way way_of(bool is_ours);
  bool make_own();
  void watch(std::uint32_t events);
  [[nodiscard]] std::size_t pending_bytes() const { return pending_.size() - written_; }
  [[nodiscard]] bool reader_is_gone() const;
  void write_pending();
  long write_some(const char* data, std::size_t size) const;
  void forget_written();
  void fail(int error);

  [[noreturn]] void refuse(int error) const;

  std::string path_;
  Fd fd_;
  std::unique_ptr<AsideWriter> aside_;  // has the file, and fd_ is a socket to it; null: fd_ is the file
  Fd epoll_;                            // watches fd_, so that whoever waits need know nothing of what is pending
  Way way_ = Way::plain;
  bool is_terminal_ = false;  // asked at once: one that was hung up does not say so any more
  bool can_wait_ = false;     // fd_ is watched
  bool is_open_ = true;       // false once it failed or nobody reads any more
  bool is_empty_ = true;      // whether earlier contents have been cut off
  std::string pending_;
  std::size_t written_ = 0;                // bytes at the front of pending_ that are through
  std::uint64_t dropped_bytes_ = 0;        // that once stood before pending_
  std::deque<std::uint64_t> record_ends_;  // counted from the first byte of all; of those not yet through
};

}  // namespace profile
