// These parts share one n8n. Nobody asked anything before the first, which takes minutes as a person does; the second kills n8n.
import './oneDemo/tutorial';
import './oneDemo/examples';
