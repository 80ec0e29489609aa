export const at = (id) => document.getElementById(id);

/** An element with attributes and children; text is never read as HTML. */
export function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else element.setAttribute(name, value);
	}
	element.append(...children);
	return element;
}

/** Returns a text that is heard but not seen, to distinguish two equal buttons. */
export const unseen = (text) => make('span', { class: 'unseen' }, ` ${text}`);

export const button = (label, of, onclick) =>
	make('button', { type: 'button', onclick }, label, unseen(of));

/** A button that copies a text, or what a function gives, and says so for a moment. */
export function copyButton(text, of) {
	const copy = button('Copy', of, async () => {
		await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
		copy.firstChild.data = 'Copied';
		setTimeout(() => (copy.firstChild.data = 'Copy'), 1200);
	});
	return copy;
}

/** Returns a name and its value, which can be copied; `of` distinguishes it from others of that name. */
export const named = (name, value, of = '') => [
	make('dt', {}, name),
	make('dd', {}, make('code', {}, value), copyButton(value, `${name} ${of}`.trim())),
];

/** Returns checkboxes; `isOn` says by value whether each is on, and `change` gets the values of those that are. */
export function switches(id, choices, isOn, change) {
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

/** Defines what each table was last filled from. */
const filledFrom = {};

/** Fills a table, but only if its data changed, so that nobody loses a selection or a place in a payload. */
export function fill(id, data, rowOf) {
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

export const cell = (text, status) =>
	make('td', status ? { 'data-status': status } : {}, String(text));

/** Payloads that a person has opened stay open while the table is refreshed. */
const opened = new Set();

export function payloadCell({ id, payload }) {
	const details = make(
		'details',
		opened.has(id) ? { open: '' } : {},
		make('summary', {}, 'show', unseen(`payload of webhook call ${id}`)),
		make('pre', {}, JSON.stringify(payload, null, 2)),
	);
	details.addEventListener('toggle', () => (details.open ? opened.add(id) : opened.delete(id)));
	return make('td', {}, details);
}
