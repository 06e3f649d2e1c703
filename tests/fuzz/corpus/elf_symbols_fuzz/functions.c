/* What a symbol table can hold: functions, a local one, a weak one, an alias, data, a label without a type. */
int counter = 1;
static __attribute__((noinline)) int inner(int value) { return value * counter + 3; }
int outer(int value) { return inner(value) + 1; }
__attribute__((weak)) int weak_one(int value) { return inner(value) ^ value; }
int alias_of_outer(int value) __attribute__((alias("outer")));
__asm__(".text\nbare_label: nop\n nop\n");
