import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core writes its settings into this folder as soon as it is loaded.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'n8n-core-'));
