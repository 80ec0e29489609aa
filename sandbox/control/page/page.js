import {
	at,
	button,
	cell,
	copyButton,
	fill,
	make,
	named,
	payloadCell,
	switches,
	unseen,
} from './elements.js';

const REFRESH_MS = 1000;

/** Switches: each is one rule of /sandbox/faults. */
const FAULTS = [
	['Too many requests (429)', { path: '/api', fault: 'storm' }],
	['Service failing (503)', { path: '/api', fault: { status: 503 } }],
	['Every fifth request fails (503)', { path: '/api', probability: 0.2, fault: { status: 503 } }],
	['Slow responses (3 s)', { path: '/api', fault: { latency: 3000 } }],
	['No response', { path: '/api', fault: 'hang' }],
	['Connection reset after it was accepted', { path: '/api', fault: 'resetAfter' }],
	['A web page instead of JSON', { path: '/api', fault: 'nonJson' }],
	['Expired token (401)', { path: '/api/query', fault: 'expiredToken' }],
];

/** Switches: each is one key of the faults in /sandbox/webhook. */
const DELIVERY_FAULTS = [
	['Lost', { drop: 1 }],
	['Sent twice', { duplicate: 1 }],
	['In another order', { reorder: 1 }],
	['Late (5 s)', { delay: 5000 }],
	['Tampered with after signing', { tamper: 1 }],
	['A forged one beside the true one', { forge: 1 }],
];

const TIMESTAMP = 'X-Webhook-Timestamp';
const SIGNINGS = [
	['unchanged'],
	['none', { type: 'none' }],
	['HMAC-SHA256 of the body, hex', { type: 'hmac' }],
	['HMAC-SHA256 of the body, base64', { type: 'hmac', encoding: 'base64' }],
	['HMAC-SHA256 of time and body, hex', { type: 'hmac', timestampHeader: TIMESTAMP }],
	['HMAC-SHA256, time in its header (t=…,v1=…)', { type: 'hmac', hasTimestampInHeader: true }],
	[
		'HMAC-SHA256 by an old and a new secret',
		{ type: 'hmac', label: 'sha256=', oldSecret: 'replaced-secret' },
	],
	['HMAC-SHA256, the secret in hex', { type: 'hmac', secretEncoding: 'hex' }],
	['HMAC-SHA256, the secret in base64', { type: 'hmac', secretEncoding: 'base64' }],
	['a secret in a header', { type: 'header' }],
	['basic authentication', { type: 'basic' }],
	['Standard Webhooks', { type: 'standard' }],
];

