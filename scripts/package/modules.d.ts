declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	export const SOURCE_FILE_PATTERNS: string[];
	export function buildScanConfig(): Promise<import('eslint').Linter.Config[]>;
}

// Their own types are out of reach of this tree's `moduleResolution`.
declare module 'publint' {
	export interface Message {
		code: string;
	}
	export function publint(options: {
		pkgDir: string;
		pack: false;
	}): Promise<{ messages: Message[]; pkg: object }>;
}

declare module 'publint/utils' {
	export function formatMessage(
		message: import('publint').Message,
		pkg: object,
	): string | undefined;
}
