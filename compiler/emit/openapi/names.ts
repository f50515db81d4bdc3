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
    let name = wish;
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++) name = `${wish}${number}`;
    this.#taken.add(name.toLowerCase());
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
