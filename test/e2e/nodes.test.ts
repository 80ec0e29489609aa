// These parts share one n8n, without queries before the first.
import './oneDemo/onboardingWorkflowsSmokeTest';
import './oneDemo/taxQueryEditorPanels';
import './oneDemo/schemaPreview';
import './oneDemo/creditProfile';
import './oneDemo/nodesAsAgentTools';
import './oneDemo/httpRequestGetsOnlyAuthorization';
import './oneDemo/installedSandboxPackage';
import { setDemoSandboxProgram } from './support/demoOncePerTestFile';
import { installSandboxPackageOnce } from './support/installSandboxPackage';

// The demo does its work with the package of the sandbox; in other files with the sandbox of the sources.
setDemoSandboxProgram(async () => (await installSandboxPackageOnce()).byNpx);
