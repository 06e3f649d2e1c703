/* How the walk of user stacks finds the functions of a script behind the frames of its interpreter. All is a constant
 * of the interpreter's file: src/interpret finds it, and bpf/script.bpf.h reads it. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_SCRIPT_H
#define PROFILE_ABI_SCRIPT_H

#include "abi/record.h"

enum script_language {
  SCRIPT_NONE,
  SCRIPT_PYTHON,
  SCRIPT_PHP,
  SCRIPT_RUBY,
  SCRIPT_PERL,
  SCRIPT_NODE,
  SCRIPT_JAVA,
  SCRIPT_LANGUAGES
};

/* How to find the innermost frame of the script that a frame of the interpreter's function runs. */
enum script_head {
  SCRIPT_HEAD_IN_FRAME,  /* the word at CFA + head_at: each frame of the interpreter has a chain of its own */
  SCRIPT_HEAD_OF_THREAD, /* that word is the thread's structure, which has the chain of all its frames */
  SCRIPT_HEAD_OF_FIXED,  /* the same; it is a variable of the thread, at head_at from what the thread's register says */
  SCRIPT_HEAD_BY_KEY,    /* the same; the global at head_at has the thread's pthread key, in glibc's way */
  SCRIPT_HEAD_GLOBAL,    /* the global at head_at, of a process whose only thread runs the script */
  SCRIPT_HEAD_OF_MODULE, /* a variable of the thread; the global at head_at has the number of the file for such ones */
  SCRIPT_HEAD_BESIDE_FP, /* there is no chain: code without a file, whose frames have their functions in them */
  SCRIPT_HEAD_IN_CODE,   /* the same, but what is known of a frame stands before its code */
  SCRIPT_HEADS
};

