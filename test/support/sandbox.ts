import axios from 'axios';
import { startSandbox, type SandboxOptions } from '../../sandbox';
import type { FaultRule } from '../../sandbox/plugins/faults';
import type { LoggedRequest } from '../../sandbox/plugins/requestLog';
import type { Credentials } from './runNodeInEngine';

/** A running sandbox, with what a test says to it and asks of it over HTTP. */
export async function startSandboxWithHelpers(options: Partial<SandboxOptions> = {}) {
	const sandbox = await startSandbox(options);
	const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
	return {
		...sandbox,
		control,
		/** Fresh n8n credentials for both services; override what the test is about. */
		credentials(
			overrides: { creditProfileApi?: object; taxQueryApi?: object } = {},
		): Required<Credentials> {
			return {
				creditProfileApi: {
					baseUrl: sandbox.creditProfile.baseUrl,
					apiToken: sandbox.creditProfile.token,
					...overrides.creditProfileApi,
				},
				taxQueryApi: {
					baseUrl: sandbox.taxQuery.baseUrl,
					grant: 'clientCredentials',
					clientId: sandbox.taxQuery.clientId,
					clientSecret: sandbox.taxQuery.clientSecret,
					pointsPerSecond: 10,
					accessToken: '',
					...overrides.taxQueryApi,
				},
			};
		},
		async faults(...rules: FaultRule[]) {
			await control.put('/faults', rules);
		},
		/** The requests that reached the services so far, oldest first; those of one path if it is given. */
		async requests(path?: string): Promise<LoggedRequest[]> {
			const { data } = await control.get<LoggedRequest[]>('/requests');
			return data.filter((request) => path === undefined || request.path === path);
		},
		/** Back to a calm sandbox with an empty request log. */
		async reset() {
			await control.put('/faults', []);
			await control.delete('/requests');
		},
	};
}

export type TestSandbox = Awaited<ReturnType<typeof startSandboxWithHelpers>>;
