/** What requests are about: users, sessions, keys, documents, each made for the one request. */
import { hash } from "node:crypto";
import { collections } from "../../runtime/auth/collections.ts";
import { type KeyBinding, writeKey } from "../../runtime/auth/key-records.ts";
import { makeKey } from "../../runtime/auth/keys.ts";
import type { HeldClock, Started } from "../../runtime/instance/testing/servers.ts";
import { findJob } from "../../runtime/jobs/queue.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { findOrganization } from "../../runtime/organizations/change.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import { until } from "../../runtime/testing/until.ts";
import { insertService, insertSession, insertUser } from "../people.ts";
import type { Caller } from "./callers.ts";
import { type DocumentOperation, documents } from "./documents.ts";
import { send } from "./send.ts";
import { written } from "./table.ts";

const bytes = JSON.stringify(written);

/** What is said of a file before it is sent. */
export const claimed: JsonObject = {
  name: "a.json",
  type: "application/json",
  size: bytes.length,
  sha256: hash("sha256", bytes),
};

/** The same of one that comes in parts. */
export const inParts: Readonly<Record<string, string>> = {
  "tus-resumable": "1.0.0",
  "upload-length": String(bytes.length),
};

export class Targets {
  readonly #server: Started<HeldClock>;
  readonly #definition: RealmDefinition;
  readonly #operator: string;
  #serial = 0;

  /** @param operator an API key with full administration that may act for users */
  constructor(server: Started<HeldClock>, definition: RealmDefinition, operator: string) {
    this.#server = server;
    this.#definition = definition;
    this.#operator = operator;
  }

  /** A path of the service's own, leading to something that is there. */
  async own(method: string, path: string, { credential }: Caller): Promise<string> {
    const parameters = path.match(/\{\w+\}/g) ?? [];
    if (parameters.length === 0) return path;
    const below = path.slice(`/v1/${this.#definition.name}`.length);
    if (/^\/(?:_admin\/)?_?orgs\//.test(below)) return this.#organizationPath(path);
    if (below.startsWith("/_admin/functions/")) return this.#functionPath(path);
    if (`${method} ${below}` === "PUT /_files/{signed}")
      return path.replace("{signed}", await this.#address());
    const [start = ""] = below.split("/{");
    const user = credential.kind === "session" ? credential.user : "maker";
    return path.replace(/\{\w+\}/, await this.#made(start, user));
  }

  async #made(start: string, user: string): Promise<string> {
    this.#serial += 1;
    const name = `target-${this.#serial}`;
    switch (start) {
      case "/_auth/sessions":
        await this.#session(user, name);
        return name;
      case "/_auth/tokens":
        return this.#keyOf({ kind: "personal", user }, name);
      case "/_admin/users":
        await insertUser(this.#store, this.#server.clock, name);
        await this.#session(name, `of-${name}`);
        return name;
      case "/_admin/invitations":
        return this.#id(await this.#ask("POST", start, { roles: [] }));
      case "/_files":
        return this.#link();
      case "/_admin/migrations":
        return "0001";
      case "/_admin/jobs":
        return this.#job();
      case "/main/_jobs":
        return this.#cancelledCall("main/_func/ping", {});
      case "/support/_jobs":
        return this.#cancelledCall("support/_func/close", { ticket: "none", reason: "None." });
      case "/_admin/keys":
        return this.#id(await this.#ask("POST", start, { name, scopes: {} }));
      case "/_admin/secrets": {
        const secret = name.replace("-", "_");
        await this.#ask("PUT", `${start}/${secret}`, { value: "of the bank" });
        return secret;
      }
      default:
        throw new Error(`nobody has said what ${start}/{} leads to`);
    }
  }

  #functionPath(path: string): string {
    const [any] = this.#definition.functions ?? [];
    if (any === undefined) throw new Error("the realm has no functions");
    return path.replace("{database}", any.database).replace("{fn}", any.name);
  }

  /** A path of an organization of `maker`'s that has `agent` as a plain member, or of something in it. */
  async #organizationPath(path: string): Promise<string> {
    const org = await this.#organization();
    const names: Record<string, string> = { org, user: "agent" };
    if (path.includes("/keys/{id}")) names["id"] = await this.#serviceOf(org);
    else if (path.includes("{id}")) {
      const invited = await this.#ask("POST", `/_admin/orgs/${org}/invitations`, { user: "stranger" });
      names["id"] = this.#id(invited);
    }
    if (path.includes("{team}")) names["team"] = await this.#team(org);
    if (path.endsWith("/reactivate") || path.endsWith("/_admin/orgs/{org}")) await this.#delete(org);
    return path.replace(/\{(\w+)\}/g, (written, name: string) => names[name] ?? written);
  }

  async #organization(): Promise<string> {
    const org = this.#id(await this.#ask("POST", "/_admin/orgs", { name: "Target", owner: "maker" }));
    await this.#ask("PUT", `/_admin/orgs/${org}/members/agent`, { roles: [] });
    return org;
  }

