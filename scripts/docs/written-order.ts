/** Entries in the order in which a document has them; what is new stands at the end. */
export function inWrittenOrder<T>(
  entries: Readonly<Record<string, T>>,
  written: string,
  heading: (name: string) => string,
): Readonly<Record<string, T>> {
  const place = (name: string): number => {
    const at = written.indexOf(heading(name));
    return at === -1 ? written.length : at;
  };
  return Object.fromEntries(Object.entries(entries).sort(([one], [other]) => place(one) - place(other)));
}
