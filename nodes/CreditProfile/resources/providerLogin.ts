import type { IDataObject } from 'n8n-workflow';
import { defineOperation, noticeField } from '../../shared/operations/fields';
import { identity, returnAllOrLimit, simplifyField } from '../../shared/operations/commonFields';
import {
	allowEmptyLoginOption,
	loginFieldWithSourceChoice,
	type CheckedProviderLogin,
} from '../../shared/operations/loginField';
import { readsList } from '../../shared/operations/listOperation';
import type { Item, Resource } from '../../shared/operations/operation';
import { mapPath, type CreditProfileMapping } from '../../shared/credentials/apiMapping';
import { providers } from '../../shared/credentials/dataProviders';
import type { ServiceRequest } from '../../shared/http/sendOnce';
import { readSingleRowOrProblem } from '../../shared/http/rows';
import { RequestError } from '../../shared/http/requestError';
import { maskNamed, redactSecretsInValue } from '../../shared/utils/redact';
import { textOf } from '../../shared/utils/primitiveText';
import { rowKinds, rowsBodyParser, requireWantedRows } from '../lists';
import {
	pathKeysOf,
	rethrowWithPathAdvice,
	isInputRefused,
	apiMappingOfItemCredential,
} from '../pathAdvice';
import { loginRules } from '../personalData';
import { simplifyLogin } from '../simplify';

const notice = noticeField(
	'replacesNotice',
	'Replaces the login of the whole organization at this provider.',
);

const upsert = defineOperation({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update provider login',
	tool: 'Store the login of the organization at a data provider. It replaces the login there. Passwords come from the credential.',
	subtitle: 'Store provider login',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	fields: { notice, login: loginFieldWithSourceChoice(providers, 'creditProfileApi') },
	options: { simplify: simplifyField, allowEmptyOption: allowEmptyLoginOption },
	isSending: true,
	/** CP §4.1; creates or replaces the organization's login for the provider. */
	async execute(item, { login, simplify: isSimple }) {
		const mapping = await apiMappingOfItemCredential(item);
		const { clientKey } = await item.connection();
		return {
			async next() {
				const row = await store(item, login, mapping, clientKey);
				warnOnMismatch(item, login, row);
				return item.protect(withoutPasswords(row, login.secrets), loginRules, (safe) =>
					isSimple ? { action: actionOf(row), ...simplifyLogin(safe) } : safe,
				);
			},
		};
	},
});

/**
 * A row of CP §2.1 has an ID, one more required field, and a third documented field or nothing else. An error may
 * have an ID and a type, too.
 */
function isCredential(value: unknown): value is IDataObject {
	if (!rowKinds.login.isRow(value) || !/^\d+$/.test(textOf(value.id))) return false;
	const names = Object.keys(value);
	const documented = names.filter((name) => Object.hasOwn(loginRules, name)).length;
	return documented === names.length || documented > 2;
}

/** A new row was updated when it was created. */
function actionOf({ createdAt, updatedAt }: IDataObject): string | null {
	const [created, updated] = [createdAt, updatedAt].map((date) => Date.parse(textOf(date)));
	if (Number.isNaN(created + updated)) return null;
	return updated - created < 1000 ? 'created' : 'updated';
}

/** The names of CP §4.1 in lower case. */
const LOGIN_PASSWORD_FIELDS = ['password', 'token', 'apikey', 'clientprivatekey'];

/** The service's own fields of a row, even if a short password is part of their values. */
const LOGIN_ROW_FIELDS = ['id', 'createdAt', 'updatedAt'];

/** The row as it may come out: without passwords, and without what was typed in as one. */
function withoutPasswords(row: IDataObject, secrets: string[] = []): IDataObject {
	const safe = redactSecretsInValue(
		maskNamed(row, LOGIN_PASSWORD_FIELDS, []) as IDataObject,
		secrets,
	);
	for (const key of LOGIN_ROW_FIELDS) if (key in row) safe[key] = row[key];
	return safe;
}

