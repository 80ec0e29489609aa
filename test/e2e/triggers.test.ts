// These parts share one n8n, in which nobody has asked before the first, and which has no webhook credential before the second.
import './oneDemo/onboarding';
import './oneDemo/triggers';
import './oneDemo/triggerResults';
