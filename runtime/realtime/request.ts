import { ApiError, type Detail } from "../errors.ts";
import { problemsNamed, readJson } from "../http/body.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { RealtimeLimits } from "../realm/definition.ts";
import type { Received } from "../realm/exchange.ts";

/** A subscription as it is asked for (spec: Realtime subscription). */
export interface Asked {
  readonly id: string;
  readonly db: string;
  readonly collection: string;
  /** At most one of the two. */
  readonly where: JsonObject | undefined;
  readonly doc: string | undefined;
}

/** Characters of a subscription's id (spec: Limits). */
const longestId = 64;
/** Characters of the id of a document that is followed: no document has a longer one. */
const longestDoc = 128;

const members = new Set(["id", "db", "collection", "where", "doc"]);

/**
 * The body of a request for a stream: its shape alone is judged.
 * @throws ApiError as `readJson` | `validation_error`, with paths as `subscriptions.0.id` | `too_many_subscriptions`
 */
export function readSubscriptions(
  received: Received,
  { maxSubscriptions }: Pick<RealtimeLimits, "maxSubscriptions">,
): readonly Asked[] {
  const { value, problems } = readJson(received, "application/json");
  const reader = new SubscriptionsReader(problems.filter(({ path }) => !whereName.test(path)));
  const asked = reader.read(value);
  reader.finish();
  if (asked.length > maxSubscriptions) {
    throw new ApiError(
      "too_many_subscriptions",
      `A stream has at most ${maxSubscriptions} subscriptions; open another one for more.`,
    );
  }
  return asked;
}

/** Names in a `where` may be of any form, and are judged as its own. */
const whereName = /^subscriptions\.\d+\.where\./;

class SubscriptionsReader {
  readonly #problems: Detail[];
  readonly #ids = new Set<string>();

  constructor(problems: readonly Detail[]) {
    this.#problems = [...problems];
  }

  read(body: JsonObject): readonly Asked[] {
    const { subscriptions } = body;
    for (const name of Object.keys(body)) if (name !== "subscriptions") this.#refuse(name, "unknown member");
    if (!Array.isArray(subscriptions) || subscriptions.length === 0) {
      const reason = subscriptions === undefined ? "is required" : "must be a non-empty array";
      this.#refuse("subscriptions", reason);
      return [];
    }
    return subscriptions.map((each, at) => this.#subscription(each, `subscriptions.${at}`));
  }

  /** @throws ApiError `validation_error` where anything was wrong */
  finish(): void {
    if (this.#problems.length === 0) return;
    throw new ApiError("validation_error", "The request body is invalid.", {
      details: this.#problems.slice(0, problemsNamed),
    });
  }

  #subscription(value: JsonValue, path: string): Asked {
    if (!isJsonObject(value)) {
      this.#refuse(path, "must be an object");
      return nothingAsked;
    }
    for (const name of Object.keys(value)) {
      if (!members.has(name)) this.#refuse(`${path}.${name}`, "unknown member");
    }
    const { where, doc } = value;
    if (where !== undefined && !isJsonObject(where)) this.#refuse(`${path}.where`, "must be an object");
    if (where !== undefined && doc !== undefined) {
      this.#refuse(`${path}.doc`, "excludes where: a subscription has one of the two");
    }
    return {
      id: this.#id(value, path),
      db: this.#text(value, "db", path),
      collection: this.#text(value, "collection", path),
      where: isJsonObject(where) ? where : undefined,
      doc: doc === undefined ? undefined : this.#text(value, "doc", path, longestDoc),
    };
  }

  #id(value: JsonObject, path: string): string {
    const id = this.#text(value, "id", path, longestId);
    if (id === "") return id;
    if (this.#ids.has(id)) this.#refuse(`${path}.id`, "must be unique");
    this.#ids.add(id);
    return id;
  }

  /** A required string that is not empty; `""` where it is refused. */
  #text(value: JsonObject, name: string, path: string, longest = Number.POSITIVE_INFINITY): string {
    const text = Object.hasOwn(value, name) ? value[name] : undefined;
    const place = `${path}.${name}`;
    if (typeof text === "string" && text !== "" && [...text].length <= longest) return text;
    if (text === undefined) this.#refuse(place, "is required");
    else if (Number.isFinite(longest)) this.#refuse(place, `must be a string of 1 to ${longest} characters`);
    else this.#refuse(place, "must be a non-empty string");
    return "";
  }

  #refuse(path: string, reason: string): void {
    this.#problems.push({ path, reason });
  }
}

const nothingAsked: Asked = { id: "", db: "", collection: "", where: undefined, doc: undefined };
