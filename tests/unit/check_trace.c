/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_trace.c - the trace file, as a specification
 *
 * What is written is read back the same; and nothing that is not a whole, unchanged,
 * meaningful trace is accepted, or makes the reader do anything but say so in one line.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/prng.h"
#include "controller/trace/trace.h"
#include "suite.h"

static bool give_name(void *ctx, uint32_t module, uint64_t offset, char *out, size_t size)
{
	(void)ctx;
	if (module || offset < 0x4000 || offset >= 0x4010)
		return false;
	snprintf(out, size, "flag+0x%llx", (unsigned long long)(offset - 0x4000));
	return true;
}

static bool give_offset(void *ctx, uint32_t module, const char *name, uint64_t *out)
{
	(void)ctx;
	*out = 0x4000;
	return module == 0 && !strcmp(name, "flag");
}

static const struct trace_symbols symbols = { .name = give_name, .offset = give_offset };

static struct place global(uint32_t module, uint64_t offset)
{
	return (struct place){ .kind = PLACE_GLOBAL, .module = module, .offset = offset };
}

static struct step steps[11];
static struct side sides[2];
static struct fact facts[5];
static struct loaded modules[2];
static char *arguments[] = { "./t", "two words", "tab\there", "back\\slash", "", NULL };
static struct env_variable variables[] = { { "HOME", "/a=b\n" },
					   { "EMPTY", "" },
					   { "NONE", NULL } };
static struct trace written, again;
static struct trace_reader reader;
static char *text;
static size_t text_size;

static void add_step(size_t i, struct engine_step_record r, struct place place)
{
	steps[i].record = r;
	steps[i].place = place;
	steps[i].code = global(0, 0x1100 + i);
}

static void fill_steps(void)
{
	struct place heap = {
		.kind = PLACE_HEAP, .thread = 1, .count = 3, .size = 24, .offset = 8
	};
	struct place stack = { .kind = PLACE_STACK, .thread = 2, .offset = 0x40 };
	struct value big = { .lo = 7, .hi = 1 };

	add_step(0, (struct engine_step_record){ .kind = OP_CREATE, .peer = 1, .rf_tid = -2 },
		 (struct place){ 0 });
	add_step(1, (struct engine_step_record){ .tid = 1, .kind = OP_START, .rf_tid = -2 },
		 (struct place){ 0 });
	add_step(2,
		 (struct engine_step_record){ .tid = 1,
					      .index = 1,
					      .kind = OP_STORE,
					      .order = ORDER_REL,
					      .size = 4,
					      .flags = STEP_WROTE,
					      .rf_tid = -2,
					      .addr = 1,
					      .stored = { 5, 0 } },
		 global(0, 0x4008));
	add_step(3,
		 (struct engine_step_record){ .index = 1,
					      .kind = OP_LOAD,
					      .order = ORDER_ACQ,
					      .size = 4,
					      .flags = STEP_READ,
					      .rf_tid = 1,
					      .rf_index = 1,
					      .addr = 1,
					      .value = { 5, 0 } },
		 global(0, 0x4008));
	add_step(4,
		 (struct engine_step_record){ .index = 2,
					      .kind = OP_RMW,
					      .order = ORDER_SC,
					      .size = 16,
					      .flags = STEP_READ | STEP_WROTE,
					      .rf_tid = -1,
					      .addr = 1,
					      .value = big,
					      .stored = big },
		 heap);
	add_step(5,
		 (struct engine_step_record){ .index = 3,
					      .kind = OP_CHOOSE,
					      .rf_tid = -2,
					      .choice = 2,
					      .peer = 70,
					      .value = { 2, 0 } },
		 (struct place){ 0 });
	add_step(6,
		 (struct engine_step_record){ .tid = 2,
					      .kind = OP_STORE,
					      .size = 1,
					      .flags = STEP_WROTE,
					      .rf_tid = -2,
					      .addr = 1 },
		 stack);
	add_step(7,
		 (struct engine_step_record){
			 .index = 4, .kind = OP_FENCE, .order = ORDER_SC, .rf_tid = -2 },
		 (struct place){ 0 });
	/* Where threads were stopped: one went on, two did not. */
	add_step(8,
		 (struct engine_step_record){
			 .tid = 1, .index = 2, .kind = OP_YIELD, .peer = 70, .rf_tid = -2 },
		 (struct place){ 0 });
	add_step(9,
		 (struct engine_step_record){ .tid = 1,
					      .index = 2,
					      .kind = OP_YIELD,
					      .peer = 71,
					      .choice = 1,
					      .rf_tid = -2 },
		 (struct place){ 0 });
	add_step(10,
		 (struct engine_step_record){
			 .index = 5, .kind = OP_PAUSE, .choice = 1, .rf_tid = -2 },
		 (struct place){ 0 });
}

