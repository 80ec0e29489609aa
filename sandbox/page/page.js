'use strict';
const REFRESH_MS = 1000;

/** Switches: each is one rule of /sandbox/faults. */
const FAULTS = [
	['Too many requests (429)', { path: '/api', fault: 'storm' }],
	['Service failing (503)', { path: '/api', fault: { status: 503 } }],
	['Every fifth request fails (503)', { path: '/api', probability: 0.2, fault: { status: 503 } }],
	['Slow answers (3 s)', { path: '/api', fault: { latency: 3000 } }],
	['No answer', { path: '/api', fault: 'hang' }],
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
	['as it is'],
	['not at all', { type: 'none' }],
	['HMAC-SHA256 of the body, hex', { type: 'hmac' }],
	['HMAC-SHA256 of the body, base64', { type: 'hmac', encoding: 'base64' }],
	['HMAC-SHA256 of time and body, hex', { type: 'hmac', timestampHeader: TIMESTAMP }],
	['by a secret in a header', { type: 'header' }],
	['by basic authentication', { type: 'basic' }],
];

const at = (id) => document.getElementById(id);

/** An element with attributes and children; text is never read as HTML. */
function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else element.setAttribute(name, value);
	}
	element.append(...children);
	return element;
}

const send = (method, path, body) =>
	fetch(path, {
		method,
		headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});

/** A button that copies a text and says so for a moment. */
function copyButton(text, label = 'Copy') {
	const button = make('button', { type: 'button' }, label);
	if (label === text) button.className = 'copy';
	button.addEventListener('click', async () => {
		await navigator.clipboard.writeText(text);
		button.textContent = 'Copied';
		setTimeout(() => (button.textContent = label), 1200);
	});
	return button;
}

const named = (name, value) => [
	make('dt', {}, name),
	make('dd', {}, make('code', {}, value), copyButton(value)),
];

/** Checkboxes, of which `isOn` tells by value whether they are; `change` gets the values of those that are. */
function switches(id, choices, isOn, change) {
	const chosen = () => [...at(id).querySelectorAll('input:checked')].map(({ value }) => value);
	at(id).replaceChildren(
		...choices.map(([name, value], index) => {
			const box = make('input', { type: 'checkbox', value: String(index) });
			box.checked = isOn(value);
			box.addEventListener('change', () => change(chosen().map((at) => choices[at][1])));
			return make('label', {}, box, ` ${name}`);
		}),
	);
}

const time = (iso) => new Date(iso).toLocaleTimeString();
/** What each table was last filled from. */
const filledFrom = {};

/** Fills a table, but only if its data changed, so that nobody loses a selection or a place in a payload. */
function fill(id, data, rowOf) {
	const key = JSON.stringify(data);
	if (filledFrom[id] === key) return;
	filledFrom[id] = key;
	const labels = [...at(id).parentElement.querySelectorAll('th')].map((th) => th.textContent);
	at(id).replaceChildren(
		...data.map((entry) => {
			const cells = rowOf(entry);
			cells.forEach((td, index) => td.setAttribute('data-label', labels[index]));
			return make('tr', {}, ...cells);
		}),
	);
}

const cell = (text, status) => make('td', status ? { 'data-status': status } : {}, String(text));

function showOnce({ services, reserved, webhook }, rules) {
	at('services').replaceChildren(...services.flatMap(({ name, value }) => named(name, value)));
	fill('reserved', reserved, ({ effect, rfc, curp, companyRfc }) => [
		cell(effect),
		...[rfc, curp, companyRfc].map((text) => make('td', {}, copyButton(text, text))),
	]);
	const { url, shape, signing } = at('webhook').elements;
	url.value = webhook.url;
	shape.value = webhook.shape;
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

/** Payloads that a person has opened stay open while the table is refreshed. */
const opened = new Set();

function payloadCell({ id, payload }) {
	const details = make(
		'details',
		opened.has(id) ? { open: '' } : {},
		make('summary', {}, 'show'),
		make('pre', {}, JSON.stringify(payload, null, 2)),
	);
	details.addEventListener('toggle', () => (details.open ? opened.add(id) : opened.delete(id)));
	return make('td', {}, details);
}

let shownSecret;

function showWebhook({ signed, secret }) {
	at('signed').textContent = signed;
	if (secret === shownSecret) return;
	shownSecret = secret;
	at('secret').replaceChildren(...(secret ? named('Webhook secret', secret) : []));
}

function show({ billed, queries, deliveries, webhook }) {
	showWebhook(webhook);
	at('billed').textContent = `${billed} billed`;
	fill('queries', queries, ({ _id, service, status, query, createdAt }) => [
		cell(time(createdAt)),
		cell(service),
		cell(Object.values(query).join(' ')),
		cell(status, status),
		cell(_id),
	]);
	fill('deliveries', deliveries, (delivery) => {
		const { id, queryId, kind, status, attempts } = delivery;
		const resend = () => send('POST', `/sandbox/deliveries/${id}/resend`);
		return [
			cell(id),
			cell(queryId),
			cell(kind),
			cell(status, status),
			cell(attempts.map(({ answer }) => answer).join(', ')),
			payloadCell(delivery),
			make('td', {}, make('button', { type: 'button', onclick: resend }, 'Resend')),
		];
	});
}

at('webhook').addEventListener('submit', async (event) => {
	event.preventDefault();
	const { url, shape, signing } = event.target.elements;
	await send('PUT', '/sandbox/webhook', {
		url: url.value,
		shape: shape.value,
		signing: SIGNINGS[signing.value][1],
	});
	signing.value = '0';
});

const read = (path) => fetch(path).then((answer) => answer.json());

let isFirst = true;

/** Shows the state again and again, also after the sandbox was away for a while. */
async function refresh() {
	try {
		const state = await read('/sandbox/state');
		if (isFirst) showOnce(state, await read('/sandbox/faults'));
		isFirst = false;
		show(state);
		at('notice').textContent = '';
	} catch {
		at('notice').textContent = 'The sandbox does not answer.';
	}
	setTimeout(refresh, REFRESH_MS);
}
void refresh();
