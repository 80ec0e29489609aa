// These parts share one n8n, without queries before the first.
import './oneDemo/demo';
import './oneDemo/taxQuery';
import './oneDemo/schemaPreview';
import './oneDemo/creditProfile';
import './oneDemo/agents';
import './oneDemo/credentials';
import './oneDemo/mapping';
import './oneDemo/sandboxPackage';
import { demoWithSandbox } from './support/oneDemo';
import { theSandboxPackage } from './support/sandboxPackage';

// The demo does its work with the package of the sandbox; in other files with the sandbox of the sources.
demoWithSandbox(async () => (await theSandboxPackage()).byNpx);
