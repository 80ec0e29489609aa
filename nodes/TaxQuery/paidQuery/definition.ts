import type { IDataObject, INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import type { Field } from '../../shared/operations/field';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import type { Warning } from '../fields/identifiers';
import type { Item } from '../../shared/operations/operation';
import { queryIdOf } from '../queries';
import { codeOf, inDocumentNames, pathOf, type QueryService } from '../queries/catalog';
import { connectionOf } from '../queries/client';
import { comparable } from '../queries/echoIndex';
import type { ExpectedRecord } from './findQuery';
import { shortHash } from './journal';

/** What an item asks, read from its parameters and checked offline. */
export interface QueryInput {
	/** The fields of the body under their names in the document; an empty text is left out of it. */
	fields: IDataObject;
	/** Names of those that must appear in no error, output or comparison. */
	secret?: string[];
	/** The records that it makes, one for each query that is billed; by default one that echoes its fields. */
	records?: RecordInput[];
	/** The inputs that ask for some of these records only; without it they are asked for together or not at all. */
	only?(records: RecordInput[]): QueryInput[];
	warnings: Warning[];
}

/** A record that a query makes, under the document's names. */
interface RecordInput {
	/** Fields by which it is known. */
	echo: IDataObject;
	/** Whether a record with this echo asked for neither more nor less; by default one that echoes no other field. */
	isExact?(echo: IDataObject): boolean;
	/** One that was made earlier (milliseconds) has not all of it, and is not reused. */
	wholeSince?: number;
}

/** One of the queries that cost money (TQ §4.2 to §4.11): they differ only by service and fields. */
export interface PaidQuery {
	/** Its row of the catalogue: path, code, and whether its result comes at once. */
	service: QueryService;
	/** Title Case, as shown in the selector. */
	name: string;
	/** Sentence case, as shown in the node panel. */
	action: string;
	description: string;
	/** Below the node on the canvas, where that should be shorter than the action. */
	subtitle?: string;
	/** Its fields, which make one input. Throws a UserError that names the field. */
	input: Field<QueryInput>;
	/** Entries of the "Options" collection that `input` reads. */
	options?: INodeProperties[];
	/** A credential that it needs beside the service's own. */
	credential?: INodeCredentialDescription;
	/** The service refuses it while there is no tax profile for its RFC. */
	needsProfile?: true;
	/** What one item costs, where that is not one query. */
	price?: string;
	/** It gets no data: nothing to reuse, and where it is not listed the service's word that it was done is enough. */
	hasNoResult?: true;
}

/** A query to be paid for, ready to be sent. */
export interface PreparedQuery {
	definition: PaidQuery;
	path: string;
	/** What was asked, under the document's names. */
	fields: IDataObject;
	body: IDataObject;
	secrets: string[];
	/** One for each query that is billed. */
	expected: ExpectedRecord[];
	/** The same, where an earlier try has sent other additional fields. */
	expectedAs(sentAs: string): ExpectedRecord[];
	/** The same for all in this process who ask the same of the same client. */
	question: string;
	/**
	 * The same for this question to the same account, also with another token: the journal finds it again by that.
	 * Additional fields are not in it, for they may tell the time, and differ in each try.
	 */
	journalKey: string;
	/** What tells it apart from the same question with other additional fields; undefined where it has none. */
	sentAs?: string;
	limits: Limits;
	sendAgain: boolean;
}

/** What the service answered or was found to have, one for each query. */
export interface Accepted {
	/** Records (TQ §2.1) or acknowledgements (TQ §2.5). */
	queries: IDataObject[];
	/** recovered: found among the queries made, after an answer was lost; kept: an earlier try of this execution paid. */
	how: 'sent' | 'recovered' | 'kept';
}

/** What is to be said of a query that was looked for, and whether the whole list surely does not have it. */
export interface Unfound {
	said: string;
	isMissing: boolean;
}

/** Of `count` queries these were found; `cutOff` says why the list may not be whole. */
export function unfoundOf(found: IDataObject[], count: number, cutOff?: string): Unfound {
	const ids = found.map(queryIdOf).join(', ');
	const some = `Of its ${count} queries these were found: ${ids}`;
	const none = 'It was looked for among the queries made (GET /query) and not found';
	const isMissing = found.length === 0 && cutOff === undefined;
	return { said: isMissing ? none : sentences(found.length > 0 ? some : '', cutOff), isMissing };
}

/** What an item may send at most. */
export interface Limits {
	maxQueries: number;
	maxQueriesPerDay: number;
}

/** What an item's options say of how it is sent. */
export interface SendSettings extends Limits {
	sendAgain: boolean;
	additionalBodyFields: IDataObject;
}

/** A query in the deployment's words, by the API Mapping. */
export async function prepareQuery(
	item: Item,
	definition: PaidQuery,
	{ fields, secret = [], records }: QueryInput,
	{ additionalBodyFields, sendAgain, maxQueries, maxQueriesPerDay }: SendSettings,
): Promise<PreparedQuery> {
	const { mapping, client, account } = await connectionOf(item);
	const { operation: value, path } = definition.service;
	const names = mapping.fields[value] ?? {};
	const named = (values: IDataObject) =>
		Object.fromEntries(
			Object.entries(values)
				.map(([name, one]) => [names[name] ?? name, one] as const)
				.filter(([name, one]) => name !== '' && one !== ''),
		);
	const open = Object.fromEntries(
		Object.entries(fields).filter(([name]) => !secret.includes(name)),
	);
	// a record shows a CIEC masked
	const [secretAdditional, additional] = split(additionalBodyFields, (name) =>
		/^ciec$/i.test(name),
	);
	const secretNames = [
		...secret.map((name) => names[name] ?? name),
		...Object.keys(secretAdditional),
	];
	const documented = [...Object.keys(fields), ...definition.service.fields];
	const ownNames = documented.map((name) => names[name] ?? name);
	const [replacing, further] = split(additional, (name) => ownNames.includes(name));
	const asked = (more: IDataObject) =>
		Object.entries({ ...named(open), ...replacing, ...more })
			.map(([name, one]) => [name, comparable(one)])
			.filter(([, one]) => one !== '')
			.sort();
	const keyOf = (more: IDataObject) => JSON.stringify([account, value, asked(more)]);
	const sentAs = shortHash(keyOf(further));
	const service = codeOf(definition.service, mapping);
	const expectedAs = (sent: string) =>
		(records ?? [{ echo: open }]).map((record): ExpectedRecord => {
			const echo = { ...named(record.echo), ...(sent === sentAs ? additional : replacing) };
			const { isExact, wholeSince = -Infinity }: RecordInput = record;
			return {
				service,
				echo,
				isExact(echoed, madeAt = Infinity) {
					if (madeAt < wholeSince) return false;
					const [more, own] = split(echoed, (name) => Object.hasOwn(further, name));
					if (sent !== sentAs && shortHash(keyOf(more)) !== sent) return false;
					if (!isExact) return holdsNoMore(own, [...Object.keys(echo), ...secretNames]);
					const [, asDocumented] = split(own, (name) => Object.hasOwn(additionalBodyFields, name));
					return isExact(inDocumentNames(asDocumented, value, mapping));
				},
			};
		});
	const body = { ...named(fields), ...additionalBodyFields };
	return {
		definition,
		path: pathOf(value, path, mapping),
		fields: open,
		body,
		secrets: [...secret.map((name) => fields[name]), ...Object.values(secretAdditional)].map(
			textOf,
		),
		expected: expectedAs(sentAs),
		expectedAs,
		question: JSON.stringify([client, value, asked(further)]),
		journalKey: keyOf({}),
		sentAs: Object.keys(further).length > 0 ? sentAs : undefined,
		limits: { maxQueries, maxQueriesPerDay },
		sendAgain,
	};
}

/** The fields whose name fits, and the others. */
function split(values: IDataObject, fits: (name: string) => boolean): [IDataObject, IDataObject] {
	const parted: [IDataObject, IDataObject] = [{}, {}];
	for (const [name, value] of Object.entries(values)) parted[fits(name) ? 0 : 1][name] = value;
	return parted;
}

const holdsNoMore = (echoed: IDataObject, names: string[]) =>
	Object.entries(echoed).every(([name, value]) => names.includes(name) || comparable(value) === '');
