/* 300,000 functions in 100 MB of code, for what the size of a program costs a profiler and, since every instruction of
 * theirs is somewhere else, for what addresses cost. All are of one size, so that the n-th is found without a table. */
#define COUNT 300000
#define SIZE 336

#if defined(__x86_64__)
#define MULTIPLY 0xc0af0f48 /* imul %rax, %rax: it waits for the one before, so each takes its time */
#elif defined(__aarch64__)
#define MULTIPLY 0x9b007c00 /* mul x0, x0, x0 */
#else
#error "this machine's multiplication is not known here"
#endif

  .section .rodata
  .globl function_size
  .type function_size, %object
  .size function_size, 4
  .balign 4
function_size:
  .long SIZE

  .text
  .balign 64
  .globl functions_start
functions_start:
  .macro one_function
  .globl function_number_\@_among_very_many
  .type function_number_\@_among_very_many, %function
function_number_\@_among_very_many:
  .fill 16, 4, MULTIPLY
  ret
  .skip SIZE - (. - function_number_\@_among_very_many)
  .size function_number_\@_among_very_many, SIZE
  .endm
  .rept COUNT
  one_function
  .endr
  .section .note.GNU-stack, "", %progbits
