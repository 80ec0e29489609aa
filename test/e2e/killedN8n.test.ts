// These parts share one n8n, which each of them kills or restarts. The last one leaves it with other settings.
import './killedN8n/reruns';
import './killedN8n/trigger';
import './killedN8n/manyResults';
import './killedN8n/importedWorkflow';
