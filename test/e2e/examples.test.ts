// One n8n. The examples run before anybody has applied; each of the other parts has persons of its own.
import './oneDemo/examplesInEditor';
import './oneDemo/onboardingForm';
import './oneDemo/onboardingOperatorDecisions';
import './oneDemo/onboardingErasure';
