import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const TAIL_LINES = 40;

export interface StartOptions {
	cwd?: string;
	/** The whole environment of the process; that of this one when absent. */
	env?: NodeJS.ProcessEnv;
	/** Receives each line of stdout and stderr. */
	onLine?: (line: string) => void;
	/** The signal that asks it to end; SIGTERM when absent. It has 5 s, then it is killed. */
	endSignal?: NodeJS.Signals;
}

export interface Running {
	/** Resolves with the exit code when the process has ended, however it ended. */
	exited: Promise<number>;
	/** The last lines it wrote, for messages. */
	tail(): string;
	/** Ends it and whatever it started; resolves when it is gone. */
	stop(): Promise<void>;
}

/** Everything the demo starts: each in a process group of its own, which ends with this process, even a killed one. */
export class Processes {
	private readonly running = new Set<Running>();

	private stopped = false;

	start(command: string, args: string[], options: StartOptions = {}): Running {
		const { endSignal = 'SIGTERM' } = options;
		if (this.stopped) throw new Error('Stopped');
		const child = spawn(
			process.execPath,
			[join(__dirname, 'runInProcessGroup.mjs'), endSignal, command, ...args],
			{
				cwd: options.cwd,
				env: options.env ?? process.env,
				stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
				// Who kills this process with its whole group must not kill the one that ends the others.
				detached: process.platform !== 'win32',
			},
		);
		const lines: string[] = [];
		const keep = (line: string) => {
			lines.push(line);
			if (lines.length > TAIL_LINES) lines.shift();
			options.onLine?.(line);
		};
		const outputs = [child.stdout, child.stderr].map((input) =>
			createInterface({ input: input as Readable }),
		);
		for (const output of outputs) output.on('line', keep);
		// Not the event `close` of the process: Node does not emit it after `disconnect()`.
		const exited = Promise.all([
			once(child, 'exit'),
			...outputs.map(async (output) => await once(output, 'close')),
		]).then(([[code]]) => (code as number | null) ?? 1);
		const running: Running = {
			exited,
			tail: () => lines.join('\n'),
			stop: async () => {
				if (child.connected) child.disconnect();
				await exited;
			},
		};
		this.running.add(running);
		void exited.then(() => this.running.delete(running));
		return running;
	}

	/** Starts a command and waits for the line that reports its readiness. */
	async startUntil(
		ready: RegExp,
		command: string,
		args: string[],
		options: StartOptions = {},
	): Promise<Running> {
		return await new Promise((resolve, reject) => {
			const running = this.start(command, args, {
				...options,
				onLine: (line) => {
					options.onLine?.(line);
					if (ready.test(line)) resolve(running);
				},
			});
			void running.exited.then((code) =>
				reject(new Error(`${command} ended with ${code}:\n${running.tail()}`)),
			);
		});
	}

	/** Runs a command to its end; returns what it printed last. Throws with its last lines if it does not succeed. */
	async run(command: string, args: string[], options: StartOptions = {}): Promise<string> {
		const running = this.start(command, args, options);
		const code = await running.exited;
		if (this.stopped) throw new Error('Stopped');
		if (code !== 0) {
			throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${running.tail()}`);
		}
		return running.tail();
	}

	/** Stops all of them, and lets no other be started. */
	async stop(): Promise<void> {
		this.stopped = true;
		await Promise.all([...this.running].map((running) => running.stop()));
	}
}
