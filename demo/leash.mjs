// Runs a command in a process group of its own, and ends the whole group when the starter lets go of the
// IPC channel: on purpose, by a crash, or by being killed. So nothing is ever left running.
//   spawn(process.execPath, ['demo/leash.mjs', command, ...args], { stdio: [..., 'ipc'] })
import { spawn } from 'node:child_process';

const GRACE_MS = 5_000;
const [command, ...args] = process.argv.slice(2);
const windows = process.platform === 'win32';
const child = spawn(command, args, {
	stdio: ['ignore', 'inherit', 'inherit'],
	detached: !windows,
	shell: windows && command === 'npm',
});

function endGroup(signal) {
	try {
		if (windows) child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error; // the group is gone already
	}
}

function letGo() {
	endGroup('SIGTERM');
	setTimeout(() => endGroup('SIGKILL'), GRACE_MS);
}

process.once('disconnect', letGo);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the starter decides
child.on('error', (error) => {
	console.error(error.message);
	process.exit(127);
});
child.on('exit', (code) => {
	if (!windows) endGroup('SIGKILL');
	process.exit(code ?? 1);
});
