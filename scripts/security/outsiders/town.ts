/**
 * The realm `tenants` on a server, with organizations full of things, and with people who have no business in them.
 */
import { createKey } from "../../../runtime/auth/command-keys.ts";
import type { NewKey } from "../../../runtime/auth/keys.ts";
import { type HeldClock, type Started, startRealm } from "../../../runtime/instance/testing/servers.ts";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import type { RealmModule } from "../../../runtime/realm/exchange.ts";
import { insertProof, insertSession, insertUser } from "../../people.ts";
import { type Received, type Sent, send } from "../send.ts";
import { manyStreams } from "../streams.ts";

/** Collections whose documents belong to organizations. */
export const owned = ["tasks", "ledgers", "drafts", "reviews", "plans", "wiki", "handles"] as const;
export type Owned = (typeof owned)[number];

/** What requests can name: in an organization, or nothing at all. */
export interface Names {
  readonly org: string;
  readonly team: string;
  /** One of each collection, of this organization and team. */
  readonly documents: Readonly<Record<Owned, string>>;
  /** In `scan` of the document of `tasks`. */
  readonly file: string;
  /** Into `film` of the same, which is open. */
  readonly upload: string;
  /** The same of one in parts. */
  readonly parts: string;
  /** A document of `wiki` in the trash. */
  readonly trashed: string;
  readonly invitation: string;
  /** Of the organization: its id. */
  readonly key: string;
  /** A member. */
  readonly user: string;
}

export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Town extends Started<HeldClock> {
  /** To a path below the realm. */
  ask(caller: Caller, method: string, path: string, sent?: Sent): Promise<Received>;
  /** The same, which has to succeed. */
  well(caller: Caller, method: string, path: string, body?: JsonObject): Promise<JsonObject>;
  /** Somebody in a session of their own; absent, their account has no second factor. */
  person(id: string, more?: { readonly factor?: "used" | "unused" }): Promise<Caller>;
  key(name: string, more?: Partial<NewKey>): Promise<Caller>;
  /** Who comes by the key of an organization. */
  service(names: Names): Caller;
  acting(id: string): Caller;
  /** The caller with a fresh proof of identity. */
  proved(caller: Caller): Promise<Caller>;
  readonly administrator: Caller;
  /** An organization of somebody's, with a team and something in every collection; its slug is the name in lower case. */
  found(owner: Caller, name: string): Promise<Names>;
  /** The claims of an organization, members by administrators' hand, and its end. */
  administer(method: "PUT" | "DELETE", path: string, body?: JsonObject): Promise<JsonObject>;
}

export const nobody: Caller = { name: "nobody", headers: {} };

