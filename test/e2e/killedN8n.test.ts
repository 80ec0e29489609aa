// These parts share one n8n, which each of them kills or restarts. The last one leaves it with other settings.
import './killedN8n/rerunsBilledOnce';
import './killedN8n/triggerStartsEachResultOnce';
import './killedN8n/restartOnlyInterruptedResults';
import './killedN8n/workflowReplacedByImport';
