import type { Collection, Realm } from "../../model/model.ts";

/** `support_tickets`, `support-tickets` and `supportTickets` give `SupportTickets`; what has no ASCII letter or digit gives "". */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map(capitalized)
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

/** The stem of each collection's schema names and operation ids. */
export function collectionStems(realm: Realm): ReadonlyMap<Collection, string> {
  const collections = realm.databases.flatMap((database) => database.collections);
  return new Map(collections.map((collection) => [collection, stemOf(collection)]));
}

/**
 * `SupportTickets`, of the database's name and its own alone: whatever else the realm has or gets, what is called by it
 * keeps its name. Names whose joined words could be those of others stand as they are: `Help-desk.line-items`.
 */
function stemOf({ database, name }: Collection): string {
  const plain = /^[a-z][a-z0-9]*$/.test(database) && /^[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*$/.test(name);
  return capitalized(database) + (plain ? pascalCase(name) : `.${name}`);
}

/** Names that differ by case alone cannot stand side by side in configuration. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
