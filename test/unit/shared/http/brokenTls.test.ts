import { once } from 'node:events';
import { Agent, createServer } from 'node:https';
import { connect, createServer as createProxy, type AddressInfo, type Server } from 'node:net';
import axios from 'axios';
import { acceptanceOf, retryCondition } from '../../../../nodes/shared/http/retryPolicy';
import { faultCode } from '../../../../nodes/shared/errors/networkFault';

const key = Buffer.from('a key that both sides know');
const withKey = {
	ciphers: 'PSK',
	maxVersion: 'TLSv1.2' as const,
	pskCallback: () => ({ psk: key, identity: 'test' }),
	checkServerIdentity: () => undefined,
};
const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listening = async <T extends Server>(server: T) => {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return server;
};

async function verdictBehind(spoil: (answer: Buffer) => Buffer): Promise<[boolean, string]> {
	let isAccepted = false;
	const service = await listening(
		createServer({ ...withKey, pskCallback: () => key }, (requests, response) => {
			isAccepted = true;
			requests.resume().on('end', () => response.end('{"queryId":"q1"}'));
		}),
	);
	const proxy = await listening(
		createProxy((client) => {
			const behind = connect(portOf(service), '127.0.0.1');
			client.pipe(behind).on('error', () => {});
			behind.on('data', (data) => client.write(isAccepted ? spoil(data) : data));
			client.on('error', () => behind.destroy());
			client.on('close', () => behind.destroy());
		}),
	);
	const httpsAgent = new Agent(withKey);
	const fault = await axios.post(`https://127.0.0.1:${portOf(proxy)}/`, {}, { httpsAgent }).then(
		() => 'none',
		(error: unknown) => faultCode(error),
	);
	service.closeAllConnections();
	service.close();
	proxy.close();
	const problem = { kind: 'network', code: fault } as const;
	const isUnsure =
		acceptanceOf(problem, 'POST') === 'unknown' && retryCondition(problem, 'POST') === 'never';
	return [isUnsure, fault];
}

describe('a query over a secure connection', () => {
	it.each<[string, (answer: Buffer) => Buffer]>([
		['is spoilt', (answer) => Buffer.from(answer.map((byte, at) => (at === 20 ? ~byte : byte)))],
		['is in clear', () => Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
		['is an alert', () => Buffer.from([21, 3, 3, 0, 2, 2, 80])],
	])('may have been accepted where its answer %s', async (_how, spoil) => {
		expect(await verdictBehind(spoil)).toEqual([true, expect.stringMatching(/^ERR_SSL_/)]);
	});
});