function warnOnMismatch(
	item: Item,
	{ provider, login }: CheckedProviderLogin,
	row: IDataObject,
): void {
	const sent = login.user ?? login.username;
	const warnings = [
		sent && row.user && row.user !== sent && 'shows another user',
		row.isEnabled === false && 'says that it is not enabled',
	].filter(Boolean);
	if (warnings.length === 0) return;
	item.run.hint(
		`The login for ${provider.name} was saved, but the response ${warnings.join(', ')}. Provider Login → Get Many shows what is stored.`,
	);
}

async function store(
	item: Item,
	{ provider, login, secrets }: CheckedProviderLogin,
	mapping: CreditProfileMapping,
	clientKey: string,
): Promise<IDataObject> {
	const path = `/credential/${provider.value}`;
	const { bureauPublicKey, ...others } = login;
	const keyName = mapping.fields.bureauPublicKey ?? 'bureauPublicKey';
	const body = { ...others, ...(bureauPublicKey !== undefined && { [keyName]: bureauPublicKey }) };
	const request = {
		method: 'POST' as const,
		path: mapPath(mapping, path),
		pathKeys: pathKeysOf(path),
		body,
		secrets,
	};
	return await sendSequentially(item, request, clientKey)
		.catch(rethrowWithPathAdvice)
		.catch((error: unknown) => {
			if (!isInputRefused(error) || !provider.refused) throw error;
			throw error.withAdvice(provider.refused);
		});
}

/** Sends it once. For whatever else than the row nobody knows whether the login was saved. */
async function postLogin(item: Item, request: ServiceRequest): Promise<IDataObject> {
	const saved = { isRow: isCredential, expected: 'the saved provider login' };
	const reading = item.read(request, (body) => readSingleRowOrProblem(body, saved));
	const { row } = await reading.catch((error: unknown) => {
		if (!(error instanceof RequestError) || error.accepted === 'no') throw error;
		throw error.withAdvice({ meaning: 'savedUnknown' });
	});
	return row;
}

/** Keeps the last login that a run sent to each account and path. */
const lastByPath = () => new Map<string, { body: string; row: Promise<IDataObject> }>();

/**
 * Sends a login after that of the previous item has ended, since the last item's login is to remain. An equal login
 * is not sent again. Call it in the order of the items.
 */
async function sendSequentially(
	item: Item,
	request: ServiceRequest,
	clientKey: string,
): Promise<IDataObject> {
	const place = `${clientKey} ${request.path}`;
	const last = item.run.shared(lastByPath);
	const before = last.get(place);
	const body = JSON.stringify(request.body);
	if (before?.body === body) return await before.row;
	const send = async () => await postLogin(item, request);
	// The pause lets a failure end the run first, so that nothing more is sent.
	const row = before ? before.row.then(send, async () => await item.wait(1).then(send)) : send();
	last.set(place, { body, row });
	return await row;
}

const getMany = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many provider logins',
	tool: 'List the logins of the organization at data providers, without passwords. It only reads. No fields.',
	subtitle: 'Get provider logins',
	description: "Get the organization's logins at data providers, without passwords",
	fields: { limit: returnAllOrLimit },
	options: { simplify: simplifyField },
	/** CP §4.2: one array holds them all. */
	async execute(item, { limit, simplify: isSimple }) {
		const path = mapPath(await apiMappingOfItemCredential(item), '/credential');
		const request = { method: 'GET' as const, path, pathKeys: pathKeysOf('/credential') };
		const page = await item.read(request, rowsBodyParser('login')).catch(rethrowWithPathAdvice);
		const shape = isSimple ? simplifyLogin : identity;
		return requireWantedRows(page, limit).map((login) =>
			item.protect(withoutPasswords(login), loginRules, shape),
		);
	},
});

export const providerLogin: Resource = {
	name: 'Provider Login',
	value: 'providerLogin',
	operations: [readsList(getMany), upsert],
};
