#ifndef COUNT_H
#define COUNT_H

/* Counts what went through all relays of the process; returns the new count. */
unsigned count_one(void);
unsigned count_all(void);

#endif
