import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinished, type Execution, type ExecutionError, type NodeExecution } from './n8nClient';
import { toApplicantFormFields, postApplication } from './submitN8nForm';
import { applicationFormUrl, type CreatedWorkflow } from './provision';
import type { Demo } from './startDemo';

const EXECUTION_TIMEOUT_MS = 300_000;
const RESULT_TIMEOUT_MS = 300_000;

interface Step {
	name: string;
	workflow: string;
	executionId: string;
	status: string;
	outcome: string;
}

export interface SmokeTestReport {
	n8nVersion: string;
	steps: Step[];
	/** The record that came out of the collecting workflow, with the query id that the onboarding run got. */
	asyncResult: ({ queryId: string; executionId: string } & Record<string, unknown>) | null;
	ok: boolean;
	problem: string | null;
}

/** The node Outcome of Verify applicant puts it out. */
interface VerificationOutcome {
	facts?: { consultaCrf: string };
	state?: { motivo: string };
}

export const applicantJsonFile = join(__dirname, 'applicant.json');

const itemsOf = (run: NodeExecution) => (run.data?.main ?? []).flatMap((items) => items ?? []);

const messageOf = ({ message, description }: ExecutionError) =>
	description ? `${message} (${description})` : message;

function outcomeOf(run: NodeExecution): string {
	if (run.error) return messageOf(run.error);
	const items = itemsOf(run);
	const { outcome, queryId } = items[0]?.json ?? {};
	if (queryId)
		return `query ${String(queryId)} ${outcome === 'result' ? 'has its result' : 'accepted'}`;
	return items.length === 1 ? '1 item' : `${items.length} items`;
}

function stepsOf(workflow: string, execution: Execution): Step[] {
	return Object.entries(execution.data?.resultData.runData ?? {})
		.flatMap(([name, runs]) => runs.map((run) => ({ name, run })))
		.sort(
			(a, b) => a.run.startTime - b.run.startTime || a.run.executionIndex - b.run.executionIndex,
		)
		.map(({ name, run }) => ({
			name,
			workflow,
			executionId: execution.id,
			status: run.executionStatus,
			outcome: outcomeOf(run),
		}));
}

const reasonOf = ({ data }: Execution) =>
	data?.resultData.error && messageOf(data.resultData.error);

/** Only an execution that succeeded has one. */
function resultOf({ status, data }: Execution): Record<string, unknown>[] {
	if (status !== 'success' || !data?.resultData.lastNodeExecuted) return [];
	return data.resultData.runData[data.resultData.lastNodeExecuted]
		.flatMap(itemsOf)
		.map(({ json }) => json);
}

/**
 * Submits one applicant to the onboarding workflow as a form would, and waits until the result that comes
 * later has gone through the collecting workflow. Never throws for what the workflows do: the report says it.
 */
export async function smokeTestRunningDemo(
	{ n8n, workflows }: Demo,
	log: (line: string) => void,
): Promise<SmokeTestReport> {
	const named = (file: string) => workflows.get(file) as CreatedWorkflow;
	const onboarding = named('onboard-applicant');
	const verifying = named('verify-applicant');
	const collecting = named('collect-query-results');
	const report: SmokeTestReport = {
		n8nVersion: await n8n.client.version(),
		steps: [],
		asyncResult: null,
		ok: false,
		problem: null,
	};

	/** The first finished execution of a workflow that is not among `before` and suits; undefined when time is over. */
	const next = async (
		workflow: CreatedWorkflow,
		before: Set<string> = new Set(),
		timeout: number,
		suits: (execution: Execution) => boolean = () => true,
	) => {
		for (const deadline = Date.now() + timeout; Date.now() < deadline; await sleep(250)) {
			const found = (await n8n.client.executions(workflow.id)).find(
				(execution) => !before.has(execution.id) && isFinished(execution) && suits(execution),
			);
			if (found) {
				report.steps.push(...stepsOf(workflow.name, found));
				return found;
			}
		}
		return undefined;
	};
	const idsOf = async (workflow: CreatedWorkflow) =>
		new Set((await n8n.client.executions(workflow.id)).map(({ id }) => id));
	const failed = (problem: string) => ({ ...report, problem });

	const known = new Map<CreatedWorkflow, Set<string>>();
	for (const workflow of [onboarding, verifying, collecting]) {
		known.set(workflow, await idsOf(workflow));
	}

	log(`Submitting an applicant to "${onboarding.name}" …`);
	const applicant = JSON.parse(await readFile(applicantJsonFile, 'utf8')) as Record<string, string>;
	const page = postApplication(applicationFormUrl(n8n), toApplicantFormFields(applicant)).catch(
		({ message }: Error) => message,
	);
	const runs: Execution[] = [];
	for (const workflow of [onboarding, verifying]) {
		const run = await next(workflow, known.get(workflow), EXECUTION_TIMEOUT_MS);
		if (!run) return failed(`"${workflow.name}" did not run: ${await page}`);
		if (run.status !== 'success') {
			const reason = reasonOf(run) ?? (await page);
			return failed(`"${workflow.name}" ended with ${run.status}: ${reason}`);
		}
		runs.push(run);
	}

	const outcome = runs[1].data?.resultData.runData.Outcome?.flatMap(itemsOf).at(0)?.json;
	const { facts, state } = (outcome ?? {}) as unknown as VerificationOutcome;
	if (!facts?.consultaCrf) {
		const reason = state?.motivo ?? 'the case had no outcome';
		return failed(`"${verifying.name}" set the applicant aside: ${reason}`);
	}
	const crfQueryId = facts.consultaCrf;
	log(`The application is taken; waiting for the result of query ${crfQueryId} …`);
	const collected = await next(
		collecting,
		known.get(collecting),
		RESULT_TIMEOUT_MS,
		(execution) =>
			execution.status !== 'success' ||
			resultOf(execution).some(({ queryId }) => queryId === crfQueryId),
	);
	if (!collected) {
		return failed(
			`No result of query ${crfQueryId} came out of "${collecting.name}" within ${RESULT_TIMEOUT_MS / 1000} s`,
		);
	}
	const record = resultOf(collected).find(({ queryId }) => queryId === crfQueryId);
	if (!record) {
		const reason = reasonOf(collected) ?? 'no reason given';
		return failed(`"${collecting.name}" ended with ${collected.status}: ${reason}`);
	}
	const asyncResult = { ...record, queryId: crfQueryId, executionId: collected.id };
	const broken = report.steps.find(({ status }) => status !== 'success');
	return {
		...report,
		asyncResult,
		ok: !broken,
		problem: broken ? `${broken.name}: ${broken.outcome}` : null,
	};
}
