/** Requests by which documents are imported through a running server, and what it answers. */
import { dataPath } from "../../contract/document-administration.ts";
import { importedAtOnce } from "../../contract/document-import.ts";
import { type Incoming, NoDocument, type Reject } from "../../documents/importing/incoming.ts";
import { Rejected, rejectOf } from "../../documents/importing/rejected.ts";
import { type Upcoming, valuesOf } from "../../documents/importing/targets.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { type CollectionDefinition, storeNameOf } from "../../realm/definition.ts";
import type { Counts } from "./import-position.ts";
import { type Remote, ServerAnswered, ServerUnreachable } from "./remote.ts";
import { pathOf } from "./selection.ts";

/** What of an input goes into one request. */
export interface Part {
  readonly incoming: readonly Incoming[];
  /** JSON of the documents among them. */
  readonly documents: readonly string[];
  /** Lines of these. */
  readonly lines: readonly number[];
  /** What among them is no document. */
  readonly unread: readonly Reject[];
  /** Of the documents, about. */
  readonly bytes: number;
  /** JSON of what they refer to and later requests bring. */
  readonly upcoming: string;
}

export interface PartLimits {
  readonly documents: number;
  readonly bytes: number;
}

/** As many as one request takes, and at least one; documents of one id go into several. */
export function partOf(
  incoming: readonly Incoming[],
  limits: PartLimits,
  definition: CollectionDefinition,
  upcoming: Upcoming,
): Part {
  const most = Math.min(limits.documents, importedAtOnce);
  const documents: string[] = [];
  const lines: number[] = [];
  const unread: Reject[] = [];
  const ids = new Set<JsonValue>();
  const coming = new Coming(definition, upcoming);
  let bytes = 0;
  let looked = 0;
  for (const one of incoming) {
    try {
      const value = documentOf(one);
      const text = JSON.stringify(value);
      const size = Buffer.byteLength(text) + 1;
      const { id = null } = value;
      if (documents.length === most || ids.has(id)) break;
      if (documents.length > 0 && bytes + size > limits.bytes) break;
      if (typeof id === "string") ids.add(id);
      documents.push(text);
      lines.push(one.line);
      bytes += size;
      coming.look(value);
    } catch (error) {
      unread.push(rejectOf(one.line, error));
    }
    looked += 1;
  }
  return {
    ...{ incoming: incoming.slice(0, looked), documents, lines, unread, bytes },
    upcoming: JSON.stringify(coming.told),
  };
}

/** @throws Rejected where JSON cannot say what it is */
function documentOf(incoming: Incoming): JsonObject {
  try {
    const { value, problems } = incoming.read();
    const { id } = value;
    if (problems.length > 0) throw Rejected.of(typeof id === "string" ? id : undefined, problems);
    return value;
  } catch (error) {
    throw error instanceof NoDocument ? new Rejected(undefined, error.message) : error;
  }
}

/** Gathers what documents refer to that comes later in the import. */
class Coming {
  readonly #definition: CollectionDefinition;
  readonly #upcoming: Upcoming;
  readonly #values = new Map<string, { readonly key: string; readonly found: Set<string> }>();

  constructor(definition: CollectionDefinition, upcoming: Upcoming) {
    this.#definition = definition;
    this.#upcoming = upcoming;
  }

  look(document: JsonObject): void {
    for (const reference of Object.values(this.#definition.references ?? {})) {
      const { database, collection, key } = reference;
      const target = { database, name: collection };
      const path = pathOf(target);
      for (const value of valuesOf(document, reference)) {
        if (!this.#upcoming.has(storeNameOf(target), key, value)) continue;
        const of = this.#values.get(`${path} ${key}`) ?? { key, found: new Set() };
        of.found.add(value);
        this.#values.set(`${path} ${key}`, of);
      }
    }
  }

  get told(): JsonValue {
    return [...this.#values].map(([name, { key, found }]) => ({
      collection: name.slice(0, -key.length - 1),
      key,
      values: [...found],
    }));
  }
}

/** What a server says of an import. */
export interface RemoteAnswer {
  /** By the last request. */
  readonly rejected: readonly { readonly at: number; readonly id: string | null; readonly error: string }[];
  /** Undefined where none is under way. */
  readonly position: RemotePosition | undefined;
}

export interface RemotePosition extends Counts {
  readonly import: string;
  readonly number: number;
  readonly state: JsonObject;
}

/**
 * Sends a request of an import; repeated, it has its effect once.
 * @param body JSON
 * @throws ServerUnreachable | ServerRefused | ServerAnswered
 */
export async function sendImport(
  remote: Remote,
  definition: CollectionDefinition,
  body: string,
): Promise<RemoteAnswer> {
  const path = `${definition.realm}${dataPath}/${pathOf(definition)}/_import`;
  try {
    const answer = answerIn(await remote.send({ method: "POST", path, body }));
    if (answer !== undefined) return answer;
  } catch (error) {
    if (!(error instanceof ServerAnswered) || error.status !== 404) throw error;
    const missing = "it has no such collection, or is older than this command";
    throw new ServerUnreachable(`${error.message}; ${missing}`);
  }
  throw new ServerUnreachable(`${remote.name}: what answers there is no server of realms`);
}

function answerIn({ rejected, position }: JsonObject): RemoteAnswer | undefined {
  if (!Array.isArray(rejected)) return undefined;
  const told = rejected.flatMap((each) => {
    if (!isJsonObject(each)) return [];
    const { at, id, error } = each;
    const isRead =
      typeof at === "number" && (typeof id === "string" || id === null) && typeof error === "string";
    return isRead ? [{ at, id, error }] : [];
  });
  if (told.length < rejected.length) return undefined;
  if (position === undefined) return { rejected: told, position: undefined };
  if (!isJsonObject(position)) return undefined;
  const { import: name, number, state, created, replaced, rejected: count } = position;
  const isRead =
    typeof name === "string" &&
    typeof number === "number" &&
    isJsonObject(state) &&
    typeof created === "number" &&
    typeof replaced === "number" &&
    typeof count === "number";
  if (!isRead) return undefined;
  return {
    rejected: told,
    position: { import: name, number, state, created, replaced, rejected: count },
  };
}
