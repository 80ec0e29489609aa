import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

type Here = { env: NodeJS.ProcessEnv; execPath: string };

/**
 * The command and the arguments that run npm with these: as a program of Node, never through a shell. On Windows `npm`
 * is a script that only a shell can run, and a shell takes a path with a space apart.
 */
export function npmCommand(
	args: string[],
	{ env, execPath }: Here = process,
	exists: (path: string) => boolean = existsSync,
): [command: string, args: string[]] {
	const named = env.npm_execpath ?? ''; // by the npm, or another one of its kind, that runs this
	const beside = join('node_modules', 'npm', 'bin', 'npm-cli.js'); // where Node's installers put it
	const program = [
		...(basename(named) === 'npm-cli.js' ? [named] : []),
		join(dirname(execPath), beside),
		join(dirname(execPath), '..', 'lib', beside),
	].find(exists);
	return program ? [execPath, [program, ...args]] : ['npm', args];
}
