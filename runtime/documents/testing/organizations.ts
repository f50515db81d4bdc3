import type { Person } from "../../auth/testing/accounts.ts";
import { timestamp } from "../../clock.ts";
import { isIn } from "../../filter/algebra.ts";
import {
  deletionFields,
  field,
  organizationFields,
  ownershipFields,
  teamFields,
} from "../../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { changeOrganization } from "../../organizations/change.ts";
import type { OrganizationRecord } from "../../organizations/records.ts";
import { type OrganizationsOptions, startOrganizations } from "../../organizations/testing/realm.ts";
import { markWithheld } from "../../organizations/withheld.ts";
import { type CollectionDefinition, type ReferenceDefinition, storeNameOf } from "../../realm/definition.ts";
import type { OrganizationSettings } from "../../realm/organizations.ts";
import type { ReadRule, WriteRule } from "../../realm/rule.ts";
import { realtimeRoutes } from "../../realtime/route.ts";
import { byCaller, hasOrgRole, inOrg, ownOrgs } from "../../rules/index.ts";
import { dataRoutes } from "../administration/routes.ts";
import { batchRoute } from "../routes/batch.ts";
import { collection, fields, type Received, routesOf, text } from "./shop.ts";

export const org = organizationFields["_meta.org"];
const signedIn = byCaller(({ user }) => user !== undefined);
const metaOf = ({ _meta: meta }: JsonObject): JsonObject => (isJsonObject(meta) ? meta : {});

/** `inOrg(document._meta.org)`, as the compiler emits it. */
const ofMembers: ReadRule & WriteRule = {
  possible: ({ user }) => user !== undefined,
  filter: ({ memberships }) => isIn(org, ownOrgs(memberships)),
  check: ({ memberships }, document) => inOrg(memberships, metaOf(document)["org"]),
};

/** `inOrg(data._meta.org)`. */
const byMembers: WriteRule = {
  possible: ({ user }) => user !== undefined,
  check: ({ memberships }, _, data) => inOrg(memberships, metaOf(data)["org"]),
};

const declared = { ...fields, ...ownershipFields, ...deletionFields, ...organizationFields };
const rules = {
  create: byMembers,
  read: ofMembers,
  update: ofMembers,
  delete: ofMembers,
  restore: ofMembers,
  purge: ofMembers,
};

function reference(target: string, path: string, many = false): ReferenceDefinition {
  const holds = many ? field(path, "string", [path]) : field(path, "string");
  return { database: "main", collection: target, field: holds, key: "id", many };
}

/** Of an organization, each; seen by its members. */
export const tickets = collection("tickets", {
  fields: { ...declared, ...teamFields },
  organization: { required: true, teams: "optional", onDelete: "delete" },
  asksMemberships: true,
  rules,
  // Only owners of the organization say what it costs.
  fieldRules: [
    {
      path: ["salary"],
      write: {
        check: ({ memberships }, _, data) => hasOrgRole(memberships, metaOf(data)["org"], "owner"),
      },
    },
  ],
  softDelete: {},
  aggregate: { groupBy: [org], metrics: [] },
  indexes: [
    {
      name: "slug",
      keys: [org, fields.slug].map((key) => ({ field: key, descending: false })),
      unique: true,
    },
  ],
  references: {
    parent: reference("tickets", "owner"),
    related: reference("tickets", "tags", true),
    note: reference("notes", "lang"),
  },
});

/** Of an organization or none; seen by everybody. */
export const notes = collection("notes", {
  fields: { ...declared, title: fields.title },
  organization: { required: false, onDelete: "keep" },
  rules: { create: signedIn, read: signedIn, update: signedIn, delete: signedIn },
  references: { ticket: reference("tickets", "owner"), next: reference("notes", "lang") },
});

/** Of a team, each. */
export const projects = collection("projects", {
  fields: { ...declared, ...teamFields },
  organization: { required: true, teams: "required", onDelete: "delete" },
  asksMemberships: true,
  rules,
});

/** Without organizations. */
export const pages = collection("pages", {
  rules: { create: signedIn, read: signedIn, update: signedIn, delete: signedIn },
  references: { ticket: reference("tickets", "owner"), note: reference("notes", "lang") },
});

/** Members may send them, and nobody sees them. */
export const inbox = collection("inbox", {
  fields: declared,
  organization: { required: true, onDelete: "delete" },
  customId: { duplicateLimit: 20 },
  asksMemberships: true,
  rules: { create: { ...byMembers, possible: ({ user }) => user?.email_verified === true } },
});

const everything = [tickets, notes, projects, pages, inbox];

