// Starts an n8n of its own, in which a person follows the tutorial without earlier queries, and changes its examples.
import './oneDemo/tutorial';
import './oneDemo/documentationLinks';
