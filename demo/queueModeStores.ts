import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePorts } from './chooseFreePorts';
import type { Processes } from './processes';

/** Debian and Homebrew put PostgreSQL into one folder for each version, not in the PATH. */
const POSTGRES = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'];
const PACKAGES = ['redis-server', 'postgresql'];
const IS_ROOT = process.getuid?.() === 0;

interface Programs {
	redis?: string;
	/** The folder of `initdb` and `postgres`. */
	postgres?: string;
}

function findPrograms(): Programs {
	const path = (process.env.PATH ?? '').split(delimiter);
	const inPath = (name: string) => path.map((folder) => join(folder, name)).find(existsSync);
	const versions = POSTGRES.filter(existsSync).flatMap((folder) =>
		readdirSync(folder)
			.map((version) => join(folder, version, 'bin'))
			.sort((a, b) => b.localeCompare(a, 'en', { numeric: true })),
	);
	return {
		redis: inPath('redis-server') ?? inPath('valkey-server'),
		postgres: [...versions, ...path].find((folder) => existsSync(join(folder, 'initdb'))),
	};
}

/** One line says how to get it; undefined if nothing is missing. */
export function missingStoresText({ redis, postgres } = findPrograms()): string | undefined {
	const missing = [!redis && 'Redis', !postgres && 'PostgreSQL'].filter(Boolean).join(' and ');
	return missing
		? `Queue mode needs ${missing}, which ${missing.includes(' and ') ? 'are' : 'is'} not installed here. ` +
				`On Debian and Ubuntu: sudo apt-get install ${PACKAGES.join(' ')}. On macOS: brew install redis postgresql.`
		: undefined;
}

/** n8n's settings that name both. */
export const queueStoreSettings = (redisPort: number, postgresPort: number) => ({
	DB_TYPE: 'postgresdb',
	DB_POSTGRESDB_HOST: '127.0.0.1',
	DB_POSTGRESDB_PORT: String(postgresPort),
	DB_POSTGRESDB_DATABASE: 'postgres',
	DB_POSTGRESDB_USER: 'n8n',
	QUEUE_BULL_REDIS_HOST: '127.0.0.1',
	QUEUE_BULL_REDIS_PORT: String(redisPort),
});

interface Stores {
	settings: Record<string, string>;
	/** Removes their data, once their processes have ended. */
	remove(): Promise<void>;
}

/** Starts a Redis and a PostgreSQL of their own, empty, on free ports of the loopback address. */
export async function startStores(processes: Processes): Promise<Stores> {
	const missing = missingStoresText();
	if (missing) throw new Error(missing);
	const { redis, postgres } = findPrograms() as Required<Programs>;
	const [redisPort, postgresPort] = await freePorts(2);
	const folder = await mkdtemp(join(tmpdir(), 'credit-profile-stores-'));
	const remove = async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	try {
		const port = ['--port', String(redisPort), '--bind', '127.0.0.1'];
		const inMemory = ['--save', '', '--appendonly', 'no', '--dir', folder];
		const redisReady = processes.startUntil(/Ready to accept/, redis, [...port, ...inMemory]);

		// PostgreSQL refuses to run as root.
		const asUser = (command: string, args: string[]): [string, string[]] =>
			IS_ROOT
				? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', command, ...args]]
				: [command, args];
		if (IS_ROOT) await processes.run('chown', ['postgres', folder]);
		const data = join(folder, 'postgres');
		const cwd = folder;
		const setUp = ['-D', data, '-U', 'n8n', '--auth=trust', '--encoding=UTF8', '--no-sync'];
		await processes.run(...asUser(join(postgres, 'initdb'), setUp), { cwd });
		const settings = [
			...['-h', '127.0.0.1', '-p', String(postgresPort), '-k', folder],
			...['-c', 'fsync=off', '-c', 'max_connections=200'],
		];
		await processes.startUntil(
			/ready to accept connections/,
			...asUser(join(postgres, 'postgres'), ['-D', data, ...settings]),
			{ cwd, endSignal: 'SIGINT' }, // SIGTERM would wait for every connection to be closed
		);
		await redisReady;
	} catch (error) {
		await processes.stop();
		await remove();
		throw error;
	}
	return {
		settings: queueStoreSettings(redisPort, postgresPort),
		remove,
	};
}
