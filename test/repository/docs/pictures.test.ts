import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { INode, INodeProperties } from 'n8n-workflow';
import { CreditProfileApi } from '../../../credentials/CreditProfileApi.credentials';
import { TaxQueryApi } from '../../../credentials/TaxQueryApi.credentials';
import { CreditProfile } from '../../../nodes/CreditProfile/CreditProfile.node';
import { TaxQuery } from '../../../nodes/TaxQuery/TaxQuery.node';
import { TaxQueryTrigger } from '../../../nodes/TaxQuery/TaxQueryTrigger.node';

const root = join(__dirname, '..', '..', '..');
const folder = join(root, 'docs', 'pictures');
/** The animation at the top of README. */
const ANIMATION = 'onboarding.webp';
const pictures = readdirSync(folder).filter((file) => file.endsWith('.webp') && file !== ANIMATION);
const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as Record<
	string,
	string[]
>;

const nodes = [new TaxQuery(), new CreditProfile(), new TaxQueryTrigger()].map(
	({ description }) => description,
);
const types = [new TaxQueryApi(), new CreditProfileApi()];
/** n8n itself writes these beside our labels. */
const OF_N8N = [
	/^Credential( for .*)?$/,
	/^(Options|Allowed HTTP Request Domains|Always Output Data|Execute Once|Retry On Fail|On Error|Notes)$/,
	/^Display Note in Flow\?$/,
];

const namesOf = (properties: INodeProperties[]): string[] =>
	properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...namesOf(
			options.filter((option) => 'displayName' in option && 'type' in option) as INodeProperties[],
		),
	]);
const known = new Set([
	...nodes.flatMap(({ properties }) => namesOf(properties)),
	...types.flatMap(({ properties }) => namesOf(properties)),
]);
const subtitles = nodes.map(({ subtitle }) => subtitle).join('\n');
/** An expression says what is below the triggers of the examples on the canvas. */
const ofTriggers = readdirSync(join(root, 'examples')).flatMap((file) => {
	const { nodes: own } = JSON.parse(readFileSync(join(root, 'examples', file), 'utf8')) as {
		nodes: INode[];
	};
	const { name, subtitle, properties } = nodes[2];
	const usual = Object.fromEntries(properties.map((one) => [one.name, one.default]));
	return own
		.filter(({ type }) => type.endsWith(`.${name}`))
		.map(({ parameters }) => {
			const $parameter = { ...usual, ...parameters };
			return runInNewContext(String(subtitle).replace(/^=\{\{|\}\}$/g, ''), {
				$parameter,
			}) as string;
		});
});

describe('the pictures of the documents (npm run docs:pictures)', () => {
	it('show every example', () => {
		const examples = readdirSync(join(root, 'examples')).map((file) => file.replace('.json', ''));
		expect(examples.filter((name) => !pictures.includes(`canvas-${name}.webp`))).toEqual([]);
	});

	it.each(Object.keys(labels))('show what is there today: %s', (picture) => {
		const isThere = (label: string) =>
			known.has(label) ||
			subtitles.includes(label) ||
			ofTriggers.includes(label) ||
			OF_N8N.some((own) => own.test(label));
		expect(labels[picture].filter((label) => !isThere(label))).toEqual([]);
		expect(pictures).toContain(`${picture}.webp`);
	});
});
