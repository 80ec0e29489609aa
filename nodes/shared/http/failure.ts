import { isFilled, isObject } from '../utils/json';
import { textOf } from '../utils/text';

/**
 * Whether the body of an answer says that it is an error, on top or under `data`, though its status was 200: by
 * `success`, `ok`, `exito` or `status` false, a status or code of 400 to 599, a status or result error or failed, an
 * error's code or message but for a good word, or errors that are filled. The names are taken in any case.
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
				: !/^(0*|200|false|none|null|no|n\/a|ningun[oa]?)$/i.test(textOf(value).trim()) &&
					!isGoodWord(value),
	],
];

const GOOD = /^(ok|okay|success(ful(ly)?)?|exito|exitos(o|a|amente)|correctamente)$/;
const NEUTRAL = new RegExp(
	`^(${[
		'the|la|el|con|was|fue|operacion|operation|consulta|query|request|solicitud|peticion|proceso|transaccion',
		'completed?|completad[oa]|processed|procesad[oa]|realizad[oa]',
	].join('|')})$`,
);

/** Whether a text says that all is well, and nothing else: Success, Operación exitosa, Sin errores. */
export function isGoodWord(value: unknown): boolean {
	const plain = textOf(value).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
	const short = plain.replace(/\b(no|sin|without)( hay| any)?[\s_]errors?(es)?\b/, 'ok');
	const words = short.match(/[\p{L}\p{N}]+/gu) ?? [];
	const isGood = (word: string) => GOOD.test(word);
	return words.some(isGood) && words.every((word) => isGood(word) || NEUTRAL.test(word));
}

const isError = (level: object): boolean =>
	Object.entries(level).some(([name, value]) => {
		const plain = name.toLowerCase().replace(/_/g, '');
		return RULES.some(([names, isFailure]) => names.test(plain) && isFailure(value));
	});
