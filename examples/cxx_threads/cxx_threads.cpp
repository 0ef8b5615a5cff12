// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// std::thread with libplace: two guards and two queues. libstdc++ makes its threads with
// pthread_create, so nothing more is needed.
#include <condition_variable>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <queue>
#include <thread>

#include <libplace/place.h>
#include <libplace/stats.h>

// The process is a member as long as this lives. A refusal is no error: programs run without.
class place_session
{
      public:
	place_session() : joined(place_start(nullptr) == 0)
	{
	}
	~place_session()
	{
		if (joined)
			place_stop();
	}
	place_session(const place_session &) = delete;
	place_session &operator=(const place_session &) = delete;

      private:
	bool joined;
};

// libplace keeps away from the calling thread as long as this lives.
class place_kept_away
{
      public:
	place_kept_away() : paused(place_pause() == 0)
	{
	}
	~place_kept_away()
	{
		if (paused)
			place_resume();
	}
	place_kept_away(const place_kept_away &) = delete;
	place_kept_away &operator=(const place_kept_away &) = delete;

      private:
	bool paused;
};

// A queue that tells of its handoffs.
template <typename T> class channel
{
      public:
	void put(T item)
	{
		std::lock_guard<std::mutex> guard(lock);

		items.push(item);
		place_wake(this);
		more.notify_one();
	}
	T take()
	{
		std::unique_lock<std::mutex> guard(lock);
		T item;

		place_wait_begin(this);
		more.wait(guard, [&] { return !items.empty(); });
		place_wait_end(this, 1);
		item = items.front();
		items.pop();
		return item;
	}

      private:
	std::condition_variable more;
	std::queue<T> items;
	std::mutex lock;
};

int main()
{
	constexpr int nr_items = 100000;
	place_session session;
	channel<std::uint64_t> questions, answers;
	std::uint64_t sum = 0;
	place_thread_stats stats = {};

	// New threads inherit the mask of a placed creator; see place_thread_register().
	std::thread server = [&] {
		place_kept_away away;

		return std::thread([&] {
			place_thread_register(0);
			for (int i = 0; i < nr_items; i++)
				answers.put(questions.take() * 2);
			stats.size = sizeof(stats);
			place_thread_stats_get(&stats);
		});
	}();

	// Each question waits for the answer to the one before: the two threads take turns.
	for (std::uint64_t i = 0; i < nr_items; i++) {
		questions.put(i);
		sum += answers.take();
	}
	server.join();
	std::cout << "sum " << sum << ", " << stats.turns << " turns, bound " << stats.binds
		  << " times\n";
	return sum == std::uint64_t{nr_items} * (nr_items - 1) ? 0 : 1;
}
