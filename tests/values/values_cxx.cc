/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), with std::thread: what libstdc++ does around a thread is known, or announced
 *
 * also -O2: a thread's first function jumps to the program's
 *
 * case static_variable -e value: ok 4
 * case all_write_the_same -e value: ok 1
 * case all_write_the_same -e value -j 2: ok 1
 * case all_write_the_same -e value --backend=fork: ok 1
 * case all_write_the_same -e value -m wra: ok 1
 * case all_write_the_same -e rf: ok 16
 * case with_arguments_in_a_vector -e value: ok 1
 * case with_arguments_in_a_vector -e value -m sc -j 2: ok 1
 * case with_arguments_in_a_vector -e rf: ok 16
 * case jthreads -e value: ok 1
 * case jthreads -e rf: ok 3
 * case virtual_functions -e value: ok 1
 * case virtual_functions -e rf: ok 3
 * case is_told -e value: ok 3
 * case is_told -e rf: ok 8
 * case threads_make_threads -e value: ok 1
 * case threads_make_threads -e rf: ok 3
 * case futures -e value: ok 3
 * case futures -e rf: ok 3
 * case joins_what_another_began -e value: bug assertion
 * case joins_what_another_began -e value -m sra -j 2: bug assertion
 * case begun_in_place -e value: bug assertion
 * case begun_in_place -e value -j 2: bug assertion
 * case begins_in_place -e value: bug assertion
 * case is_begun_in_place -e value: ok 2
 * case is_begun_in_place -e rf: ok 6
 * case was_joined_by_another -e value: bug assertion
 * case was_joined_by_another -e value -m wra: bug assertion
 * case is_joined_by_another -e value: bug assertion
 * case two_join -e value: bug data-race
 * case two_join -e rf: bug data-race
 * case lock_of_another -e value: bug data-race
 * case argument_unseen -e value: bug assertion
 * case argument_unseen -e value -m tso -j 2: bug assertion
 * case object_unseen -e value: ok 3
 * case object_unseen -e value --no-memo: ok 3
 * case object_unlocks -e value: bug assertion
 * case object_unlocks -e value --no-memo: bug assertion
 * case virtual_function_unseen -e value: bug assertion
 * case knows_its_thread -e value: ok 1
 * without notes: inline assembly stands for what nobody announces
 */
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "cases.h"

static std::atomic<int> x;
static std::atomic<int> flag;
static std::mutex mutex;
static std::condition_variable cond;
static bool told;

static void writes_one()
{
	x.store(1);
	assert(x.load() == 1);
}

/* Its guard is looked at by atomic loads, beside what is done once. */
static int made()
{
	return 7;
}

static void needs_a_static_variable()
{
	static const volatile int seven = made();

	assert(seven == 7);
	writes_one();
}

static void static_variable()
{
	std::thread s(needs_a_static_variable), t(needs_a_static_variable);

	s.join();
	t.join();
}

static void all_write_the_same()
{
	std::thread s(writes_one), t([] { writes_one(); }), u(writes_one);

	s.join();
	t.join();
	u.join();
}

static void writes(int &got, int value)
{
	x.store(value);
	got = x.load();
}

static void with_arguments_in_a_vector()
{
	std::vector<std::thread> threads;
	int got[3];

	for (int &each : got)
		threads.emplace_back(writes, std::ref(each), 1);
	for (std::thread &t : threads)
		t.join();
	assert(got[0] + got[1] + got[2] == 3);
}

static void jthreads()
{
	std::jthread s(writes_one), t([](std::stop_token) { writes_one(); });
}

struct worker {
	virtual ~worker() = default;
	virtual void work() = 0;
};

struct writer : worker {
	void work() override
	{
		writes_one();
	}
};

/* Who is called is no matter of the code: the thread is in that function when it writes. */
static void virtual_functions()
{
	writer w;
	worker *any = &w;
	std::thread s([any] { any->work(); }), t([any] { any->work(); });

	s.join();
	t.join();
}

static void tells()
{
	std::lock_guard<std::mutex> lock(mutex);

	told = true;
	cond.notify_one();
}

static void hears()
{
	std::unique_lock<std::mutex> lock(mutex);

	while (!told)
		cond.wait(lock);
}

static void is_told()
{
	std::thread s(tells), t(tells), u(hears);

	s.join();
	t.join();
	u.join();
}

static void threads_make_threads()
{
	auto both = [] {
		std::thread t(writes_one);

		t.join();
	};
	std::thread s(both), t(both);

	s.join();
	t.join();
}

/* They wait by futexes, which is explored by reads-from. */
static void futures()
{
	auto one = [] {
		x.store(1);
		return x.load();
	};
	auto s = std::async(std::launch::async, one), t = std::async(std::launch::async, one);

	assert(s.get() + t.get() == 2);
}

static std::thread begun;

static void begins()
{
	std::lock_guard<std::mutex> lock(mutex);

	begun = std::thread(writes_one);
}

static void joins_if_begun()
{
	std::lock_guard<std::mutex> lock(mutex);

	if (begun.joinable()) {
		begun.join();
		told = true;
	}
}

/* Whether there is anything to join depends on who has the mutex first. */
static void joins_what_another_began()
{
	std::thread s(begins), t(joins_if_begun);

	s.join();
	t.join();
	if (begun.joinable())
		begun.join();
	assert(!told); /* bug: joins_what_another_began */
}

/* The constructor writes to what others look at. */
static void begin_in_place()
{
	std::thread s([] {
		std::lock_guard<std::mutex> lock(mutex);

		new (&begun) std::thread(writes_one);
	});
	std::thread t(joins_if_begun);

	s.join();
	t.join();
	if (begun.joinable())
		begun.join();
}

