import { Type, type Static } from '@sinclair/typebox';

const text = Type.String();

/** TQ §4.1: request and response are not shown; these are OAuth 2.0's (RFC 6749, sections 4.4 and 6). */
export const TokenBody = Type.Object({
	grant_type: Type.Optional(
		Type.Union([Type.Literal('client_credentials'), Type.Literal('refresh_token')]),
	),
	client_id: Type.Optional(text),
	client_secret: Type.Optional(text),
	refresh_token: Type.Optional(text),
});
export type TokenBody = Static<typeof TokenBody>;

export const TokenResponse = Type.Object({
	access_token: text,
	token_type: text,
	expires_in: Type.Number(),
	refresh_token: text,
});