/** Sends a command; what the sandbox refuses is shown. */
async function send(method, path, body) {
	const answer = await fetch(path, {
		method,
		headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const result = await answer.json();
	refused = answer.ok ? '' : result.message;
	at('notice').textContent = refused;
	return result;
}

let refused = '';
const read = (path) => fetch(path).then((answer) => answer.json());
const time = (iso) => new Date(iso).toLocaleTimeString();

/** Returns the card of a person with reserved results, and each query's input. */
function card({ effect, name, givenNames, firstLastName, secondLastName, birthDate, ...others }) {
	const { rfc, curp, companyRfc } = others;
	const fields = {
		'Given names': givenNames,
		'First surname': firstLastName,
		'Second surname': secondLastName,
		'Birth date': birthDate,
		RFC: rfc,
		CURP: curp,
		'Company RFC': companyRfc,
	};
	return make(
		'article',
		{},
		make('h3', {}, name),
		make('p', {}, effect),
		make(
			'dl',
			{},
			...Object.entries(fields).flatMap(([key, one]) => named(key, one, `of ${name}`)),
		),
	);
}

/** An example workflow, to be downloaded, or copied and pasted onto n8n's canvas. */
function example({ file, name }) {
	const href = `/sandbox/examples/${file}.json`;
	const workflow = () => fetch(href).then((answer) => answer.text());
	return make(
		'li',
		{},
		make('span', {}, name),
		copyButton(workflow, name),
		make('a', { href, download: '', class: 'button' }, 'Download', unseen(name)),
	);
}

/** Returns what changes only by what is done here. */
function showSettings({ services, fromContainer, guide, reserved, webhook }, rules, examples) {
	at('services').replaceChildren(...services.flatMap(({ name, value }) => named(name, value)));
	at('fromContainer').replaceChildren(
		...fromContainer.flatMap(({ name, value }) => named(name, value, 'for a container')),
	);
	at('guide').href = guide;
	at('examples').replaceChildren(...examples.map(example));
	at('reserved').replaceChildren(...reserved.map(card));
	const { url, shape, body, coding, signing } = at('webhook').elements;
	url.value = webhook.url;
	shape.value = webhook.shape;
	body.value = webhook.body;
	coding.value = webhook.coding;
	signing.replaceChildren(
		...SIGNINGS.map(([name], index) => make('option', { value: String(index) }, name)),
	);
	const active = rules.map((rule) => JSON.stringify({ ...rule, applied: undefined }));
	switches(
		'faults',
		FAULTS,
		(rule) => active.includes(JSON.stringify(rule)),
		(chosen) => send('PUT', '/sandbox/faults', chosen),
	);
	switches(
		'deliveryFaults',
		DELIVERY_FAULTS,
		(fault) => Object.keys(fault).some((name) => webhook.faults[name] > 0),
		(chosen) => send('PUT', '/sandbox/webhook', { faults: Object.assign({}, ...chosen) }),
	);
}

let shownSecret;

function showWebhook({ signed, secret }) {
	at('signed').textContent = signed;
	if (secret === shownSecret) return;
	shownSecret = secret;
	at('secret').replaceChildren(...(secret ? named('Webhook secret', secret) : []));
}

/** ID of the query that the last test delivery was about. */
let tested;

const outcome = ({ status, attempts }) =>
	status === 'waiting' ? 'is on its way' : `${status}, ${tries(attempts)}`;

/** "3 (503, 503, 200)": how often, and what was answered each time. */
const tries = (attempts) =>
	attempts.length === 0
		? '0'
		: `${attempts.length} (${attempts.map(({ answer }) => answer).join(', ')})`;

function acknowledge(text) {
	if (at('acknowledgement').textContent !== text) at('acknowledgement').textContent = text;
}

/** Returns the refused queries as rows of the table; they have no ID. */
const refusedRows = (refused) =>
	refused.map(({ status, ...row }) => ({
		...row,
		_id: '',
		status: `Refused (${status})`,
		billed: 0,
		isRefused: true,
	}));

function show({ now, billed, billedQueries, queries, refused, deliveries, scripts, webhook }) {
	showWebhook(webhook);
	const test = deliveries.find(({ queryId }) => queryId === tested);
	if (test) acknowledge(`Test call ${test.id} to ${test.url ?? 'nowhere'}: ${outcome(test)}`);
	at('clock').textContent = new Date(now).toLocaleString();
	at('billed').textContent = `${billed} billed`;
	at('scripts').replaceChildren(
		...Object.entries(scripts)
			.filter(([, words]) => words.length > 0)
			.map(([identifier, words]) => make('li', {}, `${identifier}: ${words.join(', ')}`)),
	);
	const accepted = queries.map((query) => ({
		...query,
		billed: billedQueries.filter((id) => id === query._id).length,
	}));
	const rows = [...accepted, ...refusedRows(refused)].sort((one, other) =>
		String(other.createdAt).localeCompare(String(one.createdAt)),
	);
	fill('queries', rows, ({ _id, service, status, query, createdAt, billed: times, isRefused }) => {
		const deliver = () => send('POST', `/sandbox/queries/${_id}/deliver`);
		return [
			cell(time(createdAt)),
			cell(service),
			cell(Object.values(query ?? {}).join(' ')),
			cell(status, isRefused ? 'FAILED' : status),
			cell(times),
			cell(_id),
			make('td', {}, ...(isRefused ? [] : [button('Send now', `query ${_id}`, deliver)])),
		];
	});
	fill('deliveries', deliveries, (delivery) => {
		const { id, queryId, kind, status, attempts, url } = delivery;
		const resend = () => send('POST', `/sandbox/deliveries/${id}/resend`);
		return [
			cell(id),
			cell(queryId),
			cell(kind),
			cell(status, status),
			cell(tries(attempts)),
			cell(url ?? 'nowhere'),
			payloadCell(delivery),
			make('td', {}, button('Resend', `webhook call ${id}`, resend)),
		];
	});
}

/** Returns what a form or a button does. */
const on = (id, event, act) =>
	at(id).addEventListener(event, (happened) => {
		happened.preventDefault();
		void act(happened.target);
	});

/** Returns what the form says now, saved or not. */
function webhookForm() {
	const { url, shape, body, coding, signing } = at('webhook').elements;
	return {
		url: url.value,
		shape: shape.value,
		body: body.value,
		coding: coding.value,
		signing: SIGNINGS[signing.value][1],
	};
}

on('webhook', 'submit', async ({ elements: { url, signing } }) => {
	await send('PUT', '/sandbox/webhook', webhookForm());
	signing.value = '0';
	tested = undefined;
	acknowledge(refused ? '' : url.value ? 'Saved.' : 'Saved. No webhook calls.');
});
on('test-delivery', 'click', async () => {
	acknowledge('Sending …');
	const { _id } = await send('POST', '/sandbox/deliveries/test', webhookForm());
	tested = _id;
	if (refused) acknowledge('');
});
at('copy-url').replaceWith(copyButton(() => at('url').value, 'webhook address'));
on('advance', 'submit', ({ elements: { minutes } }) =>
	send('POST', '/sandbox/clock', { advance: Number(minutes.value) * 60_000 }),
);
on('script', 'submit', async (form) => {
	const { identifier, outcomes } = form.elements;
	const words = outcomes.value
		.toUpperCase()
		.split(/[\s,]+/)
		.filter(Boolean);
	const scripts = await read('/sandbox/outcomes');
	await send('PUT', '/sandbox/outcomes', { ...scripts, [identifier.value.trim()]: words });
	if (!refused) form.reset();
});
on('snapshot', 'click', async () => {
	const state = await (await fetch('/sandbox/snapshot')).blob();
	const href = URL.createObjectURL(state);
	make('a', { href, download: 'sandbox-state.json' }).click();
	URL.revokeObjectURL(href);
});
on('restore', 'change', async (input) => {
	const [file] = input.files;
	input.value = '';
	if (!file) return;
	try {
		await send('PUT', '/sandbox/snapshot', JSON.parse(await file.text()));
	} catch {
		at('notice').textContent = refused = 'This file is no snapshot of a sandbox.';
	}
	isFirst = true;
});
on('reset', 'click', async () => {
	await send('POST', '/sandbox/reset');
	isFirst = true;
});

let isFirst = true;

/** Shows the state again and again, also after the sandbox was away for a while. */
async function refresh() {
	try {
		const state = await read('/sandbox/state');
		if (isFirst)
			showSettings(state, await read('/sandbox/faults'), await read('/sandbox/examples'));
		isFirst = false;
		show(state);
		at('notice').textContent = refused;
	} catch {
		at('notice').textContent = 'The sandbox does not respond.';
	}
	setTimeout(refresh, REFRESH_MS);
}
void refresh();
