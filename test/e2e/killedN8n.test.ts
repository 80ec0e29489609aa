// These parts share one n8n, which each of them kills or restarts. The last one leaves it with other settings.
import './killedN8n/paidOnce';
import './killedN8n/triggerLifecycle';
import './killedN8n/restartOnlyInterruptedResults';
import './killedN8n/workflowImport';