/* Indexes into script_layout::at for Python. Places in bytes of CPython's structures. */
enum script_python {
  PYTHON_THREAD_FRAME,   /* PyThreadState: the innermost frame */
  PYTHON_THREAD_ID,      /* PyThreadState: what pthread_self() says; 0: not used */
  PYTHON_FRAME_CODE,     /* the frame: its code object, below PYTHON_FRAME_BYTES like the next two */
  PYTHON_FRAME_PREVIOUS, /* the frame that has called it */
  PYTHON_FRAME_ENTRY,    /* a byte that says whether C code has called the frame; 0: there is none */
  PYTHON_ENTRY_LEAST,    /* the least value of that byte that says so */
  PYTHON_ENTRY_IS_SHOWN, /* 0: such a frame is a mark on the C stack, and no function */
  PYTHON_CODE_LINE,      /* the code object: its first line, below PYTHON_CODE_BYTES like the next two */
  PYTHON_CODE_FILE,
  PYTHON_CODE_NAME,
  PYTHON_TEXT_ASCII, /* str: where the characters begin, in a str of ASCII and in others */
  PYTHON_TEXT_OTHER,
  /* For lines. The frame: a pointer to its instruction, below PYTHON_FRAME_BYTES; where PYTHON_CODE_START is 0, the
   * instruction's index in a signed number of 4 bytes, which counts PYTHON_FRAME_UNIT bytes. */
  PYTHON_FRAME_AT,
  PYTHON_FRAME_UNIT,
  PYTHON_CODE_TABLE, /* the code object: its table of lines, below PYTHON_CODE_BYTES */
  PYTHON_CODE_START, /* the code object: its first instruction */
  PYTHON_PLACES
};
/* The same for PHP. */
enum script_php {
  PHP_FUNCTION_FILE,   /* struct _zend_op_array: the name of its file, and behind it its first line */
  PHP_GENERATOR_FRAME, /* struct _zend_generator: its frame; 0: not used */
  PHP_FUNCTION_CODE,   /* struct _zend_op_array: its first instruction */
  PHP_FUNCTION_LENGTH, /* and how many there are, in the 8 bytes before that */
  PHP_PLACES
};
/* The same for Ruby. */
enum script_ruby {
  RUBY_THREAD_OFFSET,  /* of the variable, among the thread's variables of the file */
  RUBY_FRAME_BYTES,    /* a control frame */
  RUBY_LINE_IS_TAGGED, /* the first line of a method is a Ruby number */
  RUBY_TEXT_AT,        /* String: where a short text begins; 16: its length is among the flags */
  RUBY_CORE,           /* offset in the file of the function that the interpreter's one calls to run code */
  RUBY_CORE_BYTES,     /* 0: there is none */
  RUBY_PLACES
};
/* The same for Perl. */
enum script_perl {
  PERL_STACK,       /* PerlInterpreter: the array of the current stack, and behind it what is known of that stack */
  PERL_SCRIPT_NAME, /* PerlInterpreter: the name of the script */
  PERL_NAME_IS_OWN, /* 1: the body of a hash has the package's name; 0: it stands behind the hash's buckets */
  PERL_CATCH,       /* offset in the file of the function that runs code which may be ended by an exception */
  PERL_CATCH_BYTES,
  PERL_PLACES
};
/* The same for Node.js. */
enum script_node {
  NODE_FUNCTION_TYPE,   /* the types of objects: the first one of functions */
  NODE_FUNCTION_TYPES,  /* and how many there are */
  NODE_FUNCTION_SHARED, /* JSFunction: what all functions from the same code share */
  NODE_SHARED_TYPE,     /* SharedFunctionInfo */
  NODE_SHARED_NAME,
  NODE_SHARED_SCRIPT,
  NODE_SHARED_NUMBER, /* of the function in its script, 4 bytes */
  NODE_SCOPE_TYPE,    /* ScopeInfo */
  NODE_SCRIPT_TYPE,   /* Script */
  NODE_SCRIPT_NUMBER,
  NODE_PATTERN_MARK, /* what stands in a frame of a regular expression's code in place of a context; 0: not known */
  NODE_PLACES
};
/* The same for Java. "Variable": where a global is, counted like type_at. */
enum script_java {
  JAVA_HEAPS,      /* variable: the heaps of code; the list of them if JAVA_HEAPS_DATA is not 0, else the only one */
  JAVA_HEAPS_DATA, /* GrowableArray, which begins with their number: its elements */
  JAVA_HEAP_LOW,   /* CodeHeap: where it begins, where its reserved memory ends */
  JAVA_HEAP_HIGH,
  JAVA_HEAP_SEGMENTS, /* the map of its segments */
  JAVA_HEAP_SHIFT,    /* the binary logarithm of the bytes of a segment */
  JAVA_BLOCK_BYTES,   /* what comes before each blob */
  JAVA_INTERPRETER,   /* variable: StubQueue of the interpreter's code */
  JAVA_QUEUE_BUFFER,
  JAVA_QUEUE_LIMIT,
  JAVA_BLOB_NAME, /* CodeBlob, whose members are below JAVA_BLOB_BYTES */
  JAVA_BLOB_BEGIN,
  JAVA_BLOB_END,
  JAVA_BLOB_HAS_OFFSETS, /* 1: these two are numbers of 4 bytes that count from the blob */
  JAVA_BLOB_COMPLETE,
  JAVA_BLOB_COMPLETE_BYTES,
  JAVA_BLOB_FRAME,
  JAVA_BLOB_METHOD, /* nmethod */
  JAVA_BLOB_NUMBER,
  /* Where the tables of the methods in the code lie: the places of numbers of 4 bytes, which count from the blob, or
   * from what the word at JAVA_TABLES points to if that is not 0. */
  JAVA_TABLES,
  JAVA_PLACES_BEGIN, /* PcDesc */
  JAVA_PLACES_END,
  JAVA_SCOPES, /* ScopeDesc, compressed; the place of an address if JAVA_SCOPES_IS_ADDRESS */
  JAVA_SCOPES_IS_ADDRESS,
  JAVA_SCOPES_BIAS,  /* what each byte of a compressed number has too much */
  JAVA_METHODS,      /* the words of Method, and others; like the first ones, if JAVA_OTHER_TABLES is 0 */
  JAVA_OTHER_TABLES, /* else they lie at the number at JAVA_METHODS from what this word points to */
  JAVA_METHOD_CONST, /* Method: what does not change of it */
  JAVA_CONST_POOL,   /* ConstMethod, whose members are below JAVA_CONST_READ */
  JAVA_CONST_NAME,
  JAVA_CONST_CODE,
  JAVA_CONST_SIZE,  /* for lines: in words, of all of it */
  JAVA_CONST_FLAGS, /* likewise; 2 bytes of them */
  JAVA_CONST_BYTES, /* its size, behind which its instructions begin */
  JAVA_POOL_HOLDER, /* ConstantPool: the class */
  JAVA_POOL_BYTES,  /* its size, behind which its words begin */
  JAVA_CLASS_NAME,
  JAVA_SOURCE, /* the index of the name of the source file: in the class if JAVA_SOURCE_OF_CLASS, else in the pool */
  JAVA_SOURCE_OF_CLASS,
  JAVA_SYMBOL_LENGTH,
  JAVA_SYMBOL_TEXT,
  JAVA_SYMBOL_COUNT, /* 2 bytes, below 8, which change */
  JAVA_FRAME_CODE,   /* a frame of the interpreter: its instruction, so far below the frame pointer */
  JAVA_DATA_SHIFT,   /* address - offset in the file, of data minus that of code */
  JAVA_PLACES
};
/* What is read of a blob and of a ConstMethod, in bytes. */
#define JAVA_BLOB_BYTES 384
#define JAVA_CONST_READ 56
/* How much one read takes of a frame and of a code object, in bytes. */
#define PYTHON_FRAME_BYTES 80
#define PYTHON_CODE_BYTES 144

/* Layouts of so many files are known at a time; the first place is not used. */
#define SCRIPT_MOST_LAYOUTS 64

#define SCRIPT_MOST_PLACES 46

