import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A fresh user folder of n8n begins with its database; tests set it. */
export const TEMPLATE_FOLDER_VARIABLE = 'CREDIT_PROFILE_N8N_TEMPLATE';
const FILES = /^(config|database\.sqlite.*)$/;

/** Copies n8n's database and its encryption key into another user folder. */
export async function copyDatabaseIntoUserFolder(from: string, to: string): Promise<void> {
	await mkdir(join(to, '.n8n'), { recursive: true });
	const names = (await readdir(join(from, '.n8n'))).filter((name) => FILES.test(name));
	for (const name of names) await copyFile(join(from, '.n8n', name), join(to, '.n8n', name));
}

/** Gives a fresh user folder the database of the template, if there is one: n8n need not make its tables then. */
export async function copyTemplate(userFolder: string): Promise<void> {
	const template = process.env[TEMPLATE_FOLDER_VARIABLE];
	const isFresh = !existsSync(join(userFolder, '.n8n', 'database.sqlite'));
	if (template !== undefined && isFresh) await copyDatabaseIntoUserFolder(template, userFolder);
}
