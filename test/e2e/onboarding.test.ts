// One n8n. Each part has persons of its own. The last one restarts n8n.
import './oneDemo/applicationForm';
import './oneDemo/decisions';
import './oneDemo/erasure';
import './oneDemo/applicationLife';
