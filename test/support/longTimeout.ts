/** For tests that start an n8n or run thousands of cases. */
jest.setTimeout(900_000);
