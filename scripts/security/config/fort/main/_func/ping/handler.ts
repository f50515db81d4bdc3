/** Nothing of it is run by these tests: they are about who gets as far as that. */
export default async (): Promise<undefined> => undefined;
