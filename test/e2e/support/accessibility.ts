import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of WCAG 2.1 A and AA, without axe-core's own best practices. */
export const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** Each text has the rule and the elements. `tags` limits the rules; all by default. */
export async function violationsOf(page: Page, tags?: string[]): Promise<string[]> {
	const options = tags ? JSON.stringify({ runOnly: tags }) : '{}';
	await page.evaluate(axe);
	return await page.evaluate<string[]>(
		`axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
	);
}
