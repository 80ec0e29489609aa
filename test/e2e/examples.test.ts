// One n8n. The examples run before anybody has applied; each of the other parts has persons of its own.
import './oneDemo/examples';
import './oneDemo/applicationForm';
import './oneDemo/decisions';
import './oneDemo/erasure';
