/** A text, number or boolean as text, anything else as ''. (An object's own toString may be hostile, so none is called.) */
export function textOf(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
