/** What the operations on documents are and whom they serve, by collection; see `table.ts`. */
import type { JsonObject } from "../../runtime/json.ts";
import { invalid } from "./table.ts";

/** `purge`: DELETE with `?purge=true`; `check`, `import`, `transfer` and `assign` are for administrators alone. */
export type DocumentOperation =
  | FileOperation
  | "create"
  | "list"
  | "get"
  | "replace"
  | "patch"
  | "delete"
  | "purge"
  | "restore"
  | "aggregate"
  | "check"
  | "import"
  | "transfer"
  | "assign";

/**
 * On a file in a field of a document; `begin` and `complete`: an upload to an address of its own; of one in parts: to begin, to
 * see, to send one, to cancel.
 */
export type FileOperation =
  | ("upload" | "begin" | "complete" | "download" | "remove_file")
  | ("begin_parts" | "see_parts" | "send_part" | "cancel_parts");

/** What the access rules answer to users: by name, `anonymous`, or everybody else who is signed in. */
export type Verdicts = Readonly<Record<string, string>> & {
  readonly anonymous: string;
  readonly others: string;
};

/** A collection: what its documents are, and how its rules judge users. Keys are judged by their scopes alone. */
export interface Documents {
  /** One for each number, as unique indexes need it. */
  readonly body: (n: number) => JsonObject;
  readonly verdicts: Readonly<Partial<Record<DocumentOperation, Verdicts>>>;
  /** Of its fields that hold files. */
  readonly files?: Readonly<Record<string, Readonly<Partial<Record<FileOperation, Verdicts>>>>>;
  /** Where clients choose ids: any, or their user's. */
  readonly ids?: "any" | "own";
  /** What keys get, whatever their scopes; where absent, scopes decide. */
  readonly keys?: Readonly<Partial<Record<DocumentOperation, string>>>;
  /** The organization that they belong to: only its members make any, and keys are none. */
  readonly organization?: string;
  /** They can be followed, by whoever may list them. */
  readonly realtime?: true;
}

/** The organization of `maker`, whose agent is `agent`, in realms that have any. */
export const company = "company";

const success: Readonly<Record<DocumentOperation, string>> = {
  create: "201",
  list: "200",
  get: "200",
  replace: "200",
  patch: "200",
  delete: "204",
  purge: "204",
  restore: "200",
  aggregate: "200",
  check: "200",
  import: "200",
  transfer: "200",
  // Asked without what it needs: no job is left behind that goes on while others ask.
  assign: invalid,
  upload: "201",
  begin: "201",
  complete: "201",
  begin_parts: "201",
  see_parts: "200",
  send_part: "204",
  cancel_parts: "204",
  download: "200",
  remove_file: "204",
};

export function successOf(operation: DocumentOperation): string {
  return success[operation];
}

const signedIn = "401 unauthenticated";
const denied = "403 forbidden";
const hidden = "404 not_found";
export const outsider = "403 not_org_member";
const nobody: Verdicts = { anonymous: signedIn, others: denied };

/** Everybody who is signed in. */
const users = (answer: string): Verdicts => ({ anonymous: signedIn, others: answer });
/** Those named; others may not, whatever the document. */
const only = (answer: string, ...names: readonly string[]): Verdicts => ({
  anonymous: signedIn,
  others: denied,
  ...Object.fromEntries(names.map((name) => [name, answer])),
});
/** Those named; for others the document is not there. */
const seen = (answer: string, ...names: readonly string[]): Verdicts => ({
  anonymous: signedIn,
  others: hidden,
  ...Object.fromEntries(names.map((name) => [name, answer])),
});
/** Those named, who are members of the organization. */
const insiders = (answer: string, ...names: readonly string[]): Verdicts => ({
  anonymous: signedIn,
  others: outsider,
  ...Object.fromEntries(names.map((name) => [name, answer])),
});
const everybody = (answer: string): Verdicts => ({ anonymous: answer, others: answer });

