/** Imports the documents of inputs through a running server. */
import { createHash } from "node:crypto";
import type { Incoming, Reject } from "../../documents/importing/incoming.ts";
import type { JsonObject } from "../../json.ts";
import { type CollectionOptions, type Destination, ImportTaken } from "./destination.ts";
import { MarkedInput } from "./import-input.ts";
import { beginning, type Counts, type Mark } from "./import-position.ts";
import { type Part, partOf, type RemoteAnswer, sendImport } from "./import-requests.ts";
import { type Remote, ServerAnswered, ServerUnreachable } from "./remote.ts";
import { pathOf } from "./selection.ts";

/** Bytes of a request's documents, about: servers take bodies of 1 MiB unless they are told otherwise. */
const BYTES = 900 * 1024;
/** The same of what is read for a request: what little is more goes into it, too. */
const CHARACTERS = 800 * 1024;

/** A running server, by its administrator routes. How far imports are stays there. */
export function remoteDestination(remote: Remote): Destination {
  const names = new Map<string, string>();
  const keyOf = ({ definition }: Pick<CollectionOptions, "definition">) =>
    `${definition.realm} ${pathOf(definition)}`;
  return {
    prepare: async () => undefined,
    import(options) {
      const name = createHash("sha256").update(options.asked).digest("hex");
      names.set(keyOf(options), name);
      return new RemoteImport(remote, options, name).run();
    },
    async forget({ inputs }) {
      for (const { definition } of inputs) {
        const position = { import: names.get(keyOf({ definition })) ?? "", number: 1, state: null };
        await sendImport(remote, definition, JSON.stringify({ documents: [], position }));
      }
    },
  };
}

/** What the server keeps for us with the last request. */
interface State extends Mark {
  /** So many were done with before that request. */
  readonly since: number;
  /** Bytes of the file of rejected ones before that request; once all is done, of all of them. */
  readonly rejects: number;
  /** Of all that was done with, what was no document. */
  readonly unread: number;
  /** Why the server took no request with the only document of that one; null where it did. */
  readonly refused: string | null;
  readonly isDone: boolean;
}

class RemoteImport {
  readonly #remote: Remote;
  readonly #options: CollectionOptions;
  readonly #name: string;
  readonly #input: MarkedInput;
  #number = 0;
  #state: State = { ...beginning, since: 0, unread: 0, refused: null };
  #counts: Counts = beginning;
  #bytes = BYTES;

  constructor(remote: Remote, options: CollectionOptions, name: string) {
    this.#remote = remote;
    this.#options = options;
    this.#name = name;
    this.#input = new MarkedInput(options.input);
  }

  async run(): Promise<Counts> {
    const { rejects, tell, batch: documents, progress } = this.#options;
    const found = await this.#resume();
    if (this.#state.isDone) {
      rejects.skipTo(this.#state.rejects);
      return this.#total;
    }
    await rejects.goOnFrom(found === undefined ? rejects.bytes : this.#state.rejects);
    if (found !== undefined) tell(`${this.#called}: goes on after line ${this.#state.line}`);
    const again = found && {
      since: this.#state.since,
      // What the last request came to may not have been told.
      tell: (done: readonly Incoming[]) => this.#tell(this.#sentBefore(done), found),
    };
    const limits = { documents, characters: CHARACTERS };
    for await (const batch of this.#input.batches(this.#state, limits, again)) {
      await this.#import(batch);
      progress(this.#total);
    }
    await this.#send(JSON.stringify([]), "[]", {
      ...this.#state,
      ...{ since: this.#state.read, rejects: rejects.bytes, isDone: true },
    });
    return this.#total;
  }

  get #called(): string {
    const { realm, definition } = this.#options;
    return `${realm.name} ${pathOf(definition)}`;
  }

  get #total(): Counts {
    return { ...this.#counts, rejected: this.#counts.rejected + this.#state.unread };
  }

  /** What the server answered to the last request of this import, where there was one. */
  async #resume(): Promise<RemoteAnswer | undefined> {
    const position = { import: this.#name, number: 0, state: {} };
    const answer = await this.#sent(JSON.stringify({ documents: [], position }));
    const state = stateIn(answer.position?.state);
    if (answer.position === undefined || state === undefined) return undefined;
    if (answer.position.import !== this.#name) {
      if (!state.isDone)
        this.#options.tell(
          `${this.#called}: another import was interrupted after line ${state.line}; it is not gone on with`,
        );
      return undefined;
    }
    this.#number = answer.position.number;
    this.#counts = answer.position;
    this.#state = state;
    return answer;
  }

