import type { IDataObject } from 'n8n-workflow';
import type { Item, ItemError, Run } from '../../shared/operations/operation';
import { sentences } from '../../shared/utils/sentences';
import { queryIdOf } from '../queries';
import type { Outcome } from './output';

/** n8n keeps 512 characters of one value, and warns in its log from 256 on. */
const METADATA_LENGTH = 255;
const WARNINGS_TOLD = 3;
const IDS_TOLD = 50;
/** An RFC or a CURP somewhere in a text: neither goes into the metadata of an execution. */
const IDENTIFIER = /[A-ZÑ&]{3,4}[\s-]?\d{6}/i;

/** What surely is an own ID, where personal data is protected: no name, address, phone (10 digits) or NSS (11). */
const OWN_ID = /^(?=.*\d)(?!\d{10,11}$)[\w.:/#-]+$/;
/** A text as the item's own output shows it. */
const shown = ({ protect }: Item, text: string) => String(protect({ text }).text);

/** What a run has spent: told in the output pane, kept with the execution, and added to its error. */
export class Receipt {
	private readonly counts = { sent: 0, recovered: 0, kept: 0, reused: 0 };
	private readonly accepted: Array<{ index: number; id: string }> = [];
	private readonly references = new Set<string>();
	private readonly warnings: string[] = [];
	private readonly notes = new Set<string>();
	private warned = 0;
	/** How many queries, by item. */
	private readonly doubtful = new Map<number, number>();
	private pending = 0;
	private reusesByDefault = false;
	/** What is pending is reused by the next click. */
	private isBuilding = false;

	constructor(private readonly run: Run) {
		run.atEnd((error, failed) => this.end(error, failed));
	}

	/** Queries that an item has got, paid for in this execution or before. */
	take(
		item: Item,
		outcomes: Outcome[],
		externalReference: unknown,
		reusesByDefault: boolean,
	): void {
		for (const { how, query } of outcomes) {
			this.counts[how]++;
			const id = queryIdOf(query);
			if (how !== 'reused' && id !== undefined) {
				this.accepted.push({ index: item.index, id: shown(item, id) });
			}
		}
		this.isBuilding ||= reusesByDefault && this.run.mode === 'manual';
		this.reusesByDefault ||= reusesByDefault && outcomes.some(({ how }) => how === 'reused');
		if (typeof externalReference === 'string' || typeof externalReference === 'number') {
			const reference = String(externalReference);
			const isProtected = item.protect({ name: reference }).name !== reference;
			if (!isProtected || OWN_ID.test(reference)) this.references.add(shown(item, reference));
		}
	}

	/** Queries of an item of which nobody knows whether they were accepted. */
	doubt(index: number, count: number): void {
		this.doubtful.set(index, (this.doubtful.get(index) ?? 0) + count);
	}

	/** Something that the operator should know of the run as a whole. */
	note(text: string | undefined): void {
		if (text !== undefined) this.notes.add(text);
	}

	/** Items that come out. */
	give(item: Item, rows: IDataObject[]): void {
		for (const { pending, statusUnknown, warnings } of rows) {
			if (pending === true || statusUnknown === true) this.pending++;
			if (!Array.isArray(warnings) || warnings.length === 0) continue;
			this.warned++;
			const [{ field, message }] = warnings as IDataObject[];
			this.warnings.push(`Item ${item.index}: ${String(field)}: ${shown(item, String(message))}`);
		}
	}

	private end(error?: ItemError, failed = 0): void {
		this.writeMetadata();
		if (error) error.description = sentences(error.description, ...this.spentBefore(error));
		const { sent, recovered, kept, reused } = this.counts;
		const doubtful = [...this.doubtful.values()].reduce((sum, count) => sum + count, 0);
		const told = [
			counted(sent, 'query sent', 'queries sent'),
			counted(recovered, 'recovered', 'recovered'),
			counted(kept, 'read again instead of paid again', 'read again instead of paid again'),
			counted(reused, 'reused', 'reused'),
			counted(this.pending, 'still pending', 'still pending'),
			counted(doubtful, 'may have been accepted', 'may have been accepted'),
			counted(this.warned, 'with a warning', 'with a warning'),
			counted(failed, 'failed: see the column error', 'failed: see the column error'),
		].filter((text) => text !== '');
		if (told.length === 0) return;
		const canWait = this.isBuilding && this.warned === 0 && this.notes.size === 0;
		this.run.hint(
			sentences(
				told.join(', '),
				this.reusesByDefault
					? 'While building, results (not failures) of the last 24 hours are reused; production pays (Reuse Results)'
					: '',
				this.pending > 0
					? `Pending: collect the results with the Tax Query Trigger, or later with Query → Get${canWait ? ', or run this step again with Wait for Result on: the query is reused, not paid again' : ''}`
					: '',
				doubtful > 0
					? 'May have been accepted: the error of the item says how to look for it, before it is sent again'
					: '',
				...this.notes,
				...this.warnings.slice(0, WARNINGS_TOLD),
			),
		);
	}

	/** What an error does not say itself: what the other items are charged for. */
	private spentBefore({ context, description }: ItemError): string[] {
		const accepted = this.accepted
			.filter(({ index, id }) => index !== context.itemIndex || !description?.includes(id))
			.map(({ id }) => id);
		const doubtful = [...this.doubtful.keys()].filter((index) => index !== context.itemIndex);
		return [
			accepted.length > 0
				? `Accepted before that, and paid for: ${first(accepted)}. Retrying this execution reads them and does not pay again`
				: '',
			doubtful.length > 0
				? `May have been accepted and billed, too: item ${first(doubtful)}. Retrying this execution looks for it; a new one asks, and may pay, again`
				: '',
		];
	}

	/** So that "which run paid for this query?" is a filter in the list of executions. */
	private writeMetadata(): void {
		const { metadata } = this.run;
		if (!metadata || this.accepted.length === 0) return;
		const joined = (key: string, values: string[]) => {
			const before = (metadata.get(key) ?? '').split(' ');
			const all = [...new Set([...before, ...values])].filter(Boolean).join(' ');
			if (all.length <= METADATA_LENGTH) return all;
			return all.slice(0, all.lastIndexOf(' ', METADATA_LENGTH));
		};
		const references = [...this.references].filter((reference) => !IDENTIFIER.test(reference));
		const paid =
			this.counts.sent + this.counts.recovered + Number(metadata.get('paidQueries') || 0);
		metadata.setAll({
			paidQueries: String(paid),
			queryIds: joined(
				'queryIds',
				this.accepted.map(({ id }) => id),
			),
			...(references.length > 0 && {
				externalReference: joined('externalReference', references),
			}),
		});
	}
}

const first = (all: Array<string | number>) =>
	all.slice(0, IDS_TOLD).join(', ') + (all.length > IDS_TOLD ? ' …' : '');

const counted = (count: number, one: string, many: string) =>
	count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
