// These parts share one n8n, which has no webhook credential before the first.
import './oneDemo/triggers';
import './oneDemo/triggerResults';
import './oneDemo/webhookCalls';
