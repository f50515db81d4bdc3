/** What imported documents become. */
import { type Clock, timestamp } from "../../clock.ts";
import type { Detail } from "../../errors.ts";
import { idGenerator, isGeneratedId, isId } from "../../ids.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { DocumentTooLarge } from "../../store/contract/errors.ts";
import { misfitsOf } from "../../validation/details.ts";
import type { Author } from "../access.ts";
import { ownMembers } from "../draft.ts";
import { documentText, parseDocument } from "../encode.ts";
import { fileParts, schemaMembers } from "../files/members.ts";
import { createdAt, createdMeta, nextMeta, timesIn } from "../meta.ts";
import { type Belonging, belongingOf } from "../organizations.ts";
import { wholeOf } from "../whole.ts";
import { type BroughtFile, filedMembers, filesAmong, woven } from "./brought.ts";
import type { Incoming } from "./incoming.ts";
import { metaProblems } from "./meta.ts";
import { Rejected, readIncoming } from "./rejected.ts";
import type { Drafted, Mode, Writable } from "./taker.ts";

/** A document as it was sent, its id checked. */
export interface Draft extends Drafted {
  readonly members: JsonObject;
  readonly meta: JsonObject | undefined;
  readonly problems: readonly Detail[];
  /** As its members came, and those of them that are files; absent where files are left out. */
  readonly filed?: { readonly line: JsonObject; readonly members: JsonObject };
}

/** A document that fits, before it is known whether the store takes it. */
export interface Prepared extends Writable {
  readonly members: JsonObject;
  readonly belonging: Belonging;
  /** All that it has, and the ids of all that it had; absent where files are left out. */
  readonly files?: { readonly after: readonly BroughtFile[]; readonly before: readonly string[] };
}

export interface MakerOptions {
  readonly definition: CollectionDefinition;
  /** Whom documents name that come without their `_meta`; undefined where they name nobody. */
  readonly author: Author | undefined;
  /** Documents come with their `_meta`. */
  readonly meta: boolean;
  readonly mode: Mode;
  readonly clock: Clock;
  /** Members that hold files are taken, too; otherwise documents come without, and keep those that they have. */
  readonly withFiles?: boolean;
}

/** Makes what is stored of what comes. */
export class DocumentMaker {
  readonly #options: MakerOptions;
  readonly #newId: () => string;

  constructor(options: MakerOptions) {
    this.#options = options;
    this.#newId = idGenerator(options.clock);
  }

  /** @throws Rejected */
  draft(incoming: Incoming): Draft {
    const { value, problems } = readIncoming(incoming);
    const { _meta: meta } = value;
    const id = this.#id(value);
    const own = problems.filter(({ path }) => !isServerOwned(path));
    if (meta !== undefined && !isJsonObject(meta))
      throw Rejected.of(id, [{ path: "_meta", reason: "must be an object" }]);
    if (!this.#options.meta && meta?.["deleted_at"] !== undefined)
      throw new Rejected(
        id,
        "is deleted: deleted documents are imported with their _meta (--meta, meta: true)",
      );
    const { definition, withFiles = false } = this.#options;
    const all = ownMembers(value);
    const draft = { line: incoming.line, id, members: schemaMembers(definition, all), meta };
    if (!withFiles || definition.files === undefined) return { ...draft, problems: own };
    const { members, problems: misfiled } = filedMembers(definition.files, all);
    return { ...draft, problems: [...own, ...misfiled], filed: { line: all, members } };
  }

  /**
   * @param found the document of this id that there is, in its newest form
   * @throws Rejected
   */
  prepared(draft: Draft, found: StoredDocument | undefined): Prepared {
    if (found === undefined) return this.#created(draft);
    return this.#changed(draft, found);
  }

  #created(draft: Draft): Prepared {
    const { line, id, members, meta, problems } = draft;
    const { definition, clock, author } = this.#options;
    const fitting = this.#whole(id, members);
    const filing = this.#filing(draft, {});
    this.#require(id, [...problems, ...filing.missing], fitting);
    const whole = filing.together(fitting);
    if (this.#options.meta)
      return { ...this.#kept({ ...draft, members: fitting }, whole, undefined), ...filing.files };
    const belonging = belongingOf(meta ?? {});
    const now = clock.now();
    const text = documentText(
      id,
      whole,
      createdMeta(timestamp(now), author, ofCollection(definition, belonging)),
    );
    const document = { id, version: 1, text, createdAt: now };
    return { line, document, members: fitting, belonging, ...filing.files };
  }

  #changed(draft: Draft, found: StoredDocument): Prepared {
    const { definition, mode, clock, author } = this.#options;
    const { line, id, meta } = draft;
    const stored = parseDocument(found.text);
    const isDeleted = stored._meta["deleted_at"] !== undefined;
    if (isDeleted && !this.#options.meta) throw new Rejected(id, "a deleted document has this id");
    const before = schemaMembers(definition, ownMembers(stored));
    const members = mode === "merge" ? mergePatch(before, draft.members) : this.#whole(id, draft.members);
    const filing = this.#filing(draft, stored);
    this.#require(id, [...draft.problems, ...filing.missing], members);
    const whole = filing.together(members);
    if (this.#options.meta) return { ...this.#kept({ ...draft, members }, whole, found), ...filing.files };
    const own = belongingOf(stored._meta);
    const named = belongingOf(meta ?? {});
    if ((named.org ?? own.org) !== own.org || (named.team ?? own.team) !== own.team)
      throw new Rejected(id, "_meta.org must be the document's own organization, _meta.team its team");
    const version = found.version + 1;
    const text = documentText(id, whole, nextMeta(stored._meta, version, timestamp(clock.now()), author));
    const document = { id, version, text, createdAt: createdAt(stored._meta) };
    return { line, document, expected: found.version, members, belonging: own, ...filing.files };
  }

  /** What becomes of files. @param stored what there is */
  #filing({ filed }: Draft, stored: JsonObject): Filing {
    const { definition, mode } = this.#options;
    const { files: fields = [] } = definition;
    const { together, missing } = fileParts(fields);
    if (filed === undefined)
      return { missing: [], together: (members) => together(members, stored), files: {} };
    const held = together({}, stored);
    const named = mode === "merge" ? { ...held, ...filed.members } : filed.members;
    const after = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null));
    const before = filesAmong(fields, held).map(({ id }) => id);
    return {
      missing: missing(after),
      together: (members) => woven(mode === "merge" ? members : filed.line, members, after),
      files: { files: { after: filesAmong(fields, after), before } },
    };
  }

