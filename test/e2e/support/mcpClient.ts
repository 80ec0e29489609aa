import { fetchUnpooled } from '../../../demo/http';
import type { ToolDefinition } from '../../../demo/stubModel';

/** A client of an MCP server over Streamable HTTP. */
export class McpClient {
	private session: string | undefined;
	private id = 0;

	constructor(
		private readonly url: string,
		private readonly token: string,
	) {}

	async tools(): Promise<ToolDefinition[]> {
		await this.open();
		return (await this.ask<{ tools: ToolDefinition[] }>('tools/list', {})).tools;
	}

	/** Calls a tool; returns the texts of its answer. */
	async call(name: string, args: object): Promise<string> {
		await this.open();
		const { content } = await this.ask<{ content: Array<{ text?: string }> }>('tools/call', {
			name,
			arguments: args,
		});
		return content.map(({ text }) => text ?? '').join('\n');
	}

	private async open(): Promise<void> {
		if (this.session !== undefined) return;
		await this.ask('initialize', {
			protocolVersion: '2025-03-26',
			capabilities: {},
			clientInfo: { name: 'test', version: '1' },
		});
		await this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
	}

	private async ask<T>(method: string, params: object): Promise<T> {
		const answer = await this.send({ jsonrpc: '2.0', id: ++this.id, method, params });
		const text = await answer.text();
		const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
		const { result, error } = JSON.parse(data) as { result: T; error?: { message: string } };
		if (error) throw new Error(error.message);
		return result;
	}

	private async send(message: object): Promise<Response> {
		const answer = await fetchUnpooled(this.url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				authorization: `Bearer ${this.token}`,
				...(this.session !== undefined && { 'mcp-session-id': this.session }),
			},
			body: JSON.stringify(message),
		});
		if (!answer.ok)
			throw new Error(`The MCP server answered ${answer.status}: ${await answer.text()}`);
		this.session = answer.headers.get('mcp-session-id') ?? this.session ?? '';
		return answer;
	}
}
