import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from '../../demo/startN8n';
import { Processes, type Running, type StartOptions } from '../../demo/processes';

const START_TIMEOUT_MS = 180_000;

/** Processes of which n8n can be killed without a chance to put anything in order, and started again as it was. */
export class RestartableN8n extends Processes {
	private n8n:
		{ pid: number; running: Running; again: (env: NodeJS.ProcessEnv) => Running } | undefined;

	override start(command: string, args: string[], options: StartOptions = {}): Running {
		if (args.at(-1) !== 'start') return super.start(command, args, options);
		const script = 'echo "n8n is $$"; exec "$0" "$@"';
		const running = super.start('sh', ['-c', script, command, ...args], {
			...options,
			onLine: (line) => {
				const [, pid] = /^n8n is (\d+)$/.exec(line) ?? [];
				if (pid && this.n8n) this.n8n.pid = Number(pid);
				options.onLine?.(line);
			},
		});
		this.n8n = {
			pid: 0,
			running,
			again: (env) => this.start(command, args, { ...options, env: { ...options.env, ...env } }),
		};
		return running;
	}

	/** SIGKILL; resolves when n8n is gone. */
	async kill(): Promise<void> {
		await this.signal('SIGKILL');
	}

	/** SIGTERM; resolves when n8n has put everything in order and is gone. */
	async terminate(): Promise<void> {
		await this.signal('SIGTERM');
	}

	private async signal(signal: NodeJS.Signals): Promise<void> {
		if (!this.n8n?.pid) throw new Error('n8n does not run');
		process.kill(this.n8n.pid, signal);
		await this.n8n.running.exited;
	}

	/** Starts n8n with the same command, environment (and `env`) and user folder; resolves when it is ready. */
	async restart(url: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
		const running = this.n8n?.again(env);
		const deadline = Date.now() + START_TIMEOUT_MS;
		while (!(await isReady(url))) {
			if (Date.now() > deadline) throw new Error(`n8n did not start again:\n${running?.tail()}`);
			await sleep(250);
		}
	}
}
