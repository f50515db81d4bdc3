import ajv2020 from "ajv/dist/2020.js";
import { accountRoutes } from "../../auth/accounts/routes.ts";
import { collections as systemCollections } from "../../auth/collections.ts";
import { createKey } from "../../auth/command-keys.ts";
import type { NewKey } from "../../auth/keys.ts";
import { type AuditRecord, readAudit } from "../../auth/records.ts";
import { changeUser } from "../../auth/users.ts";
import { TRUE } from "../../filter/algebra.ts";
import { documentFields, field } from "../../filter/fields.ts";
import {
  type HeldClock,
  manySignups,
  type Started,
  type StartOptions,
  startRealm,
} from "../../instance/testing/servers.ts";
import { beyondSafeIntegers, isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import {
  type AccountSettings,
  type CollectionDefinition,
  type RealmDefinition,
  storeNameOf,
} from "../../realm/definition.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import type { Validator } from "../../realm/validator.ts";
import type { StoreCollection } from "../../store/contract/collection.ts";
import { formats } from "../../validation/formats.ts";
import { dataRoutes } from "../administration/routes.ts";
import { aggregateDocuments } from "../routes/aggregate.ts";
import { batchRoute } from "../routes/batch.ts";
import { createDocument } from "../routes/create.ts";
import { deleteDocument, softDeleteDocument } from "../routes/delete.ts";
import { getDocument } from "../routes/get.ts";
import { listDocuments } from "../routes/list.ts";
import { restoreDocument } from "../routes/restore.ts";
import { patchDocument, replaceDocument } from "../routes/update.ts";

export const second = 1000;
export const minute = 60 * second;
export const day = 24 * 60 * minute;

/** The schema of test collections. */
const schema: JsonObject = {
  type: "object",
  properties: {
    title: { type: "string", minLength: 1, maxLength: 50 },
    slug: { type: "string" },
    lang: { type: "string" },
    qty: { type: "integer", minimum: 0 },
    owner: { type: "string" },
    salary: { type: ["integer", "null"] },
    due_at: { type: "string", format: "date-time" },
    tags: { type: "array", items: { type: "string" } },
    address: {
      type: ["object", "string", "null"],
      properties: { city: { type: "string" }, zip: { type: "string" }, due_at: { type: "string" } },
      additionalProperties: false,
    },
    extra: { type: "object" },
  },
  required: ["title"],
  additionalProperties: false,
};

export const fields = {
  ...documentFields,
  title: field("title", "string"),
  slug: field("slug", "string"),
  lang: field("lang", "string"),
  qty: field("qty", "integer"),
  owner: field("owner", "string"),
  due_at: field("due_at", "date-time"),
};

/** The validator of a schema, as the compiler emits it. */
export function validatorOf(of: JsonObject): Validator {
  const ajv = new ajv2020.default({ allErrors: true, strict: false, formats: { ...formats } });
  ajv.addKeyword({
    keyword: "safeInteger",
    type: "number",
    error: { message: beyondSafeIntegers },
    validate: (_: unknown, data: number) => Math.abs(data) <= Number.MAX_SAFE_INTEGER,
  });
  const validate = ajv.compile(JSON.parse(JSON.stringify(of), withSafeIntegers));
  const check: Validator = (data) => {
    const valid = validate(data);
    check.errors = validate.errors ?? null;
    return valid;
  };
  return check;
}

function withSafeIntegers(_: string, value: JsonValue): JsonValue {
  const isInteger = isJsonObject(value) && [value["type"]].flat().includes("integer");
  return isInteger ? { ...value, safeInteger: true } : value;
}

const validate = validatorOf(schema);

/** A collection of the test realm: any documents with a `title`, unless `more` says otherwise. */
export function collection(name: string, more: Partial<CollectionDefinition> = {}): CollectionDefinition {
  return { realm: "shop", database: "main", name, fields, indexes: [], validate, ...more };
}

export function routesOf(definition: CollectionDefinition): RouteTable {
  const path = `/v1/shop/${definition.database}/${definition.name}`;
  const soft = definition.softDelete !== undefined;
  return {
    [path]: { GET: listDocuments(definition), POST: createDocument(definition) },
    [`${path}/_aggregate`]: { GET: aggregateDocuments(definition) },
    [`${path}/:id`]: {
      GET: getDocument(definition),
      PUT: replaceDocument(definition),
      PATCH: patchDocument(definition),
      DELETE: soft ? softDeleteDocument(definition) : deleteDocument(definition),
    },
    ...(soft && { [`${path}/:id/restore`]: { POST: restoreDocument(definition) } }),
  };
}

export interface Sent {
  readonly body?: JsonValue;
  /** Sent as it is. */
  readonly text?: string;
  /** Of a session or key. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  /** `{}` where there is none. */
  readonly body: JsonObject;
  readonly text: string;
  readonly headers: Headers;
  readonly tag: string | null;
}

export interface Shop extends Started<HeldClock> {
  /** A request to a path below `/v1/shop/main/`. */
  send(method: string, path: string, sent?: Sent): Promise<Received>;
  /** A new user's session token. */
  signUp(email: string): Promise<{ readonly token: string; readonly id: string }>;
  /** The same with roles: `boss` administers everything, `librarian` data, `reader` only looks. */
  person(
    email: string,
    ...roles: readonly string[]
  ): Promise<{ readonly token: string; readonly id: string }>;
  setRoles(id: string, ...roles: readonly string[]): Promise<void>;
  key(key?: Partial<NewKey>): Promise<string>;
  /** What the audit trail says about documents, oldest first. */
  audit(): Promise<readonly AuditRecord[]>;
  /** What is stored, past the API. */
  stored(definition: CollectionDefinition): StoreCollection;
}

const accounts: AccountSettings = {
  signup: "open",
  signupLimit: manySignups,
  roles: [
    { name: "boss", admin: true },
    { name: "librarian", admin: ["data"] },
    { name: "keymaster", admin: ["apikeys", "users"] },
    { name: "reader", admin: "read" },
  ],
  defaultRoles: [],
  sessionLifetime: 365 * day,
  sessionIdleTimeout: 365 * day,
  adminIdleTimeout: 365 * day,
  adminMaxLifetime: 365 * day,
  readAccess: [],
  cookie: { sameSite: "lax" },
};

export interface ShopOptions extends Omit<StartOptions, "clock"> {
  readonly accounts?: Partial<AccountSettings>;
  readonly definition?: Partial<Omit<RealmDefinition, "name" | "accounts" | "collections">>;
  /** Beside those of documents. */
  readonly routes?: readonly RouteTable[];
}

/**
 * Starts the realm `shop` with collections of its database `main`.
 * @param auth whether the realm has accounts
 */
export async function startShop(
  auth: "enabled" | "disabled",
  collections: readonly CollectionDefinition[],
  { accounts: more = {}, definition = {}, routes = [], ...options }: ShopOptions = {},
): Promise<Shop> {
  const server = await startRealm(
    {
      definition: {
        name: "shop",
        ...(auth === "enabled" && { accounts: { ...accounts, ...more } }),
        origins: [],
        appConfig: {},
        effective: { realm: {}, databases: {} },
        ...definition,
        collections,
      },
      routes: [
        ...(auth === "enabled" ? [accountRoutes("shop")] : []),
        ...collections.map(routesOf),
        { "/v1/shop/main/_batch": { POST: batchRoute("main", collections) } },
        dataRoutes("shop", collections),
        ...routes,
      ],
    },
    options,
  );

  async function send(method: string, path: string, sent: Sent = {}): Promise<Received> {
    const headers = new Headers(sent.headers);
    const body = sent.text ?? (sent.body === undefined ? null : JSON.stringify(sent.body));
    if (body !== null && !headers.has("content-type")) {
      headers.set("content-type", method === "PATCH" ? "application/merge-patch+json" : "application/json");
    }
    if (sent.token !== undefined) headers.set("authorization", `Bearer ${sent.token}`);
    const response = await fetch(`${server.url}/v1/shop/main/${path}`, { method, headers, body });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? {} : JSON.parse(text),
      text,
      headers: response.headers,
      tag: response.headers.get("etag"),
    };
  }

  async function signUp(email: string) {
    const { body } = await send("POST", "../_auth/signup", { body: { email, password: "correct horse" } });
    return { token: text(body, "session", "token"), id: text(body, "user", "id") };
  }

  async function setRoles(id: string, ...roles: readonly string[]): Promise<void> {
    await changeUser(server.store("shop"), id, (user) => ({ ...user, roles }));
  }

  return {
    ...server,
    send,
    signUp,
    async person(email, ...roles) {
      const person = await signUp(email);
      await setRoles(person.id, ...roles);
      return person;
    },
    setRoles,
    async audit() {
      const all = { filter: TRUE, visibility: "live", limit: 10_000, skip: 0 } as const;
      const found = await server.store("shop").collection(systemCollections.audit).find(all);
      const records = found.map((document) => readAudit(document).record);
      return records.filter(({ action }) => action.startsWith("data."));
    },
    key: (key = {}) => createKey(server.store("shop"), server.clock, { name: "robot", admin: false, ...key }),
    stored: (definition) => server.store("shop").collection(storeNameOf(definition)),
  };
}

/** The member at a path, which must be text. */
export function text(body: JsonObject, ...path: readonly string[]): string {
  let value: unknown = body;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  if (typeof value !== "string") throw new Error(`no text at ${path.join(".")} in ${JSON.stringify(body)}`);
  return value;
}

/** The paths of an error's details. */
export function paths({ body }: Received): readonly string[] {
  return details({ body }).map(({ path }) => path);
}

export function details({
  body,
}: Pick<Received, "body">): readonly { readonly path: string; readonly reason: string }[] {
  const error = isJsonObject(body["error"]) ? body["error"] : {};
  const given = Array.isArray(error["details"]) ? error["details"] : [];
  return given
    .filter(isJsonObject)
    .map((detail) => ({ path: text(detail, "path"), reason: text(detail, "reason") }));
}

/** The code of an error. */
export function code({ body }: Pick<Received, "body">): string {
  return text(body, "error", "code");
}
