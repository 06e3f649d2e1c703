/* What a language tells of the next frame of its script. */
#ifndef PROFILE_SCRIPT_STEP_BPF_H
#define PROFILE_SCRIPT_STEP_BPF_H

/* The result of a step of a language. */
enum script_step {
  STEP_NOTHING,       /* there is no function here; others follow */
  STEP_FUNCTION,      /* script_walk has a function; others follow */
  STEP_LAST_FUNCTION, /* C code has called it: the run ends behind it */
  STEP_END,           /* the run ends, and there is no function here */
  STEP_MISSING        /* and the enum script_missing that says why */
};

#endif