export interface Asked {
  readonly body?: JsonValue;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Options = Pick<OrganizationsOptions, "settings" | "accounts"> & {
  readonly organizations?: Partial<OrganizationSettings>;
};

/** The realm `shop` with collections, and nobody in it; or another instance of it, on a store that is there already. */
export function serveTenants(
  collections: readonly CollectionDefinition[],
  { organizations = {}, ...options }: Options = {},
) {
  return startOrganizations(organizations, {
    ...options,
    definition: { collections },
    routes: (realm) =>
      realm === "shop"
        ? {
            ...Object.assign({}, ...collections.map(routesOf)),
            "/v1/shop/main/_batch": { POST: batchRoute("main", collections) },
            ...dataRoutes("shop", collections),
            ...realtimeRoutes("shop"),
          }
        : {},
  });
}

/**
 * The realm `shop` with collections whose documents belong to organizations: ann and bob are members of `acme`, bob and
 * cid of `bolt`; ann and cid own theirs. `desk` is a team of acme with ann in it, `crew` one of bolt with cid.
 */
export async function startTenants(
  collections: readonly CollectionDefinition[] = everything,
  options: Options = {},
) {
  const server = await serveTenants(collections, options);
  const people = await server.people("ann", "bob", "cid", "eve");
  const acme = await server.createOrg(people.ann, { name: "Acme" });
  const bolt = await server.createOrg(people.cid, { name: "Bolt" });
  const desk = await server.createTeam(acme, "Desk");
  const crew = await server.createTeam(bolt, "Crew");
  await server.join(acme, people.ann, { roles: ["owner"], teams: [desk] });
  await server.join(acme, people.bob);
  await server.join(bolt, people.bob);
  await server.join(bolt, people.cid, { roles: ["owner"], teams: [crew] });
  const robot = await server.key({ name: "robot" });
  const admin = await server.adminKey();

  /** A request to a path below `/v1/shop/main/`. */
  async function send(method: string, path: string, asked: Asked = {}): Promise<Received> {
    const headers = new Headers(asked.headers);
    if (asked.body !== undefined) {
      headers.set("content-type", method === "PATCH" ? "application/merge-patch+json" : "application/json");
    }
    if (asked.token !== undefined) headers.set("authorization", `Bearer ${asked.token}`);
    const body = asked.body === undefined ? null : JSON.stringify(asked.body);
    const response = await fetch(`${server.url}/v1/shop/main/${path}`, { method, headers, body });
    const answered = await response.text();
    return {
      status: response.status,
      body: answered === "" ? {} : JSON.parse(answered),
      text: answered,
      headers: response.headers,
      tag: response.headers.get("etag"),
    };
  }

  return {
    ...server,
    ...people,
    acme,
    bolt,
    desk,
    crew,
    /** A key without administration. */
    robot,
    /** A key that administers everything. */
    admin,
    send,
    /** As somebody: a person, or a key. */
    as:
      (who: Person | string) =>
      (method: string, path: string, body?: JsonValue, headers: Readonly<Record<string, string>> = {}) =>
        send(method, path, {
          token: typeof who === "string" ? who : who.token,
          headers,
          ...(body !== undefined && { body }),
        }),
    /** A request to `/_admin/data/main/…`. */
    data: (method: string, path: string, body?: JsonValue, headers: Readonly<Record<string, string>> = {}) =>
      send(method, `../_admin/data/main/${path}`, {
        token: admin,
        headers,
        ...(body !== undefined && { body }),
      }),
    /** A document that an administrator makes; answers its id. */
    async made(path: string, body: JsonObject = {}): Promise<string> {
      const answer = await send("POST", `../_admin/data/main/${path}`, {
        token: admin,
        body: { title: "a", ...body },
      });
      if (answer.status !== 201) throw new Error(`making in ${path} answered ${answer.text}`);
      return text(answer.body, "id");
    },
    /** What a deletion does at once; its documents stay. */
    withhold({ id }: Pick<OrganizationRecord, "id">): Promise<void> {
      const realm = { store: server.store("shop"), clock: server.clock };
      const deleted_at = timestamp(server.clock.now());
      return changeOrganization(realm, id, async ({ record }) => ({
        org: { ...record, status: "deleted", slug_key: null, deleted_at },
        result: undefined,
        along: (transaction) => markWithheld(transaction, deleted_at),
      }));
    },
    /** Brings it back with whoever was in it. */
    release({ id }: Pick<OrganizationRecord, "id">): Promise<void> {
      const realm = { store: server.store("shop"), clock: server.clock };
      return changeOrganization(realm, id, async ({ record }) => ({
        org: { ...record, status: "active", slug_key: record.slug, deleted_at: null },
        result: undefined,
        along: (transaction) => markWithheld(transaction, timestamp(server.clock.now())),
      }));
    },
    stored: (definition: CollectionDefinition) => server.store("shop").collection(storeNameOf(definition)),
  };
}

export type Tenants = Awaited<ReturnType<typeof startTenants>>;

/** `_meta` of an answer's document. */
export function meta({ body }: Pick<Received, "body">): JsonObject {
  return metaOf(body);
}

/** The ids in a list's answer. */
export function ids({ body }: Pick<Received, "body">): readonly string[] {
  const items = Array.isArray(body["items"]) ? body["items"] : [];
  return items.filter(isJsonObject).map((item) => text(item, "id"));
}
