/** A realm with a function of each kind, as its emitted modules and types would have it. */

import { collection, validatorOf } from "../../documents/testing/shop.ts";
import type {
  CallHandler,
  EventHandler,
  ReadsAndWrites,
  ScheduleEvent,
  TriggerEvent,
  WebhookHandler,
} from "../../functions/handler.ts";
import { call, event, webhook } from "../../functions/testing/shop.ts";
import { definitionOf } from "../../organizations/testing/realm.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import { byCaller } from "../../rules/index.ts";

interface Note {
  title: string;
  qty?: number;
}

interface NoteShape {
  document: Note & {
    id: string;
    _meta: {
      version: number;
      owner: string | null;
      org?: string | null;
      created_by: string;
      chain?: { root: string; depth: number };
    };
  };
  content: Note;
  create: Note;
  patch: Partial<Note>;
  fields: { title: { $eq?: string } };
  references: object;
  traits: "accounts" | "organization";
  aggregation: { keys: object; by: never; metrics: object };
}

export type Collections = { main: { notes: NoteShape } };

interface Reached {
  reach: { main: { notes: ReadsAndWrites<NoteShape> } };
  callers: { main: { notes: ReadsAndWrites<NoteShape> } };
  secrets: never;
  calls: { "main/file": { note: string } };
  mail: true;
  organizations: true;
}

export type File = CallHandler<{ note: string }, { by: string }, Reached>;
export type Hook = WebhookHandler<Omit<Reached, "secrets"> & { secrets: "TOKEN" }>;
export type Tick = EventHandler<ScheduleEvent, Reached>;
export type Watch = EventHandler<TriggerEvent<"main/notes", NoteShape, "create" | "update">, Reached>;

/** A handler as somebody writes it. */
export const file: File = async ({ note: id }, ctx) => {
  const note = await ctx.caller.db.main.notes.get(id);
  if (note === null) throw ctx.error(404, "no_such_note", "You see no note of this id.", [{ path: "note" }]);
  ctx.log.info("filed", { id });
  const filed = await ctx.db.main.notes.update(id, ({ qty = 0 }) => ({ qty: qty + 1 }));
  return { by: `${ctx.caller.kind} ${filed.qty}` };
};

const signedIn = byCaller(({ user }) => user !== undefined);

const notes = collection("notes", {
  rules: { create: signedIn, read: byCaller(({ user }) => user?.roles.includes("reader") === true) },
  organization: { required: false, onDelete: "delete" },
  asksMemberships: true,
});

const text = { type: "string", minLength: 1 };

const functions = [
  call("file", {
    mail: true,
    invoke: signedIn,
    validateInput: validatorOf({ required: ["note"], properties: { note: text } }),
    validateOutput: validatorOf({ required: ["by"], properties: { by: text } }),
  }),
  call("once", { idempotency: "required" }),
  webhook("hook", { secrets: ["TOKEN"], network: ["api.example.com"] }),
  event("tick", {
    scopes: { read: [], write: [] },
    schedule: { cron: "0 3 * * *", timezone: "Europe/Berlin" },
  }),
  event("watch", {
    triggers: [
      {
        ...{ database: "main", collection: "notes", on: ["create", "update"] },
        when: { check: (_, { title }: Note) => title !== "quiet" },
      },
    ],
  }),
];

/** Without functions. */
export const base = definitionOf([notes]);
const accounts = base.accounts && { ...base.accounts, roles: [{ name: "reader" }] };
const definition: RealmDefinition = { ...base, ...(accounts && { accounts }), functions };

export const shop: RealmModule = { definition, routes: [] };
