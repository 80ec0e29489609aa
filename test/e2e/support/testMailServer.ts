import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** A mail server on 127.0.0.1 that takes every mail and delivers none. */
export class TestMailServer {
	private readonly arrivals = new EventEmitter();
	private readonly mails: string[] = [];
	private readonly smtp = new SMTPServer({
		authOptional: true,
		disabledCommands: ['AUTH', 'STARTTLS'],
		disableReverseLookup: true,
		onData: (stream, _session, callback) => {
			simpleParser(stream).then(({ html, text }) => {
				this.take(html || (text ?? ''));
				callback();
			}, callback);
		},
	});

	private constructor() {}

	static async start(): Promise<TestMailServer> {
		const mailbox = new TestMailServer();
		await once(mailbox.smtp.listen(0, '127.0.0.1'), 'listening');
		return mailbox;
	}

	get port(): number {
		return (this.smtp.server.address() as AddressInfo).port;
	}

	/** The HTML of the next mail that nobody has read, once it is there; its text if it has no HTML. */
	async next(): Promise<string> {
		while (this.mails.length === 0) await once(this.arrivals, 'mail');
		return this.mails.shift() as string;
	}

	async stop(): Promise<void> {
		await new Promise<void>((done) => this.smtp.close(done));
	}

	private take(content: string): void {
		this.mails.push(content.replaceAll('&amp;', '&'));
		this.arrivals.emit('mail');
	}
}
