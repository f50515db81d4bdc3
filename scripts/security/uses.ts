/** The operations of an OpenAPI document as they are tried: with a path to something, a body, and what is to come of it. */
import type { JsonObject } from "../../runtime/json.ts";
import type { Operation } from "../conformance/description.ts";
import type { Caller } from "./callers.ts";
import {
  type DocumentOperation,
  type Documents,
  documents,
  type FileOperation,
  successOf,
} from "./documents.ts";
import { formSent, type Sent } from "./send.ts";
import { type Own, own, written } from "./table.ts";
import { claimed, inParts, type Targets } from "./targets.ts";
import { dataAnswer, documentAnswer, ownAnswer } from "./verdicts.ts";

/** One way to use an operation. */
export interface Use {
  readonly title: string;
  readonly method: string;
  /** The path to something to be used, made for it. */
  readonly path: (targets: Targets, caller: Caller) => Promise<string>;
  readonly body: ((caller: Caller) => JsonObject) | undefined;
  /** The body is the document of a form. */
  readonly form?: true;
  /** Beside those that say who sends it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status and, of errors, the code. */
  readonly answer: (caller: Caller) => string;
}

/** The headers and the body of a use, beside the headers that say who sends it. */
export function sentBy({ body, headers = {}, form }: Use, caller: Caller): Sent {
  const sent = body?.(caller);
  if (sent === undefined) return { headers };
  return form ? formSent(sent, headers) : { headers, body: sent };
}

export interface Realm {
  readonly name: string;
  readonly auth: boolean;
}

/**
 * The ways to use an operation of a realm: one, but for deleting what can be deleted softly and for good.
 * @throws Error for an operation that the tables do not know
 */
export function usesOf(
  operation: Operation,
  realm: Realm,
  softly: (path: string) => boolean,
): readonly Use[] {
  const { method, path } = operation;
  const title = `${method} ${path.slice(`/v1/${realm.name}`.length).replace(/\{\w+\}/g, "{}")}`;
  if (title === "POST /_realtime") return realtimeUses(title, path, realm);
  const known = own[title];
  if (known !== undefined) return [ownUse(title, operation, known, realm)];
  const [, administrators, database = "", collection = "", rest = ""] =
    /^\w+ (\/_admin\/data)?\/([A-Za-z]\w*)\/(\w+)(\S*)$/.exec(title) ?? [];
  if (collection === "_batch") return batchUses(title, path, database, realm, administrators !== undefined);
  const name = `${realm.name}/${database}/${collection}`;
  const there = documents[name];
  const [, field, below = ""] = /^\/\{\}\/_files\/(\w+)(\/\S+)?$/.exec(rest) ?? [];
  if (there !== undefined && field !== undefined) {
    const operation = fileKinds[`${method} ${below}`];
    const verdicts = operation && there.files?.[field]?.[operation];
    if (operation === undefined || verdicts === undefined)
      throw new Error(`nobody has decided who may ${title}`);
    return [
      {
        title,
        method,
        path: (targets, caller) => targets.file(path, name, field, caller),
        body: fileBodies[operation],
        headers: fileHeaders[operation] ?? {},
        answer({ credential }) {
          if (administrators !== undefined) return dataAnswer(name, there, operation, credential, realm.auth);
          return documentAnswer(name, there, operation, credential, verdicts);
        },
      },
    ];
  }
  const isForm = rest === "/_form";
  const kind = kinds[`${method} ${isForm ? "" : rest}`];
  if (there === undefined || kind === undefined) throw new Error(`nobody has decided who may ${title}`);
  const all: readonly DocumentOperation[] = kind === "delete" && softly(path) ? ["delete", "purge"] : [kind];
  return all.map((each) => ({
    ...documentRequest(title, path, name, there, each),
    ...(isForm && { form: true }),
    answer: ({ credential }) => {
      // Past the rules, for administrators of the area `data`.
      if (administrators !== undefined) return dataAnswer(name, there, each, credential, realm.auth);
      return realm.auth ? documentAnswer(name, there, each, credential) : successOf(each);
    },
  }));
}

const kinds: Readonly<Record<string, DocumentOperation>> = {
  "POST ": "create",
  "GET ": "list",
  "GET /{}": "get",
  "PUT /{}": "replace",
  "PATCH /{}": "patch",
  "DELETE /{}": "delete",
  "POST /{}/restore": "restore",
  "GET /_aggregate": "aggregate",
  "POST /_check": "check",
  "POST /_import": "import",
  "POST /{}/_transfer": "transfer",
  "POST /_assign_org": "assign",
};