  /** A copy with what it leaves out; what comes with its `_meta` is a copy already, of a document as it was stored. */
  #whole(id: string, members: JsonObject): JsonObject {
    const { definition, meta } = this.#options;
    if (meta) return { ...members };
    try {
      return wholeOf(definition, members);
    } catch (error) {
      throw error instanceof DocumentTooLarge ? new Rejected(id, error.message) : error;
    }
  }

  /** With its `_meta` as it came. */
  #kept({ line, id, members, meta }: Draft, whole: JsonObject, found: StoredDocument | undefined): Prepared {
    const { definition, author } = this.#options;
    const problems = metaProblems(meta ?? {}, { definition, authored: author !== undefined });
    if (problems.length > 0) throw Rejected.of(id, problems);
    const text =
      meta === undefined ? JSON.stringify({ id, ...whole }) : documentText(id, whole, JSON.stringify(meta));
    const version = typeof meta?.["version"] === "number" ? meta["version"] : 0;
    const document = { id, version, text, ...timesIn(meta ?? {}) };
    const expected = found && { expected: found.version };
    return { line, document, ...expected, members, belonging: belongingOf(meta ?? {}) };
  }

  /** Brings dates into their stored form. @throws Rejected */
  #require(id: string, problems: readonly Detail[], members: JsonObject): void {
    const misfits = misfitsOf(this.#options.definition, members);
    if (problems.length + misfits.length > 0)
      throw Rejected.of(id, [...problems, ...misfits].slice(0, NAMED));
  }

  /** @throws Rejected */
  #id({ id }: JsonObject): string {
    const { customId } = this.#options.definition;
    if (id === undefined || id === null) {
      if (customId === undefined) return this.#newId();
      throw new Rejected(
        undefined,
        "id is required: documents of this collection have ids of their own choice",
      );
    }
    if (typeof id !== "string") throw new Rejected(undefined, "id must be a string");
    if (customId === undefined && !isGeneratedId(id))
      throw new Rejected(
        id,
        "id must have the form of a generated one, 20 of 0-9 a-z without i, l, o and u, or be left out",
      );
    if (!isId(id))
      throw new Rejected(
        id,
        "id must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not begin with _, nor be . or ..",
      );
    if (customId?.pattern !== undefined && !customId.pattern.test(id))
      throw new Rejected(id, "id does not match the collection's pattern");
    return id;
  }
}

interface Filing {
  /** Fields that need a file. */
  readonly missing: readonly Detail[];
  readonly together: (members: JsonObject) => JsonObject;
  readonly files: Pick<Prepared, "files">;
}

/** Problems that a rejection names. */
const NAMED = 20;

const serverOwned: ReadonlySet<string> = new Set(["id", "_id", "_meta", "_expanded"]);

function isServerOwned(path: string): boolean {
  return serverOwned.has(path.split(".", 1)[0] ?? "");
}

/** What is asked of a document's organization later is not written where there are none. */
function ofCollection({ organization }: CollectionDefinition, { org, team }: Belonging): Belonging {
  return organization === undefined ? {} : { org, team };
}
