// Writes a stream to stdout or a file, and never waits for its reader. It keeps what the reader does not take, up to a
// bound. Beyond it, the session leaves the samples in the kernel's ring; when the ring is full, the kernel counts the
// samples that it drops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "support/fd.h"

namespace profile {

class DetachedWriter;

class StreamWriter {
 public:
  // "-" is stdout. Throws Error when the file cannot be opened. An existing file keeps its contents until the first
  // flush; a new one is only for its owner, because a stream tells of each sample when it was taken.
  explicit StreamWriter(std::string path);
  ~StreamWriter();
  StreamWriter(StreamWriter&&) noexcept;

  // Append the bytes to write here.
  [[nodiscard]] std::string& buffer() { return pending_; }
  // Marks the end of a record. Records are counted only to report how many did not get through.
  void end_record() { record_ends_.push_back(dropped_bytes_ + pending_.size()); }
  // Whether so much is pending that the caller should append no more.
  [[nodiscard]] bool is_behind() const { return pending_bytes() >= most_pending_bytes; }

  enum class Result { written, behind, closed_pipe };
  // Writes as much as possible without waiting. `behind`: a part is still pending. `closed_pipe`: the reader is gone
  // for ever. Throws Error for any other failure, for example a full disk. Both are final.
  Result flush();
  // Readable when flush() can do more than before: the reader took something, or is gone.
  [[nodiscard]] int poll_fd() const { return epoll_.get(); }

  struct Unwritten {
    std::size_t bytes = 0;
    std::size_t records = 0;  // a record that was written in part counts, too
  };
  // Writes the rest and ends the stream. Waits for the reader at most `patience_s` seconds in total, and returns what
  // was not written. Throws Error as flush() does, and for errors that a file system reports only at close.
  Unwritten finish(double patience_s);

  static constexpr std::size_t most_pending_bytes = 1 << 20;

 private:
  // How to write without waiting.
  enum class Way : std::uint8_t {
    plain,   // an ordinary write: a file, or a device that takes everything
    own,     // only we have the open file description, and it is non-blocking
    socket,  // each send has the flag MSG_DONTWAIT
    shared  // other processes have the description, too, so it must stay blocking: writes only as much as poll() allows
  };

  Way way_of(bool is_ours);
  bool make_own();
  void watch(std::uint32_t events);
  [[nodiscard]] std::size_t pending_bytes() const { return pending_.size() - written_; }
  void write_pending();
  long write_some(const char* data, std::size_t size) const;
  void forget_written();
  void fail(int error);

  std::string path_;
  Fd fd_;
  std::unique_ptr<DetachedWriter> detached_;  // has the file, and fd_ is a socket to it; nullptr: fd_ is the file
  Fd epoll_;                                  // watches fd_, so that the waiting code need not know what is pending
  Way way_ = Way::plain;
  bool is_terminal_ = false;  // set at the start, because a terminal that was hung up is not recognised later
  bool can_wait_ = false;     // fd_ is watched
  bool is_open_ = true;       // false after an error, or when the reader is gone
  bool is_empty_ = true;      // whether earlier contents have been cut off
  std::string pending_;
  std::size_t written_ = 0;                // bytes at the front of pending_ that are written
  std::uint64_t dropped_bytes_ = 0;        // number of bytes that were removed from the front of pending_
  std::deque<std::uint64_t> record_ends_;  // from the first byte of the stream on; unwritten records only
};

}  // namespace profile