/** By realm, database and collection. The documents tried belong to `maker`, where users can own any. */
export const documents: Readonly<Record<string, Documents>> = {
  "fort/main/notes": {
    body: () => ({ text: "a note" }),
    realtime: true,
    verdicts: {
      create: users("201"),
      list: users("200"),
      aggregate: users("200"),
      get: seen("200", "maker"),
      replace: seen("200", "maker"),
      patch: seen("200", "maker"),
      delete: seen("204", "maker"),
      restore: seen("200", "maker"),
      purge: only(hidden, "boss"),
    },
  },
  "fort/main/people": {
    body: () => ({ name: "Somebody" }),
    verdicts: {
      // The id is looked at before the rule.
      create: { anonymous: "400 invalid_id", others: "201" },
      list: users("200"),
      get: seen("200", "maker", "member"),
      replace: { ...seen("200", "maker"), member: denied },
      patch: { ...seen("200", "maker"), member: denied },
      delete: nobody,
    },
    ids: "own",
    // The id is the user's, and a key alone is none.
    keys: { create: "400 invalid_id" },
  },
  "fort/main/slugs": {
    body: () => ({ title: "A title" }),
    ids: "any",
    verdicts: {
      create: everybody("201"),
      list: everybody("200"),
      get: everybody("200"),
      replace: users("200"),
      patch: users("200"),
      delete: nobody,
    },
  },
  "fort/main/papers": {
    body: () => ({ title: "A paper" }),
    verdicts: {
      create: users("201"),
      list: users("200"),
      get: seen("200", "maker", "boss"),
      replace: seen("200", "maker", "boss"),
      patch: seen("200", "maker", "boss"),
      delete: { ...seen("204", "maker"), boss: denied },
      restore: nobody,
      purge: nobody,
    },
    files: {
      scan: {
        upload: seen("201", "maker", "boss"),
        download: seen("200", "maker", "boss"),
        remove_file: seen("204", "maker", "boss"),
      },
      film: {
        upload: seen("201", "maker", "boss"),
        begin: seen("201", "maker", "boss"),
        complete: seen("201", "maker", "boss"),
        begin_parts: seen("201", "maker", "boss"),
        see_parts: seen("200", "maker", "boss"),
        send_part: seen("204", "maker", "boss"),
        cancel_parts: seen("204", "maker", "boss"),
        download: seen("200", "maker", "boss"),
        remove_file: seen("204", "maker", "boss"),
      },
      // Who may read the document is not told whether there is one.
      secret: {
        upload: seen("201", "boss"),
        download: seen("200", "boss"),
        remove_file: seen("204", "boss"),
      },
    },
  },
  "fort/main/sealed": {
    body: () => ({ code: "x" }),
    verdicts: { create: nobody, list: nobody, get: nobody, replace: nobody, patch: nobody, delete: nobody },
  },
  "helpdesk/support/customers": {
    body: (n) => ({ name: "Ada", email: `ada-${n}@example.com` }),
    verdicts: {
      create: only("201", "agent", "lead"),
      list: only("200", "agent", "lead"),
      get: only("200", "agent", "lead"),
      replace: only("200", "agent", "lead"),
      patch: only("200", "agent", "lead"),
      delete: only("204", "lead"),
    },
  },
  "helpdesk/support/replies": {
    body: () => ({ ticket_id: "none", text: "a reply" }),
    organization: company,
    verdicts: {
      create: insiders("201", "maker", "agent"),
      list: users("200"),
      get: seen("200", "maker", "agent", "lead"),
      replace: { ...seen("200", "maker"), agent: denied, lead: denied },
      patch: { ...seen("200", "maker"), agent: denied, lead: denied },
      delete: only("204", "lead"),
    },
  },
  "helpdesk/support/tickets": {
    body: () => ({ subject: "Help", status: "open" }),
    organization: company,
    realtime: true,
    verdicts: {
      create: insiders("201", "maker", "agent"),
      list: users("200"),
      aggregate: users("200"),
      get: seen("200", "maker", "agent", "lead"),
      replace: seen("200", "maker", "agent", "lead"),
      patch: seen("200", "maker", "agent", "lead"),
      delete: seen("204", "maker", "agent", "lead"),
      restore: only("200", "lead"),
      purge: only("204", "lead"),
    },
    files: {
      attachments: {
        upload: seen("201", "maker", "agent", "lead"),
        begin: seen("201", "maker", "agent", "lead"),
        complete: seen("201", "maker", "agent", "lead"),
        download: seen("200", "maker", "agent", "lead"),
        remove_file: seen("204", "maker", "agent", "lead"),
      },
    },
  },
  "inventory/stock/items": { body: (n) => ({ sku: `ABC-${n}`, name: "Nail", unit: "piece" }), verdicts: {} },
  "inventory/stock/locations": { body: (n) => ({ warehouse: "north", aisle: 1, bin: n }), verdicts: {} },
  "inventory/stock/movements": {
    body: () => ({ item_id: "i", location_id: "l", quantity: 1, moved_at: "2026-01-01T00:00:00Z" }),
    realtime: true,
    verdicts: {},
  },
};
