import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

// n8n-core writes its settings into this folder as soon as it is loaded; ignored by git.
const folder = join(__dirname, '../../.test-output/n8n-core', process.env.JEST_WORKER_ID ?? '1');
mkdirSync(folder, { recursive: true });
process.env.N8N_USER_FOLDER = folder;
// n8n-core would print the error of each execution that fails.
process.env.N8N_LOG_LEVEL = 'silent';