/* What becomes of a position in a function to make a line of it. */
enum script_lines {
  SCRIPT_LINES_NONE,     /* nothing: no lines are known, or wanted */
  SCRIPT_LINES_DIRECT,   /* it is the line */
  SCRIPT_LINES_OF_BYTES, /* Python's co_lnotab: the instruction's index and 2; 1 stands for the function's first line */
  SCRIPT_LINES_OF_RANGES,  /* the same with Python's co_linetable of 3.10 */
  SCRIPT_LINES_OF_PLACES,  /* the same with that of 3.11 */
  SCRIPT_LINES_OF_JAVA,    /* the index of a bytecode and 1, with HotSpot's compressed table */
  SCRIPT_LINES_OF_JAVA_20, /* the same since JDK 20 */
  SCRIPT_LINES_FORMS
};
struct script_layout {
  __u32 language;   /* enum script_language */
  __u32 head;       /* enum script_head */
  __u32 start;      /* offset in the file of the interpreter's function */
  __u32 valid_from; /* where in it, in bytes from `start`, the script's frame is in place */
  __s64 head_at;    /* SCRIPT_HEAD_BY_KEY, SCRIPT_HEAD_GLOBAL, SCRIPT_HEAD_OF_MODULE: counted like type_at */
  __s64 type_at;    /* of the type of all code objects; address - bias of the mapping with the function; 0: not used */
  __u32 at[SCRIPT_MOST_PLACES];
  __u32 lines; /* enum script_lines */
  __u32 unused;
};

/* Set in a frame's word, without WALK_IN_EXECVE: the other bits are a hash of what ring_name says of the function. So a
 * function has one number in all processes. */
#define SCRIPT_FRAME (1ULL << 61)
#define SCRIPT_FRAME_MASK (3ULL << 61)
/* If lines are wanted, the lowest bits are the position in the function instead; 0: it is not known. */
#define SCRIPT_POSITION_BITS 18
#define SCRIPT_POSITION_MASK ((1ULL << SCRIPT_POSITION_BITS) - 1)

/* A text of a script: the characters have 1 (Latin-1), 2 or 4 bytes (Unicode), or the text is in UTF-8. */
struct script_text {
  __u16 bytes; /* how many follow */
  __u8 width;  /* of a character, in bytes; 0: UTF-8 */
  __u8 is_cut; /* it is longer: a name lacks its end, a path its beginning */
};
#define SCRIPT_NAME_BYTES 128
#define SCRIPT_PATH_BYTES 256
#define SCRIPT_OWNER_BYTES 64
/* What a frame of a script is, sent before the first stack with that frame. */
struct ring_name {
  struct ring_header header;
  __u64 frame; /* its word in stacks */
  __u32 language;
  __u32 line; /* where the function begins; 0: not known */
  struct script_text name;
  struct script_text path;  /* of the script */
  struct script_text owner; /* the class of the function, where its name does not say it */
  __u32 number;             /* of the function in its script, for a language that keeps no lines at hand */
  __u32 lines;              /* enum script_lines */
  __u32 table_bytes;        /* of ring_lines::table, which is not sent if it is empty */
  __u64 table_hash;         /* 0: there is none, or it is too large */
  char name_text[SCRIPT_NAME_BYTES];
  char path_text[SCRIPT_PATH_BYTES];
  char owner_text[SCRIPT_OWNER_BYTES];
};

/* What makes lines of the positions in a function, sent before its name. */
#define SCRIPT_TABLE_BYTES 16384
struct ring_lines {
  struct ring_header header;
  __u64 frame; /* the word of the function in stacks, without a position */
  __u64 bytes; /* of the table */
  char table[SCRIPT_TABLE_BYTES];
};

/* Why the frames of a script are missing behind a frame of its interpreter. */
enum script_missing {
  SCRIPT_WHOLE,        /* they are not */
  SCRIPT_NOT_BEGUN,    /* the interpreter's function had only begun, or was about to return */
  SCRIPT_NOT_READABLE, /* memory of the interpreter could not be read: it is not in memory, or not what was expected */
  SCRIPT_NO_PLACE,     /* the chain of the script's frames does not fit the frames of the interpreter */
  SCRIPT_IN_HEAP,      /* Java keeps frames of a virtual thread elsewhere until their callees return */
  SCRIPT_FIRST_SAMPLE, /* the interpreter's file was met for the first time; user space counts these */
  SCRIPT_REASONS
};
/* Of one CPU: walks that met the interpreter, by the first reason. */
struct script_counts {
  __u64 walks[SCRIPT_LANGUAGES][SCRIPT_REASONS];
};

PROFILE_ABI_ASSERT(sizeof(struct script_layout) == 224, "script_layout");
PROFILE_ABI_ASSERT(sizeof(struct ring_name) == 504, "ring_name");
PROFILE_ABI_ASSERT(sizeof(struct ring_lines) == 24 + SCRIPT_TABLE_BYTES, "ring_lines");
PROFILE_ABI_ASSERT((int)NODE_PLACES <= SCRIPT_MOST_PLACES, "places of node");
PROFILE_ABI_ASSERT((int)JAVA_PLACES <= SCRIPT_MOST_PLACES, "places of java");
PROFILE_ABI_ASSERT((int)PERL_PLACES <= SCRIPT_MOST_PLACES, "places of perl");
PROFILE_ABI_ASSERT((int)PYTHON_PLACES <= SCRIPT_MOST_PLACES, "places of python");

#endif
