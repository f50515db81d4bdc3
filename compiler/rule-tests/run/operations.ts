/** What the server answers to the operations of rule tests: by what its routes are made of, on documents that stay as they are. */
import { type Access, allows, readable, requireWrite } from "../../../runtime/documents/access.ts";
import type { Collection, Documents } from "../../../runtime/documents/collection.ts";
import { draftOf } from "../../../runtime/documents/draft.ts";
import { notFound } from "../../../runtime/documents/errors.ts";
import { newDocument } from "../../../runtime/documents/writes/create.ts";
import { removeDocument, softDeleteDocument } from "../../../runtime/documents/writes/remove.ts";
import { restoreExisting } from "../../../runtime/documents/writes/restore.ts";
import { updateDocument } from "../../../runtime/documents/writes/update.ts";
import { ApiError } from "../../../runtime/errors.ts";
import { matches } from "../../../runtime/filter/predicate.ts";
import { admission } from "../../../runtime/functions/admission.ts";
import { faultless } from "../../../runtime/http/body.ts";
import type { Exchange, RealmInstance } from "../../../runtime/realm/exchange.ts";
import { functionName } from "../../../runtime/realm/functions.ts";
import type { DocumentWrite, Visibility } from "../../../runtime/store/contract/document.ts";
import type { CallTest, CreateTest, Reach, UpdateTest } from "../rule-tests.ts";
import type { StoredTest } from "./realm.ts";

/** What came of an operation. */
export type Outcome =
  | { readonly decision: "allow" }
  | {
      readonly decision: "deny";
      readonly status: number;
      readonly code: string;
      /** What the answer says, with its details. */
      readonly told: string;
      /** Paths that may not be written. */
      readonly fields: readonly string[];
    }
  /** The two forms of the read rule say different things. */
  | { readonly decision: "differs"; readonly check: boolean; readonly filter: boolean };

/** @throws what is no refusal */
export async function outcomeOf(work: () => Promise<unknown> | unknown): Promise<Outcome> {
  try {
    await work();
    return { decision: "allow" };
  } catch (error) {
    if (error instanceof Differs) return { decision: "differs", check: error.check, filter: !error.check };
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, details } = error;
    const told = [message, ...details.map(({ path, reason }) => `${path} ${reason}`)].join(" ");
    return { decision: "deny", status, code, told, fields: details.map(({ path }) => path) };
  }
}

/** A bug of ours, which a test that meets it must show. */
class Differs extends Error {
  readonly check: boolean;

  constructor(check: boolean) {
    super("check and filter differ");
    this.check = check;
  }
}

/** Reads, or what takes a document away or back. */
export async function reach(
  kind: Reach,
  collection: Collection,
  access: Access,
  stored: StoredTest,
): Promise<void> {
  const { definition } = collection;
  const { softDelete } = definition;
  if (kind === "read") return read(collection, access, stored);
  const { write: document } = stored;
  requireWrite(definition, access, kind);
  const documents = holding(document);
  const target = (visibility: Visibility) => ({ id: document.id, visibility, condition: undefined });
  if (kind === "purge") await removeDocument(collection, access, documents, target("all"), "purge");
  else if (kind === "restore") await restoreExisting(collection, access, documents, target("deleted"));
  else if (softDelete === undefined)
    await removeDocument(collection, access, documents, target("live"), "delete");
  else await softDeleteDocument(collection, access, documents, target("live"), softDelete.retention);
}

/** A route's read is by the filter; that the other form of the rule says the same is asked beside. */
function read({ definition }: Collection, access: Access, { write, document }: StoredTest): void {
  const filter = readable(definition, access, definition.rules?.read);
  const isReadable = matches(filter, document);
  if (access.context !== undefined && allows(definition.rules?.read, access, document) !== isReadable)
    throw new Differs(!isReadable);
  if (!isReadable || write.deletedAt !== undefined) throw notFound();
}

export function create(collection: Collection, access: Access, { data, org, team }: CreateTest): void {
  const { definition } = collection;
  requireWrite(definition, access, "create");
  const teams = org === undefined ? undefined : access.context?.memberships.get(org)?.teams;
  newDocument(collection, access, exchange(""), draftOf(data, faultless), { org, team, teams });
}

export async function update(
  collection: Collection,
  access: Access,
  document: DocumentWrite,
  { change, body }: UpdateTest,
): Promise<void> {
  const { definition } = collection;
  requireWrite(definition, access, "update");
  const target = { id: document.id, visibility: "live", condition: undefined } as const;
  await updateDocument(collection, access, holding(document), target, change, draftOf(body, faultless));
}

export function call(realm: RealmInstance, access: Access, test: CallTest): void {
  const fn = realm.definition.functions?.find((each) => functionName(each) === test.function);
  if (fn === undefined || fn.mode === "event") throw new Error(`nobody calls ${test.function}`);
  const { refused, require } = admission(realm, fn);
  const error = refused(access);
  if (error !== undefined) throw error;
  require(access, test.input);
}

/** Only people make organizations, by their own session. */
export function createOrganization({ definition }: RealmInstance, { caller, context }: Access): void {
  if (caller?.kind === "anonymous") throw new ApiError("unauthenticated", "Sign in to create organizations.");
  const isSession = caller?.kind === "user" && caller.credential.kind === "session";
  const create = definition.accounts?.organizations?.create;
  if (!isSession || context === undefined || create?.(context) !== true)
    throw new ApiError("forbidden", "You may not create organizations in this realm.");
}

/** A store's collection that has one document, and keeps nothing of what is written. */
function holding(document: DocumentWrite): Documents {
  const isDeleted = document.deletedAt !== undefined;
  const found = (visibility: Visibility) =>
    visibility === "all" || (visibility === "deleted") === isDeleted ? document : undefined;
  return {
    get: async (_, visibility) => found(visibility),
    insert: async () => undefined,
    replace: async () => true,
    remove: async () => found("live") !== undefined,
    modify: async (_, visibility, decide) => decide(found(visibility)),
  };
}

/** A request of which nothing but its query string is asked. */
export function exchange(search: string): Exchange {
  return {
    method: "GET",
    params: {},
    search,
    headers: {},
    requestId: "rule-test",
    address: "127.0.0.1",
    abandoned: false,
    reserve: () => undefined,
    receive: async () => ({ ...exchange(search), body: "none", inPieces: false }),
  };
}