static void begun_in_place()
{
	begin_in_place();
	assert(!told); /* bug: begun_in_place */
}

static void begins_in_place()
{
	begin_in_place();
	assert(told); /* bug: begins_in_place */
}

/* Whoever looks behind it finds it. */
static void is_begun_in_place()
{
	std::thread s([] {
		std::lock_guard<std::mutex> lock(mutex);

		new (&begun) std::thread(writes_one);
	});
	std::thread t([] {
		std::lock_guard<std::mutex> lock(mutex);

		told = begun.joinable();
	});
	std::thread u(writes_one);

	s.join();
	t.join();
	u.join();
	assert(begun.joinable());
	begun.join();
}

static void joins()
{
	std::lock_guard<std::mutex> lock(mutex);

	begun.join();
}

static void looks()
{
	std::lock_guard<std::mutex> lock(mutex);

	told = begun.joinable();
}

static void join_beside_a_look()
{
	begun = std::thread(writes_one);
	std::thread s(joins), t(looks);

	s.join();
	t.join();
}

static void was_joined_by_another()
{
	join_beside_a_look();
	assert(told); /* bug: was_joined_by_another */
}

static void is_joined_by_another()
{
	join_beside_a_look();
	assert(!told); /* bug: is_joined_by_another */
}

static void looks_at_once()
{
	flag.store(1);
	told = begun.joinable(); /* bug: two_join */
}

static void two_join()
{
	begun = std::thread(writes_one);
	std::thread s(looks_at_once);

	begun.join();
	s.join();
}

static std::unique_lock<std::mutex> shared_lock;

/* That wait() reads the lock is announced. */
static void lock_of_another()
{
	shared_lock = std::unique_lock<std::mutex>(mutex, std::adopt_lock);
	std::thread s([] {
		mutex.lock();
		while (!told)
			cond.wait(shared_lock);
		mutex.unlock();
	});
	std::thread t([] {
		shared_lock.release(); /* bug: lock_of_another */
		tells();
	});

	s.join();
	t.join();
}

static int stored;

#pragma GCC diagnostic ignored "-Wattributes"
__attribute__((no_sanitize("thread"), noinline)) static int unseen(bool write)
{
	if (write)
		stored = 1;
	return stored;
}

struct argument {
	bool armed = false;

	argument() = default;
	argument(const argument &) : armed(true)
	{
	}
	~argument()
	{
		if (armed)
			unseen(true);
	}
};

/* The argument is destroyed behind the thread's last operation. */
static void argument_unseen()
{
	argument a;
	std::thread s([](const argument &) { flag.store(1); }, a);
	std::thread t([] {
		if (flag.load())
			assert(!unseen(false)); /* bug: argument_unseen */
	});

	s.join();
	t.join();
}

/* What a thread is given is destroyed when its function has returned. */
struct puts_at_its_end {
	bool armed = false;
	bool unlocks = false;

	explicit puts_at_its_end(bool u) : unlocks(u)
	{
	}
	puts_at_its_end(const puts_at_its_end &from) : armed(true), unlocks(from.unlocks)
	{
	}
	~puts_at_its_end()
	{
		if (armed)
			__asm__ volatile("movl $1, %0" : "=m"(stored));
		if (armed && unlocks)
			mutex.unlock();
	}
};

static void object_unseen()
{
	puts_at_its_end a(false);
	std::thread s([](const puts_at_its_end &) { writes_one(); }, a), t(writes_one);

	s.join();
	t.join();
}

static int found;

/* Its end is in a section that the function has begun. */
static void object_unlocks()
{
	puts_at_its_end a(true);
	std::thread s([](const puts_at_its_end &) { mutex.lock(); }, a);
	std::thread t([] {
		std::lock_guard<std::mutex> lock(mutex);

		found = stored;
	});

	s.join();
	t.join();
	assert(found); /* bug: object_unlocks */
}

/* Writes what another thread reads under the mutex, and nobody is told. */
struct putter : worker {
	void work() override
	{
		__asm__ volatile("movl $1, %0" : "=m"(stored));
		x.store(1);
	}
};

static void virtual_function_unseen()
{
	putter p;
	worker *any = &p;
	std::thread s([any] {
		std::lock_guard<std::mutex> lock(mutex);

		any->work();
	});
	std::thread t([] {
		std::lock_guard<std::mutex> lock(mutex);

		found = stored;
	});

	s.join();
	t.join();
	assert(found); /* bug: virtual_function_unseen */
}

/* The constructor is done before the function begins. */
static void knows_its_thread()
{
	static std::thread *mine;
	static std::atomic<int> equal;
	alignas(std::thread) static char room[sizeof(std::thread)];

	mine = reinterpret_cast<std::thread *>(room);
	std::thread other(writes_one);
	new (room) std::thread([] { equal = mine->get_id() == std::this_thread::get_id(); });
	mine->join();
	other.join();
	assert(equal);
}

CASES(CASE(static_variable), CASE(all_write_the_same), CASE(with_arguments_in_a_vector),
      CASE(jthreads), CASE(virtual_functions), CASE(is_told), CASE(threads_make_threads),
      CASE(futures), CASE(joins_what_another_began), CASE(begun_in_place), CASE(begins_in_place),
      CASE(is_begun_in_place), CASE(was_joined_by_another), CASE(is_joined_by_another),
      CASE(two_join), CASE(lock_of_another), CASE(argument_unseen), CASE(object_unseen),
      CASE(object_unlocks), CASE(virtual_function_unseen), CASE(knows_its_thread))
