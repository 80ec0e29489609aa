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

async function copy(event, text) {
	await navigator.clipboard.writeText(text);
	const button = event.target;
	button.textContent = 'Copied';
	setTimeout(() => (button.textContent = 'Copy'), 1200);
}

const time = (iso) => new Date(iso).toLocaleTimeString();
const cell = (text, status) => make('td', status ? { 'data-status': status } : {}, String(text));

function showOnce({ services, reserved, webhookUrl }) {
	at('services').replaceChildren(
		...services.flatMap(({ name, value }) => [
			make('dt', {}, name),
			make(
				'dd',
				{},
				make('code', {}, value),
				make('button', { type: 'button', onclick: (event) => copy(event, value) }, 'Copy'),
			),
		]),
	);
	at('reserved').replaceChildren(
		...reserved.map(({ effect, rfc, curp, companyRfc }) =>
			make('tr', {}, cell(effect), cell(rfc), cell(curp), cell(companyRfc)),
		),
	);
	at('webhook').elements.url.value = webhookUrl;
	at('faults').replaceChildren(
		...FAULTS.map(([name], index) =>
			make(
				'label',
				{},
				make('input', { type: 'checkbox', value: String(index), onchange: setFaults }),
				` ${name}`,
			),
		),
	);
}

async function setFaults() {
	const chosen = [...at('faults').querySelectorAll('input:checked')];
	await send(
		'PUT',
		'/sandbox/faults',
		chosen.map(({ value }) => FAULTS[value][1]),
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

function show({ billed, queries, deliveries }) {
	at('billed').textContent = `${billed} billed`;
	at('queries').replaceChildren(
		...queries.map(({ _id, service, status, query, createdAt }) =>
			make(
				'tr',
				{},
				cell(time(createdAt)),
				cell(service),
				cell(Object.values(query).join(' ')),
				cell(status, status),
				cell(_id),
			),
		),
	);
	at('deliveries').replaceChildren(
		...deliveries.map((delivery) => {
			const { id, queryId, kind, status, attempts } = delivery;
			const resend = () => send('POST', `/sandbox/deliveries/${id}/resend`);
			return make(
				'tr',
				{},
				cell(id),
				cell(queryId),
				cell(kind),
				cell(status, status),
				cell(attempts.map(({ answer }) => answer).join(', ')),
				payloadCell(delivery),
				make('td', {}, make('button', { type: 'button', onclick: resend }, 'Resend')),
			);
		}),
	);
}

at('webhook').addEventListener('submit', async (event) => {
	event.preventDefault();
	const { url, shape } = event.target.elements;
	await send('PUT', '/sandbox/webhook', { url: url.value, shape: shape.value });
});

async function refresh(first) {
	const state = await fetch('/sandbox/state').then((answer) => answer.json());
	if (first) showOnce(state);
	show(state);
	setTimeout(refresh, REFRESH_MS);
}
refresh(true).catch(() => at('services').replaceChildren('The sandbox does not answer.'));
