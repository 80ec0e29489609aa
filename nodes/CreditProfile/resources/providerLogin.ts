import { UserError, type IDataObject, type NodeApiError } from 'n8n-workflow';
import { operation } from '../../shared/operations/field';
import { limit, simplify } from '../../shared/operations/fields';
import { loginOf, storedLogin, type Login } from '../../shared/operations/loginSource';
import type { Item, Resource } from '../../shared/operations/operation';
import { pathIn, type CreditProfileMapping } from '../../shared/credentials/apiMapping';
import { providers, type Provider } from '../../shared/credentials/providerLogin';
import { tellsFailure } from '../../shared/http/failure';
import type { ServiceRequest } from '../../shared/transport/request';
import { creditProfile } from '../../shared/transport/service';
import { isObject } from '../../shared/utils/json';
import { redactValues } from '../../shared/utils/redact';
import { sentences } from '../../shared/utils/sentences';
import { messageOfService } from '../../shared/utils/serviceMessage';
import { textOf } from '../../shared/utils/text';
import { hintAtMore, recordOf, rowsOf, tellsNothing, withoutExpected } from '../listing';
import { mappingOf, throwUnknownPath } from '../mapping';
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
		const mapping = await mappingOf(item);
		return {
			async next() {
				const answer = await store(item, login, mapping);
				const record = redactValues(storedIn(item, login, answer), login.secrets);
				hintAtDoubts(item, login, mapping, { record, answer });
				return isSimple ? simplifyLogin(record) : record;
			},
		};
	},
});

/** What comes out where a login was taken and is not shown. */
const unseen = ({ provider }: Login) => ({ id: null, type: provider.value });

function confirmed(item: Item, login: Login, answer: unknown): IDataObject {
	const said = messageOfService(answer, login.secrets);
	item.run.hint(
		sentences('The service took the login without showing it: Get Many tells what is stored', said),
	);
	return unseen(login);
}

function storedIn(item: Item, login: Login, answer: IDataObject | IDataObject[]): IDataObject {
	if (!tellsNothing(answer)) return recordOf(answer, 'the provider login', login.secrets);
	if (isObject(answer)) return confirmed(item, login, answer);
	throw withoutExpected('the provider login', creditProfile.unsureHint);
}

