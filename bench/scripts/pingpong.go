// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers

// Two goroutines, each on a thread of its own, hand numbers to and fro; prints rounds per second.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

func answer(requests <-chan int, answers chan<- int) {
	runtime.LockOSThread()
	for number := range requests {
		answers <- number + 1
	}
}

func main() {
	runtime.LockOSThread()
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	requests, answers := make(chan int), make(chan int)
	go answer(requests, answers)
	begin := time.Now()
	for i := -rounds / 10; i < rounds; i++ {
		if i == 0 {
			begin = time.Now()
		}
		requests <- i
		if <-answers != i+1 {
			panic("wrong answer")
		}
	}
	fmt.Printf("rounds_per_s %.2f\n", float64(rounds)/time.Since(begin).Seconds())
}
