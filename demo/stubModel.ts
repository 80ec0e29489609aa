import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ToolDefinition {
	name: string;
	description: string;
	parameters: { properties?: Record<string, { type?: string; description?: string }> };
}

export interface ModelMessage {
	role: string;
	content: unknown;
}

export interface ModelRequest {
	messages: ModelMessage[];
	tools: ToolDefinition[];
}

/** Describes what the model says: an answer, or the tools that it calls, by name with their arguments. */
export type ModelTurn = { answer: string } | { calls: Array<{ name: string; args: object }> };

/** A stub of a language model on 127.0.0.1, which keeps its requests. `speak` decides its responses. */
export class StubModel {
	readonly requests: ModelRequest[] = [];
	speak: (request: ModelRequest) => ModelTurn = () => ({ answer: 'Listo.' });

	private constructor(private readonly server: Server) {}

	/** Listens on a free port, unless one is given. */
	static async start(port = 0): Promise<StubModel> {
		const server = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as {
					messages?: ModelMessage[];
					tools?: Array<{ function: ToolDefinition }>;
					stream?: boolean;
				};
				const requested = {
					messages: body.messages ?? [],
					tools: (body.tools ?? []).map((tool) => tool.function),
				};
				model.requests.push(requested);
				const turn = model.speak(requested);
				response.setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json');
				response.end(body.stream ? streamed(turn) : JSON.stringify(completion(turn, 'message')));
			});
		}).listen(port, '127.0.0.1');
		const model = new StubModel(server);
		await once(server, 'listening');
		return model;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	/** The base URL for an OpenAI credential. */
	get url(): string {
		return `http://127.0.0.1:${this.port}/v1`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((done) => this.server.close(done));
	}
}

const CURP = /[A-Z]{4}\d{6}[A-Z0-9]{8}/;
const CHECK = 'Check_identifiers';
const PAID = 'Get_CURP_data';

/**
 * Returns what the demo's model does: an offline check of the CURP in the prompt, then one billed query, which a person
 * has to approve, then an answer.
 */
export function decideDemoTurn({ messages, tools }: ModelRequest): ModelTurn {
	const answered = messages.filter(({ role }) => role === 'tool').length;
	const [curp] = CURP.exec(JSON.stringify(messages)) ?? [];
	const has = (tool: string) => tools.some(({ name }) => name === tool);
	if (answered === 0 && curp && has(CHECK)) {
		return { calls: [{ name: CHECK, args: { curp, rfc: '', birthDate: '' } }] };
	}
	if (answered === 1 && curp && has(PAID)) {
		return { calls: [{ name: PAID, args: { toolParameters: { curp } } }] };
	}
	return {
		answer:
			'Soy el modelo de prueba de la demostración. Revisé la CURP sin conexión y pedí una consulta que se cobra, que una persona aprobó o rechazó. Ponga su propio modelo en la credencial "Your language model".',
	};
}

let calls = 0;

function completion(turn: ModelTurn, key: 'message' | 'delta') {
	const toolCalls =
		'calls' in turn
			? turn.calls.map(({ name, args }, index) => ({
					index,
					id: `call_${++calls}`,
					type: 'function',
					function: { name, arguments: JSON.stringify(args) },
				}))
			: undefined;
	return {
		id: 'chatcmpl-stub',
		object: key === 'message' ? 'chat.completion' : 'chat.completion.chunk',
		created: 0,
		model: 'stub',
		choices: [
			{
				index: 0,
				[key]: {
					role: 'assistant',
					content: 'answer' in turn ? turn.answer : null,
					...(toolCalls && { tool_calls: toolCalls }),
				},
				finish_reason: toolCalls ? 'tool_calls' : 'stop',
			},
		],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

const streamed = (turn: ModelTurn) =>
	`data: ${JSON.stringify(completion(turn, 'delta'))}\n\ndata: [DONE]\n\n`;
