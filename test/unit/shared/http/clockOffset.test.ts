import fc from 'fast-check';
import { ClockOffset } from '../../../../nodes/shared/http/clockOffset';

const NOW = Date.UTC(2026, 10, 21, 12);
const dated = (ms: number) => ({ date: new Date(ms).toUTCString() });

describe("the difference between the service's clock and ours", () => {
	it('is 0 until a response shows it', () => {
		const clock = new ClockOffset();
		clock.update({ date: 'soon' }, NOW, NOW);
		clock.update({ ...dated(NOW + 50_000), age: '30' }, NOW, NOW);
		clock.update({}, NOW, NOW);
		expect(clock.ms).toBe(0);
	});

	it('is known to half a second and the travelling time, whatever it is', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: -90_000_000, max: 90_000_000 }),
				fc.array(fc.tuple(fc.nat(5000), fc.nat(300), fc.nat(300)), { minLength: 1 }),
				(skew, answers) => {
					const clock = new ClockOffset();
					let now = NOW;
					for (const [pause, there, back] of answers) {
						now += pause;
						const dateAt = now + there;
						clock.update(dated(dateAt + skew), now, dateAt + back);
						now = dateAt + back;
						expect(Math.abs(clock.ms - skew)).toBeLessThanOrEqual(801);
					}
				},
			),
		);
	});

	it('is known by an answer that is 0 seconds old', () => {
		const clock = new ClockOffset();
		clock.update({ ...dated(NOW - 10_000), age: '0' }, NOW, NOW);
		expect(Math.abs(clock.ms + 10_000)).toBeLessThanOrEqual(510);
	});

	it('follows a clock that was set', () => {
		const clock = new ClockOffset();
		clock.update(dated(NOW), NOW, NOW + 10);
		clock.update(dated(NOW + 60_000), NOW, NOW + 10);
		expect(Math.abs(clock.ms - 60_000)).toBeLessThanOrEqual(510);
	});
});
