/** The value. @throws Error with what was answered in its place, where there is none */
export function given<T>(answer: { readonly data?: T; readonly error?: unknown }): NonNullable<T> {
  if (answer.data == null) throw new Error(`answered ${JSON.stringify(answer.error)}`);
  return answer.data;
}

/** Where an answer has another status than the one that is to come. @throws Error with it */
export function status(expected: number, { response }: { readonly response?: Response }): void {
  if (response?.status !== expected) throw new Error(`answered ${response?.status}, not ${expected}`);
}

/** @throws Error where the two differ */
export function same<T>(got: T, expected: T): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left}, not ${right}`);
}

/** The address of the server, as the command line names it. */
export function server(): string {
  const [url] = process.argv.slice(2);
  if (url === undefined) throw new Error("no address of a server");
  return url;
}
