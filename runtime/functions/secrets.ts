import { collections, secretFields } from "../auth/collections.ts";
import { readSecret } from "../auth/records.ts";
import { secretContext } from "../auth/sealed.ts";
import { ApiError } from "../errors.ts";
import { isIn } from "../filter/algebra.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import type { LogLine } from "./invocation.ts";

export type Secrets = Readonly<Record<string, string>>;

const none: Secrets = {};

type Realm = Pick<RealmInstance, "vault"> & {
  readonly store: Pick<RealmInstance["store"], "revision" | "collection">;
};

/**
 * The secrets that functions of a realm declare. A change counts at the next run: they are kept as long as the store's
 * revision stands, and read for every run where the store is shared.
 */
export class SecretReader {
  readonly #realm: Realm;
  readonly #given: () => Secrets;
  readonly #kept = new Map<FunctionDefinition, Secrets>();
  /** What the store said when they were read. */
  #revision: number | undefined;

  /** @param given values that go before those of administrators; they are asked for at every run */
  constructor(realm: Realm, given: () => Secrets = () => none) {
    this.#realm = realm;
    this.#given = given;
  }

  /** The function throws (or rejects with) ApiError `secret_missing` where one is not set, or cannot be opened. */
  of(definition: FunctionDefinition): Secrets | Promise<Secrets> {
    if (definition.secrets.length === 0) return none;
    const given = this.#given();
    if (definition.secrets.some((name) => Object.hasOwn(given, name)))
      return this.#read(definition, undefined, given);
    const revision = this.#realm.store.revision(collections.secrets);
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#kept.clear();
    }
    return this.#kept.get(definition) ?? this.#read(definition, revision);
  }

  async #read(
    definition: FunctionDefinition,
    revision: number | undefined,
    given: Secrets = none,
  ): Promise<Secrets> {
    const { store, vault } = this.#realm;
    const names = definition.secrets;
    const asked = names.filter((name) => !Object.hasOwn(given, name));
    if (asked.length === 0) return Object.fromEntries(names.map((name) => [name, given[name] ?? ""]));
    const found = await store.collection(collections.secrets).find({
      filter: isIn(secretFields.id, asked),
      visibility: "live",
      limit: asked.length,
      skip: 0,
    });
    const values = new Map(
      found.map((document) => {
        const { id, value } = readSecret(document).record;
        return [id, vault.open(value, secretContext(id))];
      }),
    );
    const secrets = Object.fromEntries(
      names.map((name) => [
        name,
        known(definition, name, Object.hasOwn(given, name) ? given[name] : values.get(name)),
      ]),
    );
    if (revision !== undefined && revision === this.#revision) this.#kept.set(definition, secrets);
    return secrets;
  }
}

/** Which one it is, administrators learn. */
function known(definition: FunctionDefinition, name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  const cause = new Error(`${functionName(definition)} needs the secret ${name}`);
  throw new ApiError("secret_missing", "The function lacks a secret that it declares.", { cause });
}

/** Shorter ones would be found in any text. */
const shortest = 4;

/** A text with the values of secrets taken out, also as JSON has them. */
export function hideSecrets(text: string, secrets: Secrets): string {
  let hidden = text;
  for (const [name, value] of Object.entries(secrets)) {
    if (value.length < shortest) continue;
    for (const form of new Set([value, JSON.stringify(value).slice(1, -1)]))
      hidden = hidden.replaceAll(form, `[${name}]`);
  }
  return hidden;
}

/** The same of each text in an object, of its keys too; a number that has a secret in it becomes a text. */
export function hideSecretsIn(object: JsonObject, secrets: Secrets): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      hideSecrets(name, secrets),
      value === undefined ? value : hiddenIn(value, secrets),
    ]),
  );
}

function hiddenIn(value: JsonValue, secrets: Secrets): JsonValue {
  if (typeof value === "string") return hideSecrets(value, secrets);
  if (typeof value === "number") {
    const text = JSON.stringify(value);
    const hidden = hideSecrets(text, secrets);
    return hidden === text ? value : hidden;
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => hiddenIn(item, secrets));
  return isJsonObject(value) ? hideSecretsIn(value, secrets) : value;
}

/** The same of a line of a log. */
export function withoutSecrets(line: LogLine, secrets: Secrets): LogLine {
  if (Object.keys(secrets).length === 0) return line;
  const fields = hideSecretsIn(line.fields, secrets);
  return { ...line, message: hideSecrets(line.message, secrets), fields };
}
