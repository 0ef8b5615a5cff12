# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The libplace developers
"""Two processes hand numbers to and fro through multiprocessing queues; prints rounds per second."""
import multiprocessing
import sys
import time


def answer(requests, answers):
    while True:
        number = requests.get()
        if number is None:
            return
        answers.put(number + 1)


def main():
    rounds = int(sys.argv[1])
    requests, answers = multiprocessing.Queue(), multiprocessing.Queue()
    worker = multiprocessing.Process(target=answer, args=(requests, answers))
    worker.start()
    for i in range(-rounds // 10, rounds):
        if i == 0:
            begin = time.monotonic()
        requests.put(i)
        if answers.get() != i + 1:
            sys.exit("wrong answer")
    elapsed = time.monotonic() - begin
    requests.put(None)
    worker.join()
    print("rounds_per_s %.2f" % (rounds / elapsed))


if __name__ == "__main__":
    main()
