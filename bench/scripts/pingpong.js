// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// The main thread and a worker thread send each other messages; prints rounds per second.
const {Worker, isMainThread, parentPort} = require('worker_threads');

if (!isMainThread) {
	parentPort.on('message', (number) => parentPort.postMessage(number + 1));
} else {
	const rounds = Number(process.argv[2]);
	const warmup = Math.floor(rounds / 10);
	const worker = new Worker(__filename);
	let number = -warmup;
	let begin = 0n;

	worker.on('message', (answer) => {
		if (answer !== number + 1)
			throw new Error('wrong answer');
		number = answer;
		if (number === 0)
			begin = process.hrtime.bigint();
		if (number < rounds) {
			worker.postMessage(number);
			return;
		}
		const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
		console.log('rounds_per_s ' + (rounds / seconds).toFixed(2));
		worker.terminate();
	});
	worker.postMessage(number);
}
