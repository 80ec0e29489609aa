const realNow = Date.now.bind(Date);
let passed = 0;
let clock: jest.SpyInstance | undefined;

afterAll(() => {
	clock?.mockRestore();
	passed = 0;
});

/** Lets time pass, by the clock of everything in this process, until the tests of the file have ended. */
export function pass(ms: number): void {
	passed += ms;
	clock ??= jest.spyOn(Date, 'now');
	clock.mockImplementation(() => realNow() + passed);
}
