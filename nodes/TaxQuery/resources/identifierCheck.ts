import type { IDataObject } from 'n8n-workflow';
import {
	findIdentifierContradictions,
	checkCurp,
	checkNss,
	checkRfc,
	checkZipCode,
	finding,
	type CheckResult,
	type RfcCheck,
	type CurpCheck,
} from '../../shared/identifiers';
import { defineOperation, noticeField, type Field } from '../../shared/operations/fields';
import { simplifyField } from '../../shared/operations/commonFields';
import type { Item, Resource } from '../../shared/operations/operation';
import { FAILURE_COLUMNS, type OutcomeColumns } from '../../shared/operations/outcome';
import { dayProperty, readPlainDay } from '../fields/dates';
import { normalizedFromCheckOutput } from '../fields/identifiers';
import { textProperty } from '../fields/textProperty';
import { normalizeIfText } from '../../shared/utils/cleanText';
import { textOf } from '../../shared/utils/primitiveText';
import { CodedError } from '../../shared/utils/codedError';
import { pickBy } from '../../shared/utils/objects';

/** A field of the panel with its value for one item. */
interface Entry {
	/** Undefined where its cell is empty. */
	value: unknown;
	/** The operator filled the field in, so that an empty cell is a finding. */
	isExpected: boolean;
}

const readEntry = (item: Item, name: string): Entry => {
	const given = item.parameter<unknown>(name);
	const value = normalizeIfText(normalizedFromCheckOutput(given));
	const isEmpty = value === undefined || value === null || value === '';
	// an AI agent leaves out what it does not know
	const isExpected = !item.run.isTool && item.isEntered(name);
	return { value: isEmpty ? undefined : value, isExpected: !isEmpty || isExpected };
};

const entry = (...[label, name, example, description]: [string, string, string, string]) => {
	const property = textProperty(label, name, example, description, false);
	return {
		properties: [property],
		read: (item: Item) => readEntry(item, name),
	} satisfies Field<Entry>;
};

const born = dayProperty('Birth Date', 'birthDate', '1956-12-31');
/** A date that cannot be read is a finding, like anything else that is wrong with an item. */
const birthDate: Field<{ day?: string; isUnreadable?: true }> = {
	properties: [born],
	read(item) {
		const { value } = readEntry(item, born.name);
		if (value === undefined) return {};
		try {
			return { day: readPlainDay(value, born.displayName, item.timezone).toFormat('yyyy-MM-dd') };
		} catch {
			return { isUnreadable: true };
		}
	},
};

/** Columns of every row, whatever was filled in. */
const FINDINGS = ['outcome', 'reason', 'ready', 'personType', 'birthDate', ...FAILURE_COLUMNS];

const CHECK =
	'Check RFC, CURP, NSS and zip code, and whether they fit each other. Nothing is sent or billed.';

const check = defineOperation({
	name: 'Check',
	value: 'check',
	action: 'Check identifiers',
	tool: `${CHECK} Fill in at least one. RFC: 9 to 13 characters. CURP: 18 characters. NSS: 11 digits. Zip Code: 5 digits. State: its code, such as CMX. Birth Date: YYYY-MM-DD.`,
	description: CHECK,
	isOffline: true,
	fields: {
		free: noticeField('freeNotice', 'Free: nothing is sent or billed.'),
		rfc: entry('RFC', 'rfc', 'GODE561231GR8', '12 or 13 characters, or 9 or 10 without homoclave'),
		curp: entry('CURP', 'curp', 'PEXL990821HSRRXS05', '18 characters'),
		nss: entry('NSS', 'nss', '12345678903', 'Número de seguridad social, 11 digits'),
		zipCode: entry(
			'Zip Code',
			'zipCode',
			'06700',
			'5 digits, as text so that a leading zero is kept',
		),
		state: entry(
			'State',
			'state',
			'CMX',
			'ISO 3166-2:MX code without MX-, or the code of the credit bureau',
		),
		birthDate,
	},
	options: { simplify: simplifyField },
	keepsInput: { requested: ['rfc', 'curp', 'nss', 'zipCode'], own: FINDINGS },
	failedOutcome: () => 'notReady',
	async execute(item, { simplify: isSimple, ...entries }) {
		const checks = checkEntries(entries);
		if (checks.length === 0) {
			throw new CodedError(
				'nothingToCheck',
				'There is nothing to check: RFC, CURP, NSS and zip code are empty',
				{ description: 'Drag a column of the input into at least one of them.' },
			);
		}
		const summary = summarize(checks, entries);
		return isSimple ? flatRow(checks, summary) : detailedRow(checks, summary);
	},
});

type Finding = ReturnType<typeof finding>;

interface Checked {
	label: string;
	name: string;
	/** The value that was checked; undefined where its cell is empty. */
	entered: unknown;
	result: CheckResult;
	/** The reason why no query may be sent about it, though it may be valid. */
	obstacle?: Finding;
}

type Entries = Record<'rfc' | 'curp' | 'nss' | 'zipCode' | 'state', Entry> & {
	birthDate: { day?: string; isUnreadable?: true };
};