  async #import(batch: readonly Incoming[]): Promise<void> {
    let most = this.#options.batch;
    for (let rest = batch; rest.length > 0; ) {
      const part = this.#partOf(rest, most, this.#bytes);
      const half = Math.ceil(part.documents.length / 2);
      try {
        await this.#importPart(part);
        rest = rest.slice(part.incoming.length);
      } catch (error) {
        const why = refusalIn(error);
        if (why === undefined) throw error;
        if (part.documents.length > 1) {
          if (why === "large") this.#bytes = Math.ceil(part.bytes / 2);
          else most = half;
          continue;
        }
        if (why === "many" || !(error instanceof ServerAnswered)) throw error;
        const refused = why === "large" ? "is larger than what the server takes" : error.message;
        await this.#importPart(withoutDocuments(part, refused), refused);
        rest = rest.slice(part.incoming.length);
      }
    }
  }

  /** What the last request of an earlier run was made of. */
  #sentBefore(done: readonly Incoming[]): Part {
    const part = this.#partOf(done, done.length, Number.POSITIVE_INFINITY);
    const { refused } = this.#state;
    return refused === null ? part : withoutDocuments(part, refused);
  }

  #partOf(incoming: readonly Incoming[], documents: number, bytes: number): Part {
    const { definition, upcoming } = this.#options;
    return partOf(incoming, { documents, bytes }, definition, upcoming);
  }

  async #importPart(part: Part, refused: string | null = null): Promise<void> {
    const { rejects } = this.#options;
    const answer = await this.#send(`[${part.documents.join(",")}]`, part.upcoming, {
      ...this.#input.after(this.#state, part.incoming),
      ...{ since: this.#state.read, rejects: rejects.bytes, isDone: false },
      ...{ unread: this.#state.unread + part.unread.length, refused },
    });
    this.#input.advance(part.incoming);
    await this.#tell(part, answer);
  }

  /** Documents, and how far the import is then. */
  async #send(documents: string, upcoming: string, state: State): Promise<RemoteAnswer> {
    const { mode, meta } = this.#options;
    const position = JSON.stringify({ import: this.#name, number: this.#number + 1, state });
    const how = JSON.stringify({ mode, meta }).slice(1, -1);
    const answer = await this.#sent(
      `{${how},"documents":${documents},"upcoming":${upcoming},"position":${position}}`,
    );
    if (answer.position === undefined)
      throw new ServerUnreachable(`${this.#remote.name}: what answers there is no server of realms`);
    this.#number += 1;
    this.#state = state;
    this.#counts = answer.position;
    return answer;
  }

  async #sent(body: string): Promise<RemoteAnswer> {
    try {
      return await sendImport(this.#remote, this.#options.definition, body);
    } catch (error) {
      if (!(error instanceof ServerAnswered) || error.code !== "conflict") throw error;
      throw new ImportTaken(
        `${this.#called}: another process goes on with this import; give the command again once that has ended`,
      );
    }
  }

  async #tell({ lines, unread }: Part, { rejected }: RemoteAnswer): Promise<void> {
    const { rejects, realm, definition, isOneOfMany } = this.#options;
    const refused = rejected.map(({ at, id, error }): Reject => ({ line: lines[at] ?? 0, id, error }));
    const all = [...unread, ...refused].sort((one, other) => one.line - other.line);
    const named = { realm: realm.name, collection: pathOf(definition) };
    await rejects.write(all, isOneOfMany ? named : undefined);
    rejects.tell(this.#called, all);
  }
}

/** Why the server takes no such request, where it may take another one of the same documents. */
function refusalIn(error: unknown): "large" | "many" | "malformed" | undefined {
  if (!(error instanceof ServerAnswered)) return undefined;
  switch (error.code) {
    case "payload_too_large":
      return "large";
    case "write_conflict":
      return "many";
    case "invalid_json":
      return "malformed";
    default:
      return undefined;
  }
}

/** The same, its only document rejected. */
function withoutDocuments(part: Part, error: string): Part {
  const refused = part.lines.map((line) => ({ line, id: null, error }));
  return { ...part, documents: [], lines: [], unread: [...part.unread, ...refused], upcoming: "[]" };
}

function stateIn(state: JsonObject | undefined): State | undefined {
  if (state === undefined) return undefined;
  const { read, line, sha256, since, rejects, unread, refused, isDone } = state;
  const isRead =
    typeof read === "number" &&
    typeof line === "number" &&
    typeof sha256 === "string" &&
    typeof since === "number" &&
    typeof rejects === "number" &&
    typeof unread === "number" &&
    (typeof refused === "string" || refused === null) &&
    typeof isDone === "boolean";
  return isRead ? { read, line, sha256, since, rejects, unread, refused, isDone } : undefined;
}
