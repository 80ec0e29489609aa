// An n8n of its own: a person follows the tutorial in one where nobody has asked anything yet, and changes its examples.
import './oneDemo/tutorial';
