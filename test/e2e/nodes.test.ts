// These parts share one n8n. Nobody asked anything before the first.
import './oneDemo/demo';
import './oneDemo/taxQuery';
import './oneDemo/creditProfile';
import './oneDemo/agents';
import './oneDemo/credentials';
import './oneDemo/mapping';
