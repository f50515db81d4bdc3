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

/** Names that differ by case alone cannot stand side by side in configuration. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
