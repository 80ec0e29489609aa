import { isFilled, isObject } from '../utils/json';
import { textOf } from '../utils/text';

/**
 * Whether the body of an answer says that it is an error, on top or under `data`, though its status was 200: by
 * `success`, `ok`, `exito` or `status` false, a status or code of 400 to 599, a status or result error or failed, an
 * error's code or message, or errors that are filled. The names are taken in any case.
 */
export function tellsFailure(answer: unknown): boolean {
	const body: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
	return isObject(body) && [body, body.data].some((level) => isObject(level) && isError(level));
}

const RULES: Array<[names: RegExp, isFailure: (value: unknown) => boolean]> = [
	[/^(success|ok|exito|éxito|exitoso|status)$/, (value) => textOf(value).toLowerCase() === 'false'],
	[/^(status|statuscode|code|codigo|código)$/, (value) => /^[45]\d\d$/.test(textOf(value))],
	[
		/^(status|estatus|result|resultado)$/,
		(value) => /^(error|fail|failed|failure|fallido|fallo)$/i.test(textOf(value).trim()),
	],
	[
		/^(error|errors|errores|errorcode|errormessage)$/,
		(value) =>
			typeof value === 'object'
				? isFilled(value)
				: !/^(0*|false|none|null|ok|no|n\/a)$/i.test(textOf(value).trim()),
	],
];

const isError = (level: object): boolean =>
	Object.entries(level).some(([name, value]) => {
		const plain = name.toLowerCase().replace(/_/g, '');
		return RULES.some(([names, isFailure]) => names.test(plain) && isFailure(value));
	});