  /** A key of the organization. */
  async #serviceOf(org: string): Promise<string> {
    this.#serial += 1;
    const key = await this.#keyOf({ kind: "organization", org }, `target-${this.#serial}`);
    await insertService(this.#store, this.#server.clock, org, { key, name: key }, []);
    return key;
  }

  async #keyOf(binding: KeyBinding, name: string): Promise<string> {
    const key = { name, admin: false, binding };
    const { record } = makeKey(key, "test", this.#server.clock.now(), () => name);
    await this.#store.collection(collections.keys).insert(writeKey(record, 1));
    return record.key;
  }

  /** A team that the agent is in, and has a role in. */
  async #team(org: string): Promise<string> {
    this.#serial += 1;
    const token = await this.#session("maker", `manager-${this.#serial}`);
    const teams = `/_orgs/${org}/teams`;
    const team = this.#id(await this.#ask("POST", teams, { name: "Target" }, { token }));
    await this.#ask("PUT", `${teams}/${team}/members/agent`, undefined, { token });
    await this.#ask("POST", `${teams}/${team}/roles`, { user: "agent", role: "substitute" }, { token });
    return team;
  }

  /** Deletes an organization, and waits until its job has done what there is to do. */
  async #delete(org: string): Promise<void> {
    await this.#ask("DELETE", `/_admin/orgs/${org}`);
    await until(async () => {
      const found = await findOrganization({ store: this.#store }, org);
      if (found?.record.cleanup !== null) throw new Error("it is still being erased");
    });
  }

  /** One that every realm has once its server looks for work. */
  async #job(): Promise<string> {
    await until(async () => {
      if ((await findJob(this.#store, "retention")) === undefined) throw new Error("it is yet to be made");
    });
    return "retention";
  }

  /** The job of a call that `maker` had queued, and cancelled before it was made. */
  async #cancelledCall(call: string, input: JsonObject): Promise<string> {
    const { job } = await this.#ask("POST", `/${call}?async=true`, input, { user: "maker" });
    if (typeof job !== "string") throw new Error("no job was queued");
    const [database] = call.split("/");
    await this.#ask("DELETE", `/${database}/_jobs/${job}`, undefined, { user: "maker" });
    return job;
  }

  /** A path to a collection, or to a document of it that the operation can be done with; it is the maker's. */
  async document(
    path: string,
    name: string,
    operation: DocumentOperation,
    { credential }: Caller,
  ): Promise<string> {
    const there = documents[name];
    if (there === undefined) throw new Error(`no documents of ${name}`);
    const collection = name.slice(this.#definition.name.length);
    if (there.ids === "own") {
      // Everybody has one of their own at most.
      const mine = operation === "create" && "user" in credential ? credential.user : "maker";
      await this.#store.collection(collection.slice(1).replace("/", ".")).remove(mine);
    }
    if (!path.includes("{")) return path;
    const owned = there.verdicts.create?.["maker"] ?? there.verdicts.create?.others;
    this.#serial += 1;
    const id = there.ids === "own" ? "maker" : `target-${this.#serial}`;
    const document = { ...there.body(this.#serial), ...(there.ids !== undefined && { id }) };
    const made = this.#id(
      await this.#ask(
        "POST",
        there.organization === undefined ? collection : `${collection}?org=${there.organization}`,
        document,
        owned === "201" ? { user: "maker" } : {},
      ),
    );
    if (operation === "restore") await this.#ask("DELETE", `${collection}/${made}`);
    return path.replace(/\{\w+\}/, made) + (operation === "purge" ? "?purge=true" : "");
  }

  /** A path to a field of a document of the maker's, to a file in one, or to an upload that the caller has begun, if they may. */
  async file(path: string, name: string, field: string, caller: Caller): Promise<string> {
    const { made, collection } = await this.#document(name);
    const at = path.replace("{id}", made);
    if (at.includes("{upload}")) return at.replace("{upload}", await this.#upload(at, caller));
    if (!at.includes("{file}")) return at;
    // The operator passes the rules.
    const file = await this.#ask("POST", `${collection}/${made}/_files/${field}`, written);
    return at.replace("{file}", this.#id(file));
  }

  /** What a link of a document's file ends with. */
  async #link(): Promise<string> {
    const { document, field } = await this.#filed();
    await this.#ask("POST", `${document}/_files/${field}`, written);
    const { [field]: files } = await this.#ask("GET", `${document}?file_links=true`);
    const [file] = Array.isArray(files) ? files : [files];
    if (!isJsonObject(file) || typeof file["url"] !== "string") throw new Error("no link");
    return file["url"].split("/").at(-1) ?? "";
  }

  /** What an address ends with that takes the bytes of an upload. */
  async #address(): Promise<string> {
    const { document, field } = await this.#filed();
    const { url } = await this.#ask("POST", `${document}/_files/${field}/_uploads`, claimed);
    return String(url).split("/").at(-1) ?? "";
  }

  /** A document of the maker's, and a field of it that files are sent to directly. */
  async #filed(): Promise<{ readonly document: string; readonly field: string }> {
    const realm = this.#definition.name;
    for (const [name, { files = {} }] of Object.entries(documents)) {
      const field = Object.keys(files).find((each) => files[each]?.begin !== undefined);
      if (!name.startsWith(`${realm}/`) || field === undefined) continue;
      const { made, collection } = await this.#document(name);
      return { document: `${collection}/${made}`, field };
    }
    throw new Error(`no documents of ${realm} have files that are sent directly`);
  }

  /** A new one of the maker's. */
  async #document(name: string): Promise<{ readonly collection: string; readonly made: string }> {
    const { body, organization } = documents[name] ?? {};
    if (body === undefined) throw new Error(`no documents of ${name}`);
    const collection = name.slice(this.#definition.name.length);
    const query = organization === undefined ? "" : `?org=${organization}`;
    const made = await this.#ask("POST", collection + query, body(this.#serial), { user: "maker" });
    return { collection, made: this.#id(made) };
  }

  /** One whose bytes are there: of the caller, or of the operator where the caller may begin none. */
  async #upload(path: string, caller: Caller): Promise<string> {
    if (path.includes("/_tus/")) return this.#begunInParts(path.replace("/{upload}", ""), caller);
    const begun = `${this.#server.url}${path.replace("/{upload}/complete", "")}`;
    const own = await send("POST", begun, { headers: await caller.headers(), body: claimed });
    const { body } =
      own.status === 201 ? own : await send("POST", begun, { token: this.#operator, body: claimed });
    const { status } = await send("PUT", `${this.#server.url}${body["url"]}`, { body: written });
    if (status !== 204) throw new Error(`the bytes of an upload were answered ${status}`);
    return String(body["upload"]);
  }

  /** The same of one that comes in parts, of which none is there. */
  async #begunInParts(path: string, caller: Caller): Promise<string> {
    const at = this.#server.url + path;
    const own = await send("POST", at, { headers: { ...inParts, ...(await caller.headers()) } });
    const begun =
      own.status === 201 ? own : await send("POST", at, { headers: inParts, token: this.#operator });
    return begun.headers.get("location")?.split("/").at(-1) ?? "";
  }

  get #store() {
    return this.#server.store(this.#definition.name);
  }

  #session(user: string, session: string): Promise<string> {
    return insertSession(this.#store, this.#server.clock, user, session);
  }

  #id(body: JsonObject): string {
    if (typeof body["id"] !== "string") throw new Error(`no id in ${JSON.stringify(body)}`);
    return body["id"];
  }

  /** By the operator, for a user where one is named, or in a session. */
  async #ask(
    method: string,
    path: string,
    body?: JsonObject,
    { user, token = this.#operator }: { readonly user?: string; readonly token?: string } = {},
  ): Promise<JsonObject> {
    const url = `${this.#server.url}/v1/${this.#definition.name}${path}`;
    const received = await send(method, url, {
      token,
      ...(body !== undefined && { body }),
      ...(user !== undefined && { headers: { "x-svc-on-behalf-of": user } }),
    });
    if (received.status >= 400)
      throw new Error(`${method} ${path} answered ${received.status} ${received.text}`);
    return received.body;
  }
}
