import type { Ref } from "./schemas/pool.ts";

/** Definitions that operations share by `$ref`; only those that some operation uses appear in the document. */
export class Shared<Definition, Name extends string> {
  readonly #section: string;
  readonly #definitions: Readonly<Record<Name, Definition>>;
  readonly #used = new Set<Name>();

  /** @param section Of `components`. */
  constructor(section: string, definitions: Readonly<Record<Name, Definition>>) {
    this.#section = section;
    this.#definitions = definitions;
  }

  use(name: Name): Ref {
    this.#used.add(name);
    return { $ref: `#/components/${this.#section}/${name}` };
  }

  /** Those used, sorted by name. */
  toObject(): Record<string, Definition> {
    return Object.fromEntries([...this.#used].sort().map((name) => [name, this.#definitions[name]]));
  }
}
