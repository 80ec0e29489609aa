// These parts share one n8n. Each has persons of its own, but the last moves to a new n8n.
import './oneDemo/onboardingOperatorDecisions';
import './oneDemo/onboardingErasure';
