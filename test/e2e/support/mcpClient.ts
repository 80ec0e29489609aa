import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** Connects to an MCP server over Streamable HTTP; throws if the server refuses the token. */
export async function connectMcpClient(url: string, token: string): Promise<Client> {
	const client = new Client({ name: 'test', version: '1' });
	const headers = { authorization: `Bearer ${token}` };
	await client.connect(
		new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
	);
	return client;
}

/** Calls a tool; returns the texts of its result. */
export async function callTool(client: Client, name: string, args: object): Promise<string> {
	const { content } = (await client.callTool({ name, arguments: { ...args } })) as {
		content: Array<{ text?: string }>;
	};
	return content.map(({ text }) => text ?? '').join('\n');
}
