// Runs a command in a process group of its own. It ends the whole group when the starter closes the IPC channel: on
// purpose, by a crash, or by being killed. So nothing is ever left running. spawn(process.execPath,
// ['demo/runInProcessGroup.mjs', 'SIGTERM', command, ...args], { stdio: [..., 'ipc'] })
import { spawn, spawnSync } from 'node:child_process';

const GRACE_MS = 5_000;
const [politely, command, ...args] = process.argv.slice(2);
const windows = process.platform === 'win32';
// The starter was killed while this was loaded: `disconnect` has been emitted already.
if (!process.connected) process.exit(1);
const child = spawn(command, args, {
	stdio: ['ignore', 'inherit', 'inherit'],
	detached: !windows,
	shell: windows && command === 'npm', // a script there, which only a shell runs
});

function endGroup(signal) {
	if (windows) {
		// There are no signals and no groups: taskkill ends a process with its children, at once.
		spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
		return;
	}
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error; // the group is gone already
	}
}

function end() {
	endGroup(politely);
	setTimeout(() => endGroup('SIGKILL'), GRACE_MS);
}

process.once('disconnect', end);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the starter decides
child.on('error', (error) => {
	console.error(error.message);
	process.exit(127);
});
child.on('exit', (code) => {
	if (!windows) endGroup('SIGKILL');
	process.exit(code ?? 1);
});
