// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Two threads hand numbers to and fro through blocking queues; prints rounds per second. */
public final class PingPong {
	private static final int STOP = Integer.MAX_VALUE;

	public static void main(String[] args) throws InterruptedException {
		int rounds = Integer.parseInt(args[0]);
		BlockingQueue<Integer> requests = new ArrayBlockingQueue<>(1);
		BlockingQueue<Integer> answers = new ArrayBlockingQueue<>(1);
		Thread worker = new Thread(() -> answer(requests, answers));
		long begin = 0;

		worker.start();
		for (int i = -rounds / 10; i < rounds; i++) {
			if (i == 0)
				begin = System.nanoTime();
			requests.put(i);
			if (answers.take() != i + 1)
				throw new IllegalStateException("wrong answer");
		}
		double seconds = (System.nanoTime() - begin) / 1e9;
		requests.put(STOP);
		worker.join();
		System.out.printf(java.util.Locale.ROOT, "rounds_per_s %.2f%n", rounds / seconds);
	}

	private static void answer(BlockingQueue<Integer> requests, BlockingQueue<Integer> answers) {
		try {
			for (int i = requests.take(); i != STOP; i = requests.take())
				answers.put(i + 1);
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}
}
