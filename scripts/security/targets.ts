/** What requests are about: users, sessions, keys, documents, each made for the one request. */
import type { HeldClock, Started } from "../../runtime/instance/testing.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import { insertSession, insertUser } from "../people.ts";
import type { Caller } from "./callers.ts";
import { send } from "./send.ts";
import { type DocumentOperation, documents } from "./table.ts";

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
  async own(path: string, { credential }: Caller): Promise<string> {
    const parameters = path.match(/\{\w+\}/g) ?? [];
    if (parameters.length === 0) return path;
    const below = path.slice(`/v1/${this.#definition.name}`.length);
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
      case "/_admin/users":
        await insertUser(this.#store, this.#server.clock, name);
        await this.#session(name, `of-${name}`);
        return name;
      case "/_admin/invitations":
        return this.#id(await this.#ask("POST", start, { roles: [] }));
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
      await this.#ask("POST", collection, document, owned === "201" ? "maker" : undefined),
    );
    if (operation === "restore") await this.#ask("DELETE", `${collection}/${made}`);
    return path.replace(/\{\w+\}/, made) + (operation === "purge" ? "?purge=true" : "");
  }

  get #store() {
    return this.#server.store(this.#definition.name);
  }

  async #session(user: string, session: string): Promise<void> {
    await insertSession(this.#store, this.#server.clock, user, session);
  }

  #id(body: JsonObject): string {
    if (typeof body["id"] !== "string") throw new Error(`no id in ${JSON.stringify(body)}`);
    return body["id"];
  }

  /** By the operator, for a user where one is named. */
  async #ask(method: string, path: string, body?: JsonObject, user?: string): Promise<JsonObject> {
    const url = `${this.#server.url}/v1/${this.#definition.name}${path}`;
    const received = await send(method, url, {
      token: this.#operator,
      ...(body !== undefined && { body }),
      ...(user !== undefined && { headers: { "x-svc-on-behalf-of": user } }),
    });
    if (received.status >= 400)
      throw new Error(`${method} ${path} answered ${received.status} ${received.text}`);
    return received.body;
  }
}
