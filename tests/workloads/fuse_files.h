/* The files of fuse_server: those of a directory, with one number for each path that was looked up. Attributes are
 * read from the directory every time. A result below zero is an errno. */
#ifndef PROFILE_TEST_FUSE_FILES_H
#define PROFILE_TEST_FUSE_FILES_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <sys/stat.h>

#include "workload.h"

static int directory;

static void fatal(const char* what) {
  fprintf(stderr, "fuse_server: %s: %s\n", what, strerror(errno));
  _exit(1);
}

static char** paths;
static size_t path_count;

static uint64_t node_of(const char* path) {
  for (size_t at = 0; at < path_count; at++)
    if (strcmp(paths[at], path) == 0) return at + FUSE_ROOT_ID;
  paths = realloc(paths, (path_count + 1) * sizeof *paths);
  if (!paths || !(paths[path_count] = strdup(path))) fatal("memory");
  return path_count++ + FUSE_ROOT_ID;
}

static const char* path_of(uint64_t node) {
  return node >= FUSE_ROOT_ID && node < path_count + FUSE_ROOT_ID ? paths[node - FUSE_ROOT_ID] : "?";
}

/* The path is valid until the second call after this one. */
static const char* path_in(uint64_t node, const char* name) {
  static char made[2][4096];
  static unsigned turn;
  char* const path = made[turn++ % 2];
  snprintf(path, sizeof made[0], "%s/%s", path_of(node), name);
  return path;
}

static int attributes_of(uint64_t node, struct fuse_attr* attributes) {
  struct stat status;
  if (fstatat(directory, path_of(node), &status, 0) != 0) return -errno;
  attributes->ino = node;
  attributes->size = (uint64_t)status.st_size;
  attributes->blocks = (uint64_t)status.st_blocks;
  attributes->mtime = attributes->ctime = (uint64_t)status.st_mtime;
  attributes->mode = status.st_mode;
  attributes->nlink = 1; /* DIRECTORY may have one file with many names, which are separate files here */
  attributes->blksize = 4096;
  return 0;
}

/* Entries and attributes have no validity time, so the kernel asks every time. */
static int look_up(uint64_t in, const char* name, struct fuse_entry_out* entry) {
  entry->nodeid = node_of(path_in(in, name));
  return attributes_of(entry->nodeid, &entry->attr);
}

static int open_node(uint64_t node, int flags) {
  const int file = openat(directory, path_of(node), flags | O_CLOEXEC);
  return file < 0 ? -errno : file;
}

/* Closes the file and returns the result of the work with it. */
static ssize_t closing(int file, ssize_t done) {
  const int error = errno;
  close(file);
  return done < 0 ? -error : done;
}

static ssize_t read_node(uint64_t node, char* content, size_t size, uint64_t offset) {
  const int file = open_node(node, O_RDONLY);
  return file < 0 ? file : closing(file, pread(file, content, size, (off_t)offset));
}

static ssize_t write_node(uint64_t node, const void* content, size_t size, uint64_t offset) {
  const int file = open_node(node, O_WRONLY);
  return file < 0 ? file : closing(file, pwrite(file, content, size, (off_t)offset));
}

static int cut_node(uint64_t node, uint64_t size) {
  const int file = open_node(node, O_WRONLY);
  return file < 0 ? file : (int)closing(file, ftruncate(file, (off_t)size));
}

static int create(uint64_t in, const char* name, mode_t mode) {
  const int file = openat(directory, path_in(in, name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  return file < 0 ? -errno : (int)closing(file, 0);
}

/* Writes all names of a directory in the form of READDIR; returns the number of bytes. */
static size_t list(uint64_t node, char* content, size_t size) {
  const int file = open_node(node, O_RDONLY | O_DIRECTORY);
  DIR* const listing = file < 0 ? 0 : fdopendir(file);
  size_t used = 0;
  for (const struct dirent* one; listing && (one = readdir(listing));) {
    struct fuse_dirent entry = {.ino = one->d_ino, .namelen = (uint32_t)strlen(one->d_name), .type = one->d_type};
    const size_t bytes = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + entry.namelen);
    if (used + bytes > size) break;
    entry.off = used + bytes;
    memset(content + used, 0, bytes);
    memcpy(content + used, &entry, FUSE_NAME_OFFSET);
    memcpy(content + used + FUSE_NAME_OFFSET, one->d_name, entry.namelen);
    used += bytes;
  }
  if (listing) closedir(listing);
  return used;
}

#endif
