import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	ILoadOptionsFunctions,
	INodeCredentialTestResult,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { connect } from '../shared/request';
import { creditProfile } from '../shared/service';
import { encodeFilter } from './filter';
import { pageOf, tagsOf } from './listing';
import { checkLogin, providers, taxAuthority } from './providers';

const LIST_PAGE = 50;

/**
 * The collections for the "From List" of a resource locator, a page at a time; `text` is searched by the service
 * itself (§4.4, name__like), `token` is the offset of the page.
 */
export async function searchCollections(
	this: ILoadOptionsFunctions,
	text?: string,
	token?: string,
): Promise<INodeListSearchResult> {
	const options = (this.getCurrentNodeParameter('options') ?? {}) as IDataObject;
	const { query, lists } = encodeFilter(text ? { name__like: text } : {}, options);
	const offset = Number(token ?? 0);
	const { send } = await connect(this, creditProfile);
	const answer = await send({
		method: 'GET',
		path: '/data/collection',
		query: { ...query, limit: LIST_PAGE, offset },
		lists,
	});
	const { rows, total } = pageOf(answer, 'data');
	const next = offset + rows.length;
	return {
		results: rows.map(({ id, name }) => ({ name: String(name), value: id as number })),
		...(rows.length > 0 && next < total && { paginationToken: String(next) }),
	};
}

/** §4.3: the tags that collections have. */
export async function getCollectionTags(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const { send } = await connect(this, creditProfile);
	const tags = tagsOf(await send({ method: 'GET', path: '/data/collection/tags' }));
	return tags.map((tag) => ({ name: tag, value: tag }));
}

/** Tests a stored provider login offline: only its shape, so that no login is tried at the provider. */
export async function testProviderLogin(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const provider = [...providers, taxAuthority].find(({ value }) => value === data.provider);
	if (!provider) return { status: 'Error', message: 'Choose a provider from the list' };
	try {
		checkLogin(provider, data as IDataObject);
		return { status: 'OK', message: 'The login is complete; it was not tried at the provider' };
	} catch (error) {
		return { status: 'Error', message: (error as Error).message };
	}
}
