#ifndef GATE_H
#define GATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* A lock made of one exchange; a thread that finds it shut waits for it. */
struct gate {
	int shut;
};

void gate_enter(struct gate *gate);
void gate_leave(struct gate *gate);

#ifdef __cplusplus
}
#endif

#endif
