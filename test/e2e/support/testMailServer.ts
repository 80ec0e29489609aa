import { EventEmitter, once } from 'node:events';
import { MailServer, type Mail } from '../../../demo/mailServer';

/** A mail server that keeps what nobody has read yet. */
export class TestMailServer {
	private readonly arrivals = new EventEmitter();
	private readonly mails: Mail[] = [];
	private server!: MailServer;

	private constructor() {}

	static async start(): Promise<TestMailServer> {
		const mailbox = new TestMailServer();
		mailbox.server = await MailServer.start((mail) => mailbox.take(mail));
		return mailbox;
	}

	get port(): number {
		return this.server.port;
	}

	/** The next mail that nobody has read, once it is there. */
	async nextMail(): Promise<Mail> {
		while (this.mails.length === 0) await once(this.arrivals, 'mail');
		return this.mails.shift() as Mail;
	}

	/** The HTML of the next mail; its text if it has no HTML. */
	async next(): Promise<string> {
		const { html, text } = await this.nextMail();
		return (html || text).replaceAll('&amp;', '&');
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}

	private take(mail: Mail): void {
		this.mails.push(mail);
		this.arrivals.emit('mail');
	}
}
