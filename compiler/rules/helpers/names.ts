/** The names of a table, as what they are. */
export function namesOf<K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] {
  const isName = (name: string): name is K => Object.hasOwn(table, name);
  return Object.keys(table).filter(isName);
}
