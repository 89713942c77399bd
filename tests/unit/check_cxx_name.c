/* SPDX-License-Identifier: BSD-2-Clause */
/* check_cxx_name.c - names of C++ as people write them */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "controller/describe/cxx_name.h"
#include "suite.h"

static const struct {
	size_t most;
	const char *name, *shown;
} names[] = {
	{ 80, "main", "main" },
	{ 80, "", "" },
	{ 80, "queue::push(int)", "queue::push(int)" },
	{ 80, "std::vector<int, std::allocator<int> >::push_back(int const&)",
	  "std::vector<int>::push_back(int const&)" },
	{ 80,
	  "std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, "
	  "std::allocator<int> > > >",
	  "std::vector<std::vector<int>>" },
	{ 80,
	  "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const",
	  "std::string::size() const" },
	{ 80,
	  "std::__1::basic_string<wchar_t, std::__1::char_traits<wchar_t>, std::__1::allocator<wchar_t> >",
	  "std::wstring" },
	{ 80, "std::basic_string_view<char, std::char_traits<char> >", "std::string_view" },
	{ 80, "my_basic_string<char>", "my_basic_string<char>" },
	{ 80,
	  "std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int, "
	  "std::less<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >, "
	  "std::allocator<std::pair<std::__cxx11::basic_string<char, std::char_traits<char>, "
	  "std::allocator<char> > const, int> > >::operator[](std::__cxx11::basic_string<char, "
	  "std::char_traits<char>, std::allocator<char> >&&)",
	  "std::map<std::string, int>::operator[](std::string&&)" },
	/* A default is one only at the end, and the only argument stays. */
	{ 80, "pool<std::allocator<int>, int>", "pool<std::allocator<int>, int>" },
	{ 80, "pool<std::allocator<int> >", "pool<std::allocator<int>>" },
	{ 80, "name[abi:cxx11](int)", "name(int)" },
	/* Operators have brackets that are none. */
	{ 80, "std::ostream& operator<< <char>(std::ostream&, char)",
	  "std::ostream& operator<< <char>(std::ostream&, char)" },
	{ 80, "ptr<int, std::default_delete<int> >::operator->() const",
	  "ptr<int>::operator->() const" },
	{ 80, "bool operator< <int>(a<int> const&)", "bool operator< <int>(a<int> const&)" },
	{ 80, "f::operator()(int) const", "f::operator()(int) const" },
	{ 80, "my_operator<int>(int)", "my_operator<int>(int)" },
	{ 80, "main::{lambda(int)#1}::operator()(int) const",
	  "main::{lambda(int)#1}::operator()(int) const" },
	{ 80, "__invoke<main()::<lambda()> >", "__invoke<main()::<lambda()>>" },
	{ 80, "(anonymous namespace)::f<int>((anonymous namespace)::t)",
	  "(anonymous namespace)::f<int>((anonymous namespace)::t)" },
	/* As few lists as are enough are left out, the inner ones first. */
	{ 20, "a<b<c<d<int>>>>", "a<b<c<d<int>>>>" },
	{ 14, "a<b<c<d<int>>>>", "a<b<c<...>>>" },
	{ 8, "a<b<c<d<int>>>>", "a<...>" },
	{ 24, "worker<b<c<int>>>::put(b<c<int>>)", "worker<...>::put(b<...>)" },
	{ 20, "worker<b<c<int>>>::put(b<c<int>>)", "worker<...>::put(...)" },
	{ 5, "worker::put()", "worker::put()" },
	/* What is no name of C++ stays, and does no harm. */
	{ 80, "a<b", "a<b>" },
	{ 80, "a>b)", "a>b)" },
	{ 80, "<unknown>", "<unknown>" },
	{ 80, "operator", "operator" },
	{ 80, "x_operator<", "x_operator<>" },
	{ 80, "operator<", "operator<" },
};

START_TEST(each)
{
	char out[512];

	cxx_name_short(names[_i].name, names[_i].most, out, sizeof(out));
	ck_assert_str_eq(out, names[_i].shown);
}
END_TEST

/* A small room is not written beyond, whatever the name. */
START_TEST(room)
{
	char out[600], whole[512];

	cxx_name_short(names[_i].name, names[_i].most, whole, sizeof(whole));
	for (size_t size = 1; size < strlen(whole) + 3; size++) {
		size_t beyond = size;

		memset(out, 'x', sizeof(out));
		cxx_name_short(names[_i].name, names[_i].most, out, size);
		ck_assert_uint_lt(strlen(out), size);
		while (beyond < sizeof(out) && out[beyond] == 'x')
			beyond++;
		ck_assert_uint_eq(beyond, sizeof(out));
	}
}
END_TEST

/* Brackets in any order. */
START_TEST(hostile)
{
	static const char marks[] = "<>(){}[],: -=oabc";
	char name[200], out[512];
	unsigned state = 7;

	for (int turn = 0; turn < 20000; turn++) {
		size_t n = 0;

		while (n < 60) {
			state = state * 1103515245 + 12345;
			if (state >> 16 & 7)
				name[n++] = marks[(state >> 20) % (sizeof(marks) - 1)];
			else
				n += (size_t)sprintf(name + n, "operator");
		}
		name[n] = 0;
		cxx_name_short(name, (size_t)(turn % 80), out, sizeof(out));
		ck_assert_uint_lt(strlen(out), 2 * n + 8);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cxx_name");
	TCase *tc = tcase_create("names");

	tcase_add_loop_test(tc, each, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_loop_test(tc, room, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_test(tc, hostile);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
