/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.cc - a race below functions of the C++ library, in a thread that it starts (frames.test) */
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

static std::map<std::string, std::vector<int>> table;
static std::vector<int> list;

static void put(int x)
{
	list.push_back(x);
}

int main(int argc, char **)
{
	std::function<void(int)> f = [](int x) { put(x); };

	table["a"].push_back(argc);
	std::thread other([&] { f(1); });
	std::thread one([] { return list.empty(); });
	one.join();
	other.join();
	return 0;
}