export async function startTown(module: RealmModule): Promise<Town> {
  const server = await startRealm(module, { settings: manyStreams });
  const { clock } = server;
  const { name: realm } = module.definition;
  const store = server.store(realm);
  const delegate = await createKey(store, clock, { name: "delegate", admin: false, onBehalfOf: true });
  const users = new Map<string, Awaited<ReturnType<typeof insertUser>>>();
  const sessions = new Map<Caller, { readonly user: string; readonly session: string }>();
  const services = new Map<string, Caller>();
  const proofs = new Map<string, string>();
  let serial = 0;

  const ask: Town["ask"] = (caller, method, path, sent = {}) =>
    send(method, `${server.url}/v1/${realm}${path}`, {
      ...sent,
      headers: { ...caller.headers, ...sent.headers },
    });

  const well: Town["well"] = async (caller, method, path, body) => {
    const answer = await ask(caller, method, path, body && { body });
    if (answer.status >= 300) throw new Error(`${caller.name}: ${method} ${path} answered ${answer.text}`);
    return answer.body;
  };

  const key: Town["key"] = async (name, more = {}) => ({
    name,
    headers: { authorization: `Bearer ${await createKey(store, clock, { name, admin: false, ...more })}` },
  });

  const person: Town["person"] = async (id, { factor } = {}) => {
    const totp = factor === undefined ? null : { secret: { key: "", box: "" }, step: 0, recovery: [] };
    if (!users.has(id)) users.set(id, await insertUser(store, clock, id, { totp }));
    serial += 1;
    const session = `session-${serial}`;
    const token = await insertSession(store, clock, id, session, { mfa: factor === "used" });
    const caller: Caller = {
      name: factor === "unused" ? `${id} without the second factor` : id,
      headers: { authorization: `Bearer ${token}` },
    };
    sessions.set(caller, { user: id, session });
    return caller;
  };

  const proved: Town["proved"] = async (caller) => {
    const { user = "", session = "" } = sessions.get(caller) ?? {};
    const record = users.get(user);
    if (record === undefined) throw new Error(`${caller.name} is in no session`);
    // A session has one at a time.
    const proof = proofs.get(session) ?? (await insertProof(store, clock, record, session));
    proofs.set(session, proof);
    return { ...caller, headers: { ...caller.headers, "x-svc-reauth": proof } };
  };

  const administrator = await key("administrator", { admin: true });

  /** Ids of one moment are neighbours, and those of nothing lie close to those of something. */
  async function made(caller: Caller, path: string, body: JsonObject): Promise<string> {
    clock.advance(1_000);
    return String((await well(caller, "POST", path, body))["id"]);
  }

  return {
    ...server,
    ask,
    well,
    person,
    key,
    proved,
    administrator,
    service({ org }) {
      const caller = services.get(org);
      if (caller === undefined) throw new Error(`${org} has no key`);
      return caller;
    },
    acting: (id) => ({
      name: `a key for ${id}`,
      headers: { authorization: `Bearer ${delegate}`, "x-svc-on-behalf-of": id },
    }),
    administer: (method, path, body) => well(administrator, method, `/_admin/orgs/${path}`, body),
    async found(owner, name) {
      const slug = name.toLowerCase();
      const org = await made(owner, "/_orgs", { name, slug });
      const team = await made(owner, `/_orgs/${org}/teams`, { name: "red", roles: ["guest"] });
      const { user = "" } = sessions.get(owner) ?? {};
      await well(owner, "PUT", `/_orgs/${org}/teams/${team}/members/${user}`);
      await well(owner, "POST", `/_orgs/${org}/teams/${team}/roles`, { user, role: "lead" });
      await well(administrator, "PUT", `/_admin/orgs/${org}/claims`, { plan: "pro" });
      const invitation = await made(owner, `/_orgs/${org}/invitations`, { binding: "none", max_uses: 3 });
      const { id: keyId, key: secret } = await well(await proved(owner), "POST", `/_orgs/${org}/keys`, {
        ...{ name: "program", roles: ["guest"], teams: [team] },
      });
      services.set(org, {
        name: `the key of ${name}`,
        headers: { authorization: `Bearer ${secret}` },
      });
      const document = (collection: Owned, query: string, body: JsonObject = {}) =>
        made(owner, `/main/${collection}?org=${org}${query}`, { title: `${name} keeps this`, ...body });
      const inTeam = `&team=${team}`;
      const tasks = await document("tasks", inTeam);
      const scan = await well(owner, "POST", `/main/tasks/${tasks}/_files/scan`, { kept: name });
      const { upload } = await well(owner, "POST", `/main/tasks/${tasks}/_files/film/_uploads`, {
        ...{ name: "film", type: "application/json", size: 7, sha256: "0".repeat(64) },
      });
      const begun = await ask(owner, "POST", `/main/tasks/${tasks}/_files/film/_tus`, {
        headers: { "tus-resumable": "1.0.0", "upload-length": "7" },
      });
      const parts = begun.headers.get("location")?.split("/").at(-1) ?? "";
      const trashed = await document("wiki", inTeam);
      await well(owner, "DELETE", `/main/wiki/${trashed}`);
      return {
        org,
        team,
        documents: {
          tasks,
          ledgers: await document("ledgers", ""),
          drafts: await document("drafts", inTeam),
          reviews: await document("reviews", inTeam),
          plans: await document("plans", ""),
          wiki: await document("wiki", inTeam, { slug, kind: "guide", size: 7, task_id: tasks, code: slug }),
          handles: await document("handles", "", { id: `${slug}-handle`, code: slug }),
        },
        file: String(scan["id"]),
        upload: String(upload),
        parts,
        trashed,
        invitation,
        key: String(keyId),
        user,
      };
    },
  };
}

/** Names of nothing, which stand where these do in any order. */
export function unlike(names: Names): Names {
  const other = (id: string) => id.slice(0, -1) + (id.endsWith("z") ? "y" : "z");
  return {
    org: other(names.org),
    team: other(names.team),
    documents: {
      tasks: other(names.documents.tasks),
      ledgers: other(names.documents.ledgers),
      drafts: other(names.documents.drafts),
      reviews: other(names.documents.reviews),
      plans: other(names.documents.plans),
      wiki: other(names.documents.wiki),
      handles: other(names.documents.handles),
    },
    file: other(names.file),
    upload: other(names.upload),
    parts: other(names.parts),
    trashed: other(names.trashed),
    invitation: other(names.invitation),
    key: other(names.key),
    user: other(names.user),
  };
}

/** Everything of an answer but what names the request, and what requests of its kind could name. */
export function told({ status, headers, text }: Received, ...named: readonly Names[]): string {
  const ofRequest = ["date", "x-request-id", "content-length"];
  const kept = [...headers].filter(([name]) => !ofRequest.includes(name)).sort();
  // What was made has an id of its own.
  const own = status === 201 ? ownIds(text) : [];
  const ids = [...own, ...named.flatMap(idsOf)];
  return ids.reduce(
    (answer, id) => answer.replaceAll(id, "ID"),
    `${status} ${JSON.stringify(kept)} ${text.replace(/"request_id":"[^"]*"|(?<=^id: ).*$/m, "")}`,
  );
}

function idsOf({ documents, ...others }: Names): readonly string[] {
  return [...Object.values(documents), ...Object.values(others)];
}

function ownIds(text: string): readonly string[] {
  const body: unknown = JSON.parse(text);
  return isJsonObject(body) && typeof body["id"] === "string" ? [body["id"]] : [];
}
