// These parts share one n8n, without queries before the first.
import './oneDemo/smokeTest';
import './oneDemo/taxQueryPanels';
import './oneDemo/schemaPreview';
import './oneDemo/creditProfile';
import './oneDemo/agentTools';
import './oneDemo/httpRequest';
import './oneDemo/sandboxPackage';
import { setDemoSandboxProgram } from './support/sharedDemo';
import { installSandboxPackageOnce } from './support/sandboxPackage';

// The demo does its work with the package of the sandbox; in other files with the sandbox of the sources.
setDemoSandboxProgram(async () => (await installSandboxPackageOnce()).byNpx);
