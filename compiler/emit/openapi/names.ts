import type { Collection, Realm } from "../../model/model.ts";

/** `support_tickets`, `support-tickets` and `supportTickets` give `SupportTickets`; what has no ASCII letter or digit gives "". */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** Hands out names that differ by more than case, because generated clients may turn them into file names. */
export class Names {
  readonly #taken = new Set<string>();

  /** The wish itself, or with the first free number from 2 on. */
  claim(wish: string): string {
    return this.claimAll(wish, [""]);
  }

  /** As {@link claim}, with a number that leaves the name free with every one of these at its end. */
  claimAll(wish: string, endings: readonly string[]): string {
    let name = wish;
    const isTaken = (ending: string): boolean => this.#taken.has((name + ending).toLowerCase());
    for (let number = 2; endings.some(isTaken); number++) name = `${wish}${number}`;
    for (const ending of endings) this.#taken.add((name + ending).toLowerCase());
    return name;
  }
}

/**
 * The stem of a collection's schema names and operation ids: its own name (`Tickets`), with the database's in front
 * (`SupportTickets`) where two collections of the realm would share it.
 */
export function collectionStems(realm: Realm): ReadonlyMap<Collection, string> {
  const collections = realm.databases.flatMap((database) => database.collections);
  const sharing = new Map<string, number>();
  for (const { name } of collections) {
    const key = pascalCase(name).toLowerCase();
    sharing.set(key, (sharing.get(key) ?? 0) + 1);
  }
  const names = new Names();
  const stems = new Map<Collection, string>();
  for (const collection of collections) {
    const own = pascalCase(collection.name);
    const alone = sharing.get(own.toLowerCase()) === 1;
    stems.set(collection, names.claim(alone ? own : pascalCase(collection.database) + own));
  }
  return stems;
}
