// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// std::thread with libplace: two guards and a queue. libstdc++ makes its threads with
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

int main()
{
	constexpr int nr_items = 20000;
	place_session session;
	std::condition_variable more;
	std::queue<int> queue;
	std::uint64_t sum = 0;
	std::mutex lock;
	place_thread_stats stats = {};

	// New threads inherit the mask of a placed creator; see place_thread_register().
	std::thread consumer = [&] {
		place_kept_away away;

		return std::thread([&] {
			place_thread_register(0);
			for (int i = 0; i < nr_items; i++) {
				std::unique_lock<std::mutex> guard(lock);

				place_wait_begin(&queue);
				more.wait(guard, [&] { return !queue.empty(); });
				place_wait_end(&queue, 1);
				sum += static_cast<std::uint64_t>(queue.front());
				queue.pop();
			}
			stats.size = sizeof(stats);
			place_thread_stats_get(&stats);
		});
	}();

	for (int i = 0; i < nr_items; i++) {
		std::lock_guard<std::mutex> guard(lock);

		queue.push(i);
		place_wake(&queue);
		more.notify_one();
	}
	consumer.join();
	std::cout << "sum " << sum << ", " << stats.turns << " turns, bound " << stats.binds
		  << " times\n";
	return sum == std::uint64_t{nr_items} * (nr_items - 1) / 2 ? 0 : 1;
}
