import { UserError, type NodeApiError } from 'n8n-workflow';
import { operation } from '../../shared/operations/field';
import { limit, simplify } from '../../shared/operations/fields';
import { loginOf, storedLogin, type Login } from '../../shared/operations/loginSource';
import type { Item, Resource } from '../../shared/operations/operation';
import { providers } from '../../shared/credentials/providerLogin';
import { redactValues } from '../../shared/utils/redact';
import { sentences } from '../../shared/utils/sentences';
import { recordOf, rowsOf } from '../listing';
import { mappingOf, pathIn, throwUnknownPath } from '../mapping';
import { simplifyLogin } from '../simplify';

const upsert = operation({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a provider login',
	subtitle: 'Store provider login',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	credential: storedLogin,
	fields: { login: loginOf(providers), simplify },
	/** CP §4.1; creates or replaces the organization's login for the provider. */
	async execute(item, { login, simplify: isSimple }) {
		const answer = recordOf(await store(item, login), 'the provider login');
		const record = redactValues(answer, login.secrets);
		return isSimple ? simplifyLogin(record) : record;
	},
});

async function store(item: Item, { provider, login, secrets }: Login) {
	const mapping = await mappingOf(item);
	const path = `/credential/${provider.value}`;
	const body = Object.fromEntries(
		Object.entries(login).map(([name, value]) => [
			name === 'bureauPublicKey' ? (mapping.fields.bureauPublicKey ?? name) : name,
			value,
		]),
	);
	const emptyAs = { id: null, type: provider.value }; // it was taken, and nothing is told of it
	const request = { method: 'POST' as const, path: pathIn(mapping, path), body, secrets, emptyAs };
	return await item.request(request).catch((error: unknown) => {
		const { httpCode, message, description } = error as NodeApiError;
		if (httpCode === '404') return throwUnknownPath(error, path, request.path);
		const hint = httpCode === '400' || httpCode === '422' ? provider.refusedHint : undefined;
		if (!hint) throw error as Error;
		throw new UserError(message, { description: sentences(description, hint) });
	});
}

const getMany = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many provider logins',
	subtitle: 'Get provider logins',
	description: "Get the organization's logins at data providers, without passwords",
	fields: { limit, simplify },
	/** CP §4.2: one array holds them all. */
	async execute(item, { limit: wanted, simplify: isSimple }) {
		const path = pathIn(await mappingOf(item), '/credential');
		const body = await item
			.request({ method: 'GET', path, emptyAs: [] })
			.catch((error: unknown) => throwUnknownPath(error, '/credential', path));
		const rows = rowsOf(body, 'a list of provider logins');
		const logins = rows.slice(0, wanted);
		return isSimple ? logins.map(simplifyLogin) : logins;
	},
});

export const providerLogin: Resource = {
	name: 'Provider Login',
	value: 'providerLogin',
	operations: [getMany, upsert],
};
