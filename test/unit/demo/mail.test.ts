import { printedMail } from '../../../demo/mailServer';
import { decideDemoTurn } from '../../../demo/stubModel';

describe('the mails of the demo', () => {
	it('show each link once, whether or not the text has it', () => {
		const html =
			'<a href="http://a.example/?x=1&amp;y=2"> Aprobar</a><a href="http://b.example/">B</a>';
		const mail = { to: 'a@b.example', subject: 'S', text: 'See http://b.example/', html };
		expect(printedMail(mail).split('\n')).toEqual([
			'Mail to a@b.example: S',
			'  See http://b.example/',
			'  Aprobar: http://a.example/?x=1&y=2',
		]);
	});
});

describe("the demo's model", () => {
	const tools = ['Check_identifiers', 'Get_CURP_data'].map((name) => ({
		...{ name, description: '', parameters: {} },
	}));
	const turn = (answers: number) =>
		decideDemoTurn({
			messages: [
				{ role: 'user', content: 'CURP GOEL901231MDFDSR07' },
				...Array.from({ length: answers }, () => ({ role: 'tool', content: '{}' })),
			],
			tools,
		});

	it('checks the CURP for free, asks for one paid query, and answers', () => {
		expect(turn(0)).toMatchObject({ calls: [{ name: 'Check_identifiers' }] });
		expect(turn(1)).toMatchObject({ calls: [{ name: 'Get_CURP_data' }] });
		expect(turn(2)).toHaveProperty('answer');
	});
});