function checkEntries({ rfc, curp, nss, zipCode, state }: Entries): Checked[] {
	const all: Array<[label: string, name: string, entry: Entry, check: typeof checkNss]> = [
		['RFC', 'rfc', rfc, checkRfc],
		['CURP', 'curp', curp, checkCurp],
		['NSS', 'nss', nss, checkNss],
		['Zip Code', 'zipCode', zipCode, (value) => checkZipCode(value, state.value)],
	];
	return all
		.filter(([, , { isExpected }]) => isExpected)
		.map(([label, name, { value }, checkValue]) => {
			const result = checkValue(value);
			return { label, name, entered: value, result, obstacle: obstacleIn(result) };
		});
}

const NO_HOMOCLAVE = finding(
	'HOMOCLAVE',
	'The RFC has no homoclave: a query needs all 12 characters (company) or 13 (person)',
);

/** Returns why a valid identifier is no use for a query: it is of nobody, has no homoclave, or a future birth date. */
function obstacleIn({ errors, warnings, ...particulars }: CheckResult): Finding | undefined {
	const { hasHomoclave } = particulars as Partial<RfcCheck>;
	return (
		errors[0] ??
		warnings.find(({ code }) => code === 'GENERIC' || code === 'FUTURE') ??
		(hasHomoclave === false ? NO_HOMOCLAVE : undefined)
	);
}

interface Summary extends OutcomeColumns {
	/** Each identifier of the item can exist. */
	valid: boolean;
	errors: IDataObject[];
	warnings: IDataObject[];
	/** Contradictions that show different people or companies. */
	mismatches: Finding[];
}

const NO_DATE = finding(
	'DATE',
	'The birth date is not a date that exists',
	'Enter it as year-month-day, e.g. 1956-12-31.',
);

function summarize(checks: Checked[], { rfc, curp, birthDate: born }: Entries): Summary {
	const mismatches = findIdentifierContradictions({
		rfc: rfc.value,
		curp: curp.value,
		birthDate: born.day,
	});
	const ofDate = born.isUnreadable ? [NO_DATE] : [];
	const listed = (field: string, findings: Finding[]) =>
		findings.map(({ code, message }) => ({ field, code, message }));
	const obstacles = [...checks.flatMap(({ obstacle }) => obstacle ?? []), ...ofDate];
	const oddities = [...checks.flatMap(({ result }) => result.warnings), ...mismatches];
	const entered = checks.filter(({ entered: value }) => value !== undefined);
	return {
		...accountOf(obstacles.at(0), oddities.at(0)),
		valid: entered.length > 0 && entered.every(({ result }) => result.valid) && ofDate.length === 0,
		errors: [
			...checks.flatMap(({ label, result }) => listed(label, result.errors)),
			...listed('Birth Date', ofDate),
		],
		warnings: [
			...checks.flatMap(({ label, result }) => listed(label, result.warnings)),
			// that zip code and state contradict each other is an error of the zip code already
			...listed('Consistency', mismatches),
		],
		mismatches,
	};
}

/** An odd item may be queried, but what comes back may be about somebody else. */
function accountOf(obstacle?: Finding, oddity?: Finding): OutcomeColumns {
	if (obstacle) return { outcome: 'notReady', reason: obstacle.problem };
	return oddity
		? { outcome: 'warning', reason: oddity.problem }
		: { outcome: 'ready', reason: null };
}

/** The identifiers in one spelling, then what was found: each in a column of its own. */
function flatRow(checks: Checked[], { outcome, reason }: Summary): IDataObject {
	const ofRfc = checks.find(({ name }) => name === 'rfc')?.result as RfcCheck | undefined;
	const ofCurp = checks.find(({ name }) => name === 'curp')?.result as CurpCheck | undefined;
	const isPerson = ofRfc?.type === 'PF' || (!ofRfc?.type && ofCurp?.type === 'PF');
	return {
		...Object.fromEntries(
			checks.map(({ name, entered, result }) => [
				name,
				result.normalized || textOf(entered) || null,
			]),
		),
		outcome,
		reason,
		ready: outcome === 'ready',
		personType: ofRfc?.type ?? ofCurp?.type ?? null,
		birthDate: isPerson ? (ofCurp?.birthDate ?? ofRfc?.date ?? null) : null,
	};
}

/** Everything that each check found, in objects and lists. */
function detailedRow(
	checks: Checked[],
	{ outcome, reason, valid, errors, warnings, mismatches }: Summary,
): IDataObject {
	const verdict = ({ valid: isValid, warnings: odd }: CheckResult) =>
		isValid ? (odd.length > 0 ? 'valid, with a warning' : 'valid') : 'not valid';
	const verdicts = checks.map(({ label, result }) => `${label}: ${verdict(result)}`);
	if (mismatches.length > 0) verdicts.push('They do not fit each other');
	return {
		summary: verdicts.join('; '),
		outcome,
		reason,
		valid,
		ready: outcome === 'ready',
		...Object.fromEntries(checks.map(({ name, result }) => [name, particularsOf(result)])),
		errors,
		warnings,
	};
}

/** A result apart from its findings, which come out together in one list. */
const particularsOf = (result: CheckResult): IDataObject =>
	pickBy({ ...result }, (name) => name !== 'errors' && name !== 'warnings');

export const identifier: Resource = {
	name: 'Identifier',
	value: 'identifier',
	operations: [check],
};
