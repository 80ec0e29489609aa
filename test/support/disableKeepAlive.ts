import http from 'node:http';

// A server closes idle connections. A request that leaves on one just then fails, on a busy machine more often.
http.globalAgent = new http.Agent({ keepAlive: false });
