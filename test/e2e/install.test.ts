import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fetchUnpooled } from '../../demo/fetchUnpooled';
import { HEADLESS, startN8n, type N8n } from '../../demo/startN8n';
import { pinnedInstallation } from '../../demo/n8nInstallation';
import { ensurePackageBuilt, repositoryRoot } from '../../demo/installPackage';
import { RestartableN8n } from '../../bench/support/restartableN8n';
import { sandboxQueryClient } from '../support/sandboxQueryClient';
import { startSandboxWithHelpers, type TestSandbox } from '../support/sandbox';
import { until } from '../support/until';
import { version } from '../../package.json';
import { redeliverWhile503 } from './support/redeliver';
import { waitForEndedExecutionOf, outOf } from './support/executions';
import { buildWorkflow, type NodeSketch } from '../../demo/workflow';

const NAME = 'n8n-nodes-credit-profile';
const next = version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
const types = ['creditProfile', 'taxQuery', 'taxQueryTrigger'].map((type) => ({
	type: `${NAME}.${type}`,
	typeVersion: 1,
}));

let processes: RestartableN8n;
let folder: string;
let archive: string;
beforeAll(async () => {
	processes = new RestartableN8n();
	folder = await mkdtemp(join(tmpdir(), 'credit-profile-install-'));
	await ensurePackageBuilt(processes);
	archive = await pack(repositoryRoot);
});
afterAll(async () => {
	await processes.stop();
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function pack(from: string): Promise<string> {
	const message = await processes.run('npm', ['pack', '--silent', '--pack-destination', folder], {
		cwd: from,
	});
	return join(folder, message.trim().split('\n').at(-1) as string);
}

describe('the lines of README, word for word', () => {
	it('install one package, which n8n loads when it starts', async () => {
		const home = join(folder, 'home');
		await mkdir(home);
		const readme = await readFile(join(repositoryRoot, 'README.md'), 'utf8');
		const [, ...lines] = (
			/```sh\n(npm ci && npm run build && npm pack\n[^`]+)```/.exec(readme)?.[1] ?? ''
		)
			.trim()
			.split('\n'); // the first line has made the archive
		const env = { ...process.env, HOME: home };
		await processes.run('sh', ['-ec', lines.join('\n')], { cwd: folder, env });
		const nodes = join(home, '.n8n', 'nodes', 'node_modules');
		const installed = await processes.run('ls', [nodes]);
		const n8n = await startN8n(processes, home, () => {}, HEADLESS);
		const loaded = await n8n.client.nodeTypes(types);
		archive = join(home, '.n8n', 'nodes', basename(archive));
		expect([installed, loaded.length]).toEqual([NAME, types.length]);
		await processes.kill();
	});
});

/** npm asks a registry for the list of a package's versions, and their archives. */
class Registry {
	private readonly archives = new Map<string, Buffer>();

	private readonly server: Server = createServer((request, response) => {
		const [, version] = /-(\d+\.\d+\.\d+)\.tgz$/.exec(request.url ?? '') ?? [];
		const found = version && this.archives.get(version);
		if (found) return void response.end(found);
		if (request.url !== `/${NAME}`) return void response.writeHead(404).end('{}');
		response.end(JSON.stringify(this.list()));
	});

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	private list() {
		const versions = [...this.archives].map(([version, content]) => {
			const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
			const dist = { tarball: `${this.url}/${NAME}-${version}.tgz`, integrity };
			return [version, { name: NAME, version, dist }] as const;
		});
		return {
			name: NAME,
			'dist-tags': { latest: versions.at(-1)?.[0] },
			versions: Object.fromEntries(versions),
		};
	}

	async listen(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
	}

	async publish(version: string, file: string): Promise<void> {
		this.archives.set(version, await readFile(file));
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}
}

describe("n8n's own installer", () => {
	const registry = new Registry();
	let sandbox: TestSandbox;
	let n8n: N8n;
	let cookie: string;
	beforeAll(async () => {
		await registry.listen();
		await registry.publish(version, archive);
		sandbox = await startSandboxWithHelpers({ documents: 0, resultDelay: 8_000 });
		// n8n names npm's own registry on each call, and another one needs a licence: npm's last word counts.
		const bin = join(folder, 'bin');
		await mkdir(bin);
		const which = (await processes.run('sh', ['-c', 'command -v npm'])).trim();
		await writeFile(
			join(bin, 'npm'),
			`#!/bin/sh\nexec "${which}" "$@" --registry=${registry.url}\n`,
		);
		await chmod(join(bin, 'npm'), 0o755);
		const PATH = [bin, pinnedInstallation.path].join(delimiter);
		const home = join(folder, 'installer');
		await mkdir(home);
		n8n = await startN8n(processes, home, () => {}, { ...HEADLESS, PATH });
		const login = await fetchUnpooled(`${n8n.url}/rest/login`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				emailOrLdapLoginId: n8n.login.email,
				password: n8n.login.password,
			}),
		});
		cookie = login.headers.getSetCookie()[0].split(';')[0];
	});
	afterAll(async () => {
		registry.close();
		await sandbox?.close();
	});

	const packages = async (method: string, body?: object, query = '') => {
		const answer = await fetchUnpooled(`${n8n.url}/rest/community-packages${query}`, {
			method,
			headers: { 'content-type': 'application/json', cookie },
			body: body && JSON.stringify(body),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method}: ${answer.status} ${text}`);
		return (text ? JSON.parse(text) : {}) as { data: { installedVersion: string } };
	};
	const create = async (nodes: NodeSketch[], connections: object) => {
		const id = await n8n.client.createWorkflow(buildWorkflow('Installed', nodes, { connections }));
		await n8n.client.publish(id);
		return id;
	};

	it("n8n's installer works while a query waits and the trigger is published", async () => {
		const first = await packages('POST', { name: NAME });
		const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
		const id = await n8n.client.createCredential('taxQueryApi', 'Tax Query', {
			baseUrl,
			grant: 'clientCredentials',
			clientId,
			clientSecret,
		});
		const credentials = { taxQueryApi: { id, name: 'Tax Query' } };
		const trigger = await create(
			[
				{
					name: 'Trigger',
					type: `${NAME}.taxQueryTrigger`,
					webhookId: 'installed-trigger',
					parameters: {},
					credentials,
				},
			],
			{},
		);
		const sending = await create(
			[
				{
					name: 'Webhook',
					type: 'n8n-nodes-base.webhook',
					webhookId: 'installed-asking',
					parameters: { path: 'installed-asking', responseMode: 'onReceived', options: {} },
				},
				{
					name: 'CRF',
					type: `${NAME}.taxQuery`,
					parameters: {
						resource: 'taxpayer',
						operation: 'getCrf',
						rfc: 'GODE561231GR8',
						waitForResult: true,
						maxWait: 120,
						options: {},
					},
					credentials,
				},
			],
			{ Webhook: { main: [[{ node: 'CRF', type: 'main', index: 0 }]] } },
		);
		await fetchUnpooled(`${n8n.url}/webhook/installed-asking`);
		const billed = async () => (await sandbox.control.get<unknown[]>('/ledger')).data.length;
		await until('a query is billed', async () => (await billed()) > 0);

		const unpacked = join(folder, 'package');
		await processes.run('tar', ['-xzf', archive], { cwd: folder });
		const manifest = join(unpacked, 'package.json');
		const published = JSON.parse(await readFile(manifest, 'utf8')) as object;
		await writeFile(manifest, JSON.stringify({ ...published, version: next }));
		await registry.publish(next, await pack(unpacked));
		const second = await packages('PATCH', { name: NAME });

		const waited = await waitForEndedExecutionOf(n8n.client, sending, { node: 'CRF' });
		const [result] = outOf(waited, 'CRF');
		await redeliverWhile503(async () => {
			const { status } = await fetchUnpooled(`${n8n.url}/webhook/installed-trigger/tax-query`, {
				method: 'POST',
				body: JSON.stringify({ queryId: result.queryId }),
			});
			return status;
		});
		const delivered = await waitForEndedExecutionOf(n8n.client, trigger, { node: 'Trigger' });
		await packages('DELETE', undefined, `?name=${NAME}`);
		const after = await sandboxQueryClient(sandbox);
		expect({
			versions: [first.data.installedVersion, second.data.installedVersion],
			waited: [waited.status, result.outcome],
			delivered: outOf(delivered, 'Trigger').map(({ queryId }) => queryId),
			stillThere: await n8n.client.nodeTypes(types).catch(() => 'gone'),
			asServiceSays: (await after.query(String(result.queryId))).status,
		}).toEqual({
			versions: [version, next],
			waited: ['success', 'result'],
			delivered: [result.queryId],
			stillThere: 'gone',
			asServiceSays: 'SUCCESS',
		});
	});
});