const fileKinds: Readonly<Record<string, FileOperation>> = {
  "POST ": "upload",
  "POST /_uploads": "begin",
  "POST /_uploads/{}/complete": "complete",
  "POST /_tus": "begin_parts",
  "GET /_tus/{}": "see_parts",
  "PATCH /_tus/{}": "send_part",
  "DELETE /_tus/{}": "cancel_parts",
  "GET /{}": "download",
  "DELETE /{}": "remove_file",
};

const fileBodies: Readonly<Partial<Record<FileOperation, () => JsonObject>>> = {
  upload: () => written,
  begin: () => claimed,
  send_part: () => written,
};

const fileHeaders: Readonly<Partial<Record<FileOperation, Readonly<Record<string, string>>>>> = {
  begin_parts: inParts,
  send_part: {
    ...{ "tus-resumable": "1.0.0", "upload-offset": "0" },
    "content-type": "application/offset+octet-stream",
  },
  cancel_parts: { "tus-resumable": "1.0.0" },
};

function ownUse(title: string, { method, path }: Operation, known: Own, { auth }: Realm): Use {
  const { body } = known;
  return {
    title,
    method,
    path: (targets, caller) => targets.own(method, path, caller),
    body: body && (() => body),
    answer: ({ credential }) => ownAnswer(known, credential, auth),
  };
}

function documentRequest(
  title: string,
  path: string,
  name: string,
  there: Documents,
  operation: DocumentOperation,
): Omit<Use, "answer"> {
  const organization = operation === "create" ? there.organization : undefined;
  return {
    title: operation === "purge" ? `${title}?purge=true` : title,
    method: title.split(" ")[0] ?? "",
    path: async (targets, caller) =>
      within(organization, await targets.document(path, name, operation, caller)),
    body: sentWith(there, operation),
  };
}

/** A path that names the organization that something is made in. */
function within(organization: string | undefined, path: string): string {
  return organization === undefined ? path : `${path}?org=${organization}`;
}

function sentWith(there: Documents, operation: DocumentOperation): Use["body"] {
  switch (operation) {
    case "create":
    case "replace":
    case "patch":
      return (caller) => bodyOf(there, operation, caller);
    case "transfer":
      return () => ({ org: there.organization ?? null });
    case "import":
      return () => ({ documents: [] });
    case "assign":
      return () => ({});
    default:
      return undefined;
  }
}

/** Apart from those of targets. */
let serial = 1_000_000;

function bodyOf({ body, ids }: Documents, operation: DocumentOperation, { credential }: Caller): JsonObject {
  serial += 1;
  if (operation !== "create" || ids === undefined) return body(serial);
  return { ...body(serial), id: ids === "own" && "user" in credential ? credential.user : `new-${serial}` };
}

/** One for each collection of the database: a batch that creates one document of it. */
function batchUses(
  title: string,
  path: string,
  database: string,
  { name: realm, auth }: Realm,
  administrators: boolean,
): readonly Use[] {
  const found = Object.entries(documents).filter(([name]) => name.startsWith(`${realm}/${database}/`));
  if (found.length === 0) throw new Error(`nobody has decided who may ${title}`);
  return found.map(([name, there]): Use => {
    const collection = name.split("/").at(-1) ?? "";
    return {
      title: `${title}, ${collection}`,
      method: "POST",
      async path(targets, caller) {
        await targets.document("", name, "create", caller);
        return within(there.organization, path);
      },
      body: (caller) => ({
        operations: [{ op: "create", collection, ...batched(bodyOf(there, "create", caller)) }],
      }),
      answer({ credential }) {
        const answer = administrators
          ? dataAnswer(name, there, "create", credential, auth)
          : auth
            ? documentAnswer(name, there, "create", credential)
            : successOf("create");
        return answer === successOf("create") ? "200" : answer;
      },
    };
  });
}

/** One for each collection of the realm that can be followed: its documents are followed by those who may list them. */
function realtimeUses(title: string, path: string, { name: realm, auth }: Realm): readonly Use[] {
  const found = Object.entries(documents).filter(
    ([name, there]) => name.startsWith(`${realm}/`) && there.realtime === true,
  );
  if (found.length === 0) throw new Error(`nobody has decided who may ${title}`);
  return found.map(([name, there]): Use => {
    const [, db = "", collection = ""] = name.split("/");
    return {
      title: `${title}, ${collection}`,
      method: "POST",
      path: async () => path,
      body: () => ({ subscriptions: [{ id: "all", db, collection }] }),
      answer: ({ credential }) =>
        auth ? documentAnswer(name, there, "list", credential) : successOf("list"),
    };
  });
}

/** An id stands beside the document. */
function batched({ id, ...document }: JsonObject): JsonObject {
  return id === undefined ? { document } : { id, document };
}
