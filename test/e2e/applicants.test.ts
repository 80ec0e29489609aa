// In an n8n where nobody was queried before: it counts what is billed from the first query on.
import './oneDemo/onboardingForm';
