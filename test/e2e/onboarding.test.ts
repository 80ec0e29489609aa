// One n8n. Each part has persons of its own. The last two restart n8n and kill it.
import './oneDemo/applicationForm';
import './oneDemo/decisions';
import './oneDemo/erasure';
import './oneDemo/applicationLife';
import './oneDemo/manyApplications';
