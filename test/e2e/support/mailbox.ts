import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** A mail server on 127.0.0.1 that takes every mail and delivers none. */
export class Mailbox {
	private readonly arrivals = new EventEmitter();
	private readonly mails: string[] = [];

	private constructor(private readonly server: Server) {}

	static async start(): Promise<Mailbox> {
		const server = createServer((socket) => {
			let mail: string | undefined;
			let rest = '';
			socket.write('220 mailbox\r\n');
			socket.on('error', () => {});
			socket.on('data', (data) => {
				rest += data.toString();
				for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
					const line = rest.slice(0, end);
					rest = rest.slice(end + 2);
					if (mail !== undefined && line !== '.') mail += `${line}\r\n`;
					else if (mail !== undefined) {
						mailbox.take(mail);
						mail = undefined;
						socket.write('250 taken\r\n');
					} else if (/^DATA/i.test(line)) {
						mail = '';
						socket.write('354 go on\r\n');
					} else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
					else socket.write('250 ok\r\n');
				}
			});
		}).listen(0, '127.0.0.1');
		const mailbox = new Mailbox(server);
		await once(server, 'listening');
		return mailbox;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	/** The next mail that nobody has read, once it is there: its text, encodings undone. */
	async next(): Promise<string> {
		while (this.mails.length === 0) await once(this.arrivals, 'mail');
		return this.mails.shift() as string;
	}

	async stop(): Promise<void> {
		await new Promise((done) => this.server.close(done));
	}

	private take(raw: string): void {
		const text = raw
			.replace(/=\r\n/g, '')
			.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
		this.mails.push(text.replaceAll('&amp;', '&'));
		this.arrivals.emit('mail');
	}
}