/** Letters and digits of a provider's path, of which a login's type may be made (not shown, CP §2.1). */
const plainPath = (path: string) => path.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Tells of what an answer shows otherwise than it was sent; what is masked, or not shown, is no difference. */
function hintAtDoubts(
	item: Item,
	{ provider, login, secrets }: Login,
	mapping: CreditProfileMapping,
	{ record, answer }: { record: IDataObject; answer: unknown },
): void {
	const [sent = '', user] = [login.user ?? login.username, textOf(record.user)].map((one) =>
		one?.trim().toLowerCase(),
	);
	const isShown = sent && user && !/[*•·…#]|x{3}/.test(user);
	const isNamed = ({ value }: Provider) =>
		[value, pathIn(mapping, value)].map(plainPath).includes(plainPath(textOf(record.type)));
	const hasFailed = tellsFailure(answer);
	const doubts = [
		isShown && user !== sent && 'shows another user',
		!isNamed(provider) && providers.some(isNamed) && 'shows another type',
		textOf(record.isEnabled).toLowerCase() === 'false' && 'says that it is not enabled',
		hasFailed && 'tells of an error',
	].filter(Boolean);
	if (doubts.length === 0) return;
	item.run.hint(
		sentences(
			`The service took the login for ${provider.name}, but its answer ${doubts.join(', ')}`,
			'Provider Login → Get Many tells what is stored',
			hasFailed ? messageOfService(answer, secrets) : '',
		),
	);
}

async function store(item: Item, wanted: Login, mapping: CreditProfileMapping) {
	const { provider, login, secrets } = wanted;
	const path = `/credential/${provider.value}`;
	const body = Object.fromEntries(
		Object.entries(login).map(([name, value]) => [
			name === 'bureauPublicKey' ? (mapping.fields.bureauPublicKey ?? name) : name,
			value,
		]),
	);
	const emptyAs = unseen(wanted);
	const request = { method: 'POST' as const, path: pathIn(mapping, path), body, secrets, emptyAs };
	return await inTurn(item, request).catch((error: unknown) => {
		const { httpCode, message, description } = error as NodeApiError;
		if (httpCode === '404') return throwUnknownPath(error, path, request.path);
		const hint = httpCode === '400' || httpCode === '422' ? provider.refusedHint : undefined;
		if (!hint) throw error as Error;
		throw new UserError(message, { description: sentences(description, hint) });
	});
}

const STORED =
	/\b(?:accepted|created|updated|stored|saved|success(?:ful|fully)?|succeeded|ok|done|processed|received|queued|true|20[0-4]|aceptad[oa]|cread[oa]|actualizad[oa]|guardad[oa]|registrad[oa]|almacenad[oa]|recibid[oa]|exito|exitos[oa]|exitosamente|correctamente)\b/i;
const NOT_STORED =
	/\b(?:false|no|not|cannot|never|already|ya|must|should|debe|sin|without|pero|but|unsuccessful\w*)\b|n't|invalid|incorrect[ao]?\b|unauthor|reject|rechaz|refus|den(?:y|ied|eg)|fail|fall[oa]|error|wrong|expir|forbid|block|bloque|unable|imposible/i;

/** Throws a UserError if a status 200 without a row neither says that the login was stored nor shows its user. */
function mustSayStored(
	answer: IDataObject | IDataObject[],
	{ secrets, body }: Pick<ServiceRequest, 'body'> & { secrets: string[] },
): void {
	if (!isObject(answer) || !tellsNothing(answer) || answer.success === true) return;
	const told: string[] = [];
	const text = JSON.stringify(answer, (_name, value: unknown) => {
		if (typeof value !== 'object') told.push(textOf(value).replace(/_/g, ' ').trim());
		return value;
	});
	const said = told.join(', ').normalize('NFD').replace(/\p{M}/gu, '');
	const isEcho = isObject(body) && Object.values(body).includes(answer.user ?? '');
	const isGood = STORED.test(said) || isEcho;
	if (told.every((one) => one === '') || (isGood && !NOT_STORED.test(said))) return;
	throw new UserError('Nobody knows whether the provider login was stored', {
		description: sentences(
			'Look with Provider Login → Get Many before you send it again',
			messageOfService(answer, secrets) || messageOfService(text, secrets),
		),
	});
}

/** Of each path of a run what was sent last, and what came of it. */
const lastByPath = () => new Map<string, { body: string; answer: ReturnType<Item['request']> }>();

/**
 * Sends it once the one of the item before has ended, for the last item is to be the one that stays. The same login
 * again is not sent again. To be called in the items' order.
 */
async function inTurn(item: Item, request: ServiceRequest & { secrets: string[] }) {
	const last = item.run.shared(lastByPath);
	const before = last.get(request.path);
	const body = JSON.stringify(request.body);
	if (before?.body === body) return await before.answer;
	const send = async () => {
		let status = 0;
		const onAnswer = (told: { status: number }) => void ({ status } = told);
		const answer = await item.request({ ...request, onAnswer });
		if (status === 200) mustSayStored(answer, request);
		return answer;
	};
	// The pause lets a failure end the run first, so that nothing more is sent.
	const answer = before
		? before.answer.then(send, async () => await item.wait(1).then(send))
		: send();
	last.set(request.path, { body, answer });
	return await answer;
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
		if (wanted > rows.length) hintAtMore(item, body, 'provider logins', rows.length);
		const logins = rows.slice(0, wanted);
		return isSimple ? logins.map(simplifyLogin) : logins;
	},
});

export const providerLogin: Resource = {
	name: 'Provider Login',
	value: 'providerLogin',
	operations: [getMany, upsert],
};
