import type { AxiosResponse } from 'axios';
import { firstViolation } from '../../../../contract/check';
import { benchForTests } from '../support/creditProfile';
import { endpointTables, filterKeys, type EndpointTable } from './tables/endpoints';

const bench = benchForTests();

const shownMessage = ({ status, data }: AxiosResponse<{ field?: string }>) => ({
	status,
	field: data.field,
});

describe.each(endpointTables)('CP §$section $method $template', (endpoint) => {
	const { method, path, response, bodies, query = {}, brokenPaths = [], unknownPath } = endpoint;
	const send = (url: string, data?: unknown, params?: Record<string, string>) =>
		bench.service.request<{ field?: string }>({
			method,
			url,
			params,
			...(data !== undefined && {
				data: JSON.stringify(data),
				headers: { 'Content-Type': 'application/json' },
			}),
		});
	const expectValid = (answer: AxiosResponse) => {
		expect(answer.status).toBe(200);
		expect(firstViolation(response, answer.data)).toBeUndefined();
	};

	it('takes valid requests and answers by the contract', async () => {
		for (const body of bodies?.valid ?? [undefined]) {
			expectValid(await send(path, body));
		}
	});

	if (bodies) {
		it('refuses each broken body with 400 and the name of the field', async () => {
			for (const [field, body] of bodies.broken) {
				expect(shownMessage(await send(path, body))).toEqual({ status: 400, field });
			}
		});
	}

	for (const [name, { valid, broken }] of Object.entries(query)) {
		it(`accepts valid values of the query parameter ${name}`, async () => {
			for (const text of valid) expectValid(await send(path, undefined, { [name]: text }));
		});

		it(`refuses invalid values of the query parameter ${name} with 400 and its name`, async () => {
			for (const text of broken) {
				const { status, data } = await send(path, undefined, { [name]: text });
				const field = data.field?.split('.')[0];
				expect({ text, status, field }).toEqual({ text, status: 400, field: name });
			}
		});
	}

	if (method === 'GET') {
		it('refuses an unknown query parameter with 400 and its name', async () => {
			const response = await send(path, undefined, { limitt: '5' });
			expect(shownMessage(response)).toEqual({ status: 400, field: 'limitt' });
		});
	}

	for (const [field, broken] of brokenPaths) {
		it(`refuses the path ${broken} with 400 and the parameter's name`, async () => {
			expect(shownMessage(await send(broken))).toEqual({ status: 400, field });
		});
	}

	it('answers 404 in JSON for what is not there', async () => {
		expect(shownMessage(await send(unknownPath ?? `${path}/nothing`))).toEqual({
			status: 404,
			field: undefined,
		});
	});

	it.each([
		['no token', undefined],
		['another token', 'Token wrong'],
		['another scheme', 'Bearer'],
	])('answers 401 in JSON with %s (CP §5.1)', async (_what, scheme) => {
		const { token } = bench.sandbox.creditProfile;
		const Authorization = scheme === 'Bearer' ? `Bearer ${token}` : scheme;
		const { status, data } = await bench.anyone.request<object>({
			method,
			url: `/api/v1${path}`,
			headers: { Authorization },
		});
		expect({ status, data }).toEqual({
			status: 401,
			data: { statusCode: 401, message: expect.stringContaining('Token <API_TOKEN>') as string },
		});
	});

	it('answers 405 and names the right method for a wrong one', async () => {
		const { status, headers, data } = await bench.service.delete<object>(path);
		expect({ status, allow: headers.allow, data }).toEqual({
			status: 405,
			allow: method,
			data: { statusCode: 405, message: `/api/v1${path} does not take DELETE` },
		});
	});
});

describe('CP §4.4 filter', () => {
	it.each(Object.entries(filterKeys))('%s is held to its type', async (key, { valid, broken }) => {
		for (const [texts, status] of [
			[valid, 200],
			[broken, 400],
		] as const) {
			for (const text of texts) {
				const filter = text.replace('KEY', key);
				const answer = await bench.service.get('/data/collection', { params: { filter } });
				expect({ filter, status: answer.status }).toEqual({ filter, status });
			}
		}
	});
});

describe('the OpenAPI page', () => {
	it('is of version 3.1, and every reference in it leads somewhere', async () => {
		const { data } = await bench.anyone.get<Record<string, unknown>>('/docs/json');
		const references = JSON.stringify(data).match(/(?<="\$ref":")[^"]+/g) ?? [];
		const lost = references.filter((reference) => {
			const [, ...steps] = reference.split('/');
			const at = steps.reduce<unknown>(
				(value, step) => (value as Record<string, unknown> | undefined)?.[step],
				data,
			);
			return !reference.startsWith('#/') || at === undefined;
		});
		expect(data.openapi).toBe('3.1.0');
		expect(references.length).toBeGreaterThan(0);
		expect(lost).toEqual([]);
	});

	it('is shown to a person', async () => {
		const { status, data } = await bench.anyone.get<string>('/docs/');
		expect({ status, isSwagger: data.includes('swagger-ui') }).toEqual({
			status: 200,
			isSwagger: true,
		});
	});
});

describe('the tables', () => {
	it('are of every endpoint that the sandbox has, and of no other', async () => {
		const { data } = await bench.anyone.get<{ paths: Record<string, object> }>('/docs/json');
		const served = Object.entries(data.paths)
			.filter(([path]) => path.startsWith('/api/v1/'))
			.flatMap(([path, methods]) =>
				Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(7)}`),
			);
		const tabled = endpointTables.map(
			({ method, template }: EndpointTable) => `${method} ${template}`,
		);
		expect(served.sort()).toEqual(tabled.sort());
	});
});
