import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** A mail as it arrived. */
export interface Mail {
	to: string;
	subject: string;
	/** The text of a person's mail program that shows no HTML. */
	text: string;
	/** Empty if the mail has none. */
	html: string;
}

/** A mail server on 127.0.0.1 that takes every mail and delivers none. */
export class MailServer {
	private constructor(private readonly smtp: SMTPServer) {}

	/** Listens on a free port, unless one is given. */
	static async start(onMail: (mail: Mail) => void, port = 0): Promise<MailServer> {
		const smtp = new SMTPServer({
			authOptional: true,
			disabledCommands: ['AUTH', 'STARTTLS'],
			disableReverseLookup: true,
			onData: (stream, session, callback) => {
				simpleParser(stream).then(({ subject = '', text = '', html }) => {
					const to = session.envelope.rcptTo.map(({ address }) => address).join(', ');
					onMail({ to, subject, text, html: html || '' });
					callback();
				}, callback);
			},
		});
		await once(smtp.listen(port, '127.0.0.1'), 'listening');
		return new MailServer(smtp);
	}

	get port(): number {
		return (this.smtp.server.address() as AddressInfo).port;
	}

	async stop(): Promise<void> {
		await new Promise<void>((done) => this.smtp.close(done));
	}
}

/** Returns what a person at a terminal needs of a mail: whom it is for, what it says, and where its buttons lead. */
export function printedMail({ to, subject, text, html }: Mail): string {
	const links = [...html.matchAll(/href=["']([^"']+)["'][^>]*>\s*([^<]*)/g)]
		.map(([, link, label]) => ({ link: link.replaceAll('&amp;', '&'), label: label.trim() }))
		.filter(({ link }) => !text.includes(link))
		.map(({ link, label }) => `${label}: ${link}`);
	const lines = [`Mail to ${to}: ${subject}`, ...text.trim().split('\n'), ...links];
	return lines.map((line, index) => (index === 0 ? line : `  ${line}`)).join('\n');
}