static void fill(void)
{
	memset(sides, 0, sizeof(sides));
	sides[0] = (struct side){
		.thread = 2, .is_write = true, .size = 4, .blocked_on = -1, .code = global(1, 0x77)
	};
	sides[1] =
		(struct side){ .thread = 1, .is_atomic = true, .size = 8, .blocked_on = OP_LOCK };
	modules[0] = (struct loaded){ .id = "0123456789abcdef", .path = "/home/me/a b/t" };
	modules[1] = (struct loaded){ .path = "/lib/libc.so.6" };
	fill_steps();
	facts[0] = (struct fact){ .kind = FACT_EXPLORED, .place = global(0, 0x4010), .arg = 4 };
	facts[1] = (struct fact){
		.kind = FACT_EXPLORED,
		.place = { .kind = PLACE_HEAP, .thread = 1, .count = 3, .size = 16, .offset = 8 },
		.arg = 8
	};
	facts[2] = (struct fact){ .kind = FACT_INTERRUPTED,
				  .place = { .kind = PLACE_THREAD, .thread = 1, .count = 10 } };
	facts[3] = (struct fact){ .kind = FACT_FUTEX_TABLE };
	facts[4] = (struct fact){ .kind = FACT_FENCES,
				  .place = { .kind = PLACE_THREAD, .thread = 2 } };
	written = (struct trace){
		.program = "/home/me/a b/t",
		.build_id = "0123456789abcdef",
		.arguments = arguments,
		.narguments = 5,
		.command = 1,
		.model = MODEL_SC,
		.backend = BACKEND_FORK,
		.seed = UINT64_MAX,
		.setting = { [SETTING_SPURIOUS_CAS] = 3 },
		.stdin_file = "/tmp/in",
		.environment = { variables, 3 },
		.modules = { modules, 2 },
		.facts = facts,
		.bug = { .kind = BUG_DATA_RACE,
			 .nfacts = 5,
			 .message = "a message",
			 .place = global(0, 0x4000),
			 .nsides = 2,
			 .sides = sides,
			 .execution = 12,
			 .signal = 11,
			 .steps = steps,
			 .nsteps = 11 },
	};
}

static void setup(void)
{
	FILE *f = open_memstream(&text, &text_size);

	fill();
	ck_assert_int_eq(trace_write(f, &written, &symbols), 0);
	fclose(f);
}

static void teardown(void)
{
	free(text);
}

static bool read_text(const char *t, size_t size)
{
	bool ok = trace_open_text(&reader, "x.hdt", t, size, &again) &&
		  trace_read_steps(&reader, &again, &symbols);

	trace_close(&reader);
	trace_release(&again);
	return ok;
}

/* Puts a checksum that fits at the end of an edited text, as somebody hostile would. */
static char *with_checksum(const char *t, size_t size, size_t *out_size)
{
	char *copy = calloc(1, size + 64);
	char *sum;

	memcpy(copy, t, size);
	sum = strstr(copy, " checksum ");
	if (sum) {
		sum += strlen(" checksum ");
		sprintf(sum, "%016llx\n",
			(unsigned long long)XXH3_64bits(copy, (size_t)(sum - copy)));
	}
	*out_size = strlen(copy);
	return copy;
}

/* Replaces the first occurrence of a by b, with a checksum that fits. */
static bool accepts_edit(const char *a, const char *b)
{
	char *edited = calloc(1, text_size + strlen(b) + 1);
	char *at = strstr(text, a);
	size_t size;
	char *t;
	bool ok;

	ck_assert_msg(at != NULL, "'%s' is not in the trace", a);
	memcpy(edited, text, (size_t)(at - text));
	strcat(edited, b);
	strcat(edited, at + strlen(a));
	t = with_checksum(edited, strlen(edited), &size);
	ok = read_text(t, size);
	free(t);
	free(edited);
	return ok;
}

static void check_step(const struct step *a, const struct step *b)
{
	ck_assert_int_eq(a->record.tid, b->record.tid);
	ck_assert_int_eq(a->record.index, b->record.index);
	ck_assert_int_eq(a->record.kind, b->record.kind);
	ck_assert_int_eq(a->record.order, b->record.order);
	ck_assert_int_eq(a->record.size, b->record.size);
	ck_assert_int_eq(a->record.flags, b->record.flags);
	ck_assert_int_eq(a->record.rf_tid, b->record.rf_tid);
	ck_assert_int_eq(a->record.rf_index, b->record.rf_index);
	ck_assert_int_eq(a->record.peer, b->record.peer);
	ck_assert_int_eq(a->record.choice, b->record.choice);
	ck_assert(value_eq(a->record.value, b->record.value));
	ck_assert(value_eq(a->record.stored, b->record.stored));
	ck_assert_int_eq(a->place.kind, b->place.kind);
	ck_assert_int_eq(a->place.module, b->place.module);
	ck_assert_int_eq(a->place.thread, b->place.thread);
	ck_assert_int_eq(a->place.count, b->place.count);
	ck_assert_int_eq(a->place.size, b->place.size);
	ck_assert_int_eq(a->place.offset, b->place.offset);
	ck_assert_int_eq(a->code.offset, b->code.offset);
}

