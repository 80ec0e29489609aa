// These parts share one n8n, which both kill.
import './killedN8n/paidOnce';
import './killedN8n/triggerLife';
import './killedN8n/restartInMasses';
