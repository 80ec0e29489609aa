export const isText = (value: unknown): value is string => typeof value === 'string';

export const isFilledText = (value: unknown): value is string => isText(value) && value !== '';

/** A text, number or boolean as text, anything else as ''. (An object's own toString may be hostile, so none is called.) */
export function textOf(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** An ID as text: a text, or a whole number that JSON holds exactly; anything else as ''. */
export const idText = (value: unknown): string =>
	typeof value === 'string' || Number.isSafeInteger(value) ? textOf(value) : '';

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