START_TEST(trace_reads_what_was_written)
{
	ck_assert_msg(trace_open_text(&reader, "x.hdt", text, text_size, &again), "%s",
		      reader.error);
	ck_assert_str_eq(again.program, written.program);
	ck_assert_str_eq(again.build_id, written.build_id);
	ck_assert_uint_eq(again.narguments, 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_str_eq(again.arguments[i], arguments[i]);
	ck_assert_ptr_null(again.arguments[5]);
	ck_assert_uint_eq(again.command, 1);
	ck_assert_uint_eq(again.model, MODEL_SC);
	ck_assert_uint_eq(again.backend, BACKEND_FORK);
	ck_assert(again.seed == UINT64_MAX);
	ck_assert_uint_eq(again.setting[SETTING_SPURIOUS_CAS], 3);
	ck_assert_uint_eq(again.setting[SETTING_VOLATILE], 0);
	ck_assert_str_eq(again.stdin_file, "/tmp/in");
	ck_assert_uint_eq(again.environment.n, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_str_eq(again.environment.at[i].name, variables[i].name);
		ck_assert_pstr_eq(again.environment.at[i].value, variables[i].value);
	}
	ck_assert_uint_eq(again.modules.n, 2);
	ck_assert_str_eq(again.modules.at[1].path, "/lib/libc.so.6");
	ck_assert_msg(trace_read_steps(&reader, &again, &symbols), "%s", reader.error);
	ck_assert_uint_eq(again.bug.nsteps, 11);
	for (size_t i = 0; i < 11; i++)
		check_step(&again.bug.steps[i], &steps[i]);
	ck_assert_uint_eq(again.bug.kind, BUG_DATA_RACE);
	ck_assert_str_eq(again.bug.message, "a message");
	ck_assert_int_eq(again.bug.signal, 11);
	ck_assert_uint_eq(again.bug.nfacts, 5);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert(fact_same(&again.facts[i], &facts[i]));
	ck_assert_uint_eq(again.bug.nsides, 2);
	ck_assert_int_eq(again.bug.sides[0].is_write, true);
	ck_assert_int_eq(again.bug.sides[0].code.offset, 0x77);
	ck_assert_int_eq(again.bug.sides[1].blocked_on, OP_LOCK);
	trace_close(&reader);
	trace_release(&again);
}
END_TEST

START_TEST(trace_holds_no_address)
{
	steps[2].record.addr = 0x555555554321;
	steps[2].record.pc = 0x7ffff7dd5678;
	free(text);
	text = NULL;
	FILE *f = open_memstream(&text, &text_size);
	ck_assert_int_eq(trace_write(f, &written, &symbols), 0);
	fclose(f);
	ck_assert_ptr_null(strstr(text, "555555554321"));
	ck_assert_ptr_null(strstr(text, "7ffff7dd5678"));
}
END_TEST

START_TEST(trace_truncated_anywhere_is_refused)
{
	for (size_t n = 0; n < text_size; n++)
		ck_assert_msg(!read_text(text, n), "accepted after %zu bytes", n);
	ck_assert(read_text(text, text_size));
}
END_TEST

START_TEST(trace_with_any_byte_changed_is_refused)
{
	for (size_t i = 0; i < text_size; i++) {
		for (int bit = 0; bit < 8; bit++) {
			text[i] = (char)(text[i] ^ (1 << bit));
			ck_assert_msg(!read_text(text, text_size), "bit %d of byte %zu", bit, i);
			ck_assert_ptr_nonnull(strstr(reader.error, "x.hdt"));
			ck_assert_ptr_null(strchr(reader.error, '\n'));
			text[i] = (char)(text[i] ^ (1 << bit));
		}
	}
}
END_TEST

/* With a fitting checksum the line grammar decides: any outcome but a crash, and one line. */
START_TEST(trace_made_to_harm_is_survived)
{
	static const char spice[] = " .:+-/[]0x9aTf\n\\?";
	uint64_t p = 42;

	for (int round = 0; round < 20000; round++) {
		char *copy = malloc(text_size + 1);
		uint64_t changes = 1 + prng_below(&p, 4);
		size_t size;
		char *t;

		memcpy(copy, text, text_size + 1);
		while (changes--) {
			size_t at = prng_below(&p, (uint32_t)text_size);

			copy[at] = spice[prng_below(&p, sizeof(spice) - 1)];
		}
		t = with_checksum(copy, text_size, &size);
		if (!read_text(t, size)) {
			ck_assert(reader.error[0]);
			ck_assert_ptr_null(strchr(reader.error, '\n'));
		}
		free(t);
		free(copy);
	}
}
END_TEST

START_TEST(trace_without_a_line_is_survived)
{
	for (size_t i = 0; i < text_size;) {
		size_t len = strcspn(text + i, "\n") + 1, size;
		char *copy = calloc(1, text_size + 1), *t;

		memcpy(copy, text, i);
		strcpy(copy + i, text + i + len);
		t = with_checksum(copy, strlen(copy), &size);
		read_text(t, size);
		free(t);
		free(copy);
		i += len;
	}
}
END_TEST

START_TEST(trace_checks_every_bound)
{
	ck_assert(accepts_edit("steps 11", "steps 11"));
	ck_assert(!accepts_edit("steps 11", "steps 12"));
	ck_assert(!accepts_edit("steps 11", "steps 10"));
	ck_assert(!accepts_edit("steps 11", "steps 4000000000"));
	ck_assert(!accepts_edit("steps 11", "steps -1"));
	ck_assert(!accepts_edit("heddle-trace 3", "heddle-trace 2"));
	ck_assert(!accepts_edit("model sc", "model x86"));
	ck_assert(!accepts_edit("thread 1", "thread 257"));
	ck_assert(!accepts_edit("from 1.1", "from 1.2"));
	ck_assert(!accepts_edit("from 1.1", "from 257.0"));
	ck_assert(!accepts_edit("from 1.1", "from 1.99999999999"));
	ck_assert(!accepts_edit("flag+0x8/4", "flag+0x8/5"));
	ck_assert(!accepts_edit("flag+0x8/4", "flog+0x8/4"));
	ck_assert(!accepts_edit("0:flag", "9:flag"));
	ck_assert(!accepts_edit("heap:1.3", "heap:999.3"));
	ck_assert(!accepts_edit("stack:2-", "stack:2+"));
	ck_assert(!accepts_edit("1.1 store", "1.0 store"));
	ck_assert(!accepts_edit("store.rel", "store.con"));
	ck_assert(!accepts_edit("signal 11", "signal 65"));
	ck_assert(!accepts_edit("bug data-race", "bug none"));
	ck_assert(!accepts_edit("program /home", "program home"));
	ck_assert(!accepts_edit("module 1", "module 7"));
	ck_assert(!accepts_edit("tab\\x09here", "tab\\x00here"));
	ck_assert(!accepts_edit("tab\\x09here", "tab\\q9here"));
	ck_assert(!accepts_edit("seed 18446744073709551615", "seed 18446744073709551616"));
}
END_TEST

START_TEST(trace_error_names_file_and_line)
{
	ck_assert(!accepts_edit("model sc", "model x86"));
	ck_assert_ptr_nonnull(strstr(reader.error, "x.hdt:10: "));
	ck_assert_ptr_nonnull(strstr(reader.error, "x86"));
}
END_TEST

START_TEST(trace_file_that_is_none_is_refused)
{
	static const char *const paths[] = { "/nowhere/x.hdt", "/", "/dev/null", "/dev/zero" };

	for (size_t i = 0; i < 4; i++) {
		ck_assert(!trace_open(&reader, paths[i], &again));
		ck_assert_ptr_nonnull(strstr(reader.error, paths[i]));
		trace_close(&reader);
		trace_release(&again);
	}
}
END_TEST

START_TEST(trace_write_reports_a_full_disk)
{
	FILE *f = fopen("/dev/full", "w");

	if (!f)
		return;
	ck_assert_int_lt(trace_write(f, &written, &symbols), 0);
	fclose(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *tc = tcase_create("form");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, trace_reads_what_was_written);
	tcase_add_test(tc, trace_holds_no_address);
	tcase_add_test(tc, trace_write_reports_a_full_disk);
	suite_add_tcase(suite, tc);
	tc = tcase_create("refusal");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, trace_truncated_anywhere_is_refused);
	tcase_add_test(tc, trace_with_any_byte_changed_is_refused);
	tcase_add_test(tc, trace_made_to_harm_is_survived);
	tcase_add_test(tc, trace_without_a_line_is_survived);
	tcase_add_test(tc, trace_checks_every_bound);
	tcase_add_test(tc, trace_error_names_file_and_line);
	tcase_add_test(tc, trace_file_that_is_none_is_refused);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
