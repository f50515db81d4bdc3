/** Who asks about which document, as a running server knows them: by administrators' routes, with the key in REALMC_KEY. */
import type { Access } from "../../runtime/documents/access.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { RuleUser } from "../../runtime/realm/caller.ts";
import type { Membership } from "../../runtime/realm/memberships.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import { userAccess } from "../explain/caller.ts";
import type { Collection } from "../model/model.ts";
import { UsageError } from "./exit.ts";
import type { Subject } from "./explain-options.ts";

/** The server cannot be asked, or does not answer as one of ours; the message says what to do. */
export class ServerUnusable extends Error {}

export interface ServerQuestion {
  readonly url: string;
  /** An administrator's. */
  readonly key: string | undefined;
  /** A user's id, or `anonymous`. */
  readonly as: string;
  /** A document's id; undefined: none is asked about. */
  readonly doc: string | undefined;
  readonly of: Subject;
}

export interface ServerAnswer {
  readonly access: Access;
  readonly document: JsonObject | undefined;
  /** Of the configuration that the server runs. */
  readonly fingerprint: string;
}

/** @throws UsageError | ServerUnusable */
export async function askServer({ url, key, as: user, doc, of }: ServerQuestion): Promise<ServerAnswer> {
  if (key === undefined || key === "")
    throw new UsageError("REALMC_KEY is not set (an administrator's key: realmc key create --admin)");
  const server = new Server(url, key);
  const { realm, collection } = of;
  const base = `v1/${realm.name}`;
  const { config } = await server.get("readyz", "the server");
  const { body: appConfig, at } = await server.answer(`${base}/_admin/config/app`, "app_config");
  const context =
    user === "anonymous"
      ? { user: undefined, now: at, appConfig, memberships: new Map() }
      : contextIn(
          await server.get(`${base}/_admin/users/${encodeURIComponent(user)}/access`, `the user '${user}'`),
          appConfig,
        );
  const document =
    doc === undefined || collection === undefined
      ? undefined
      : await server.get(`${base}/_admin/data/${documentPath(collection, doc)}`, `the document '${doc}'`);
  return { access: userAccess(context), document, fingerprint: String(config) };
}

/** Deleted ones, too. */
function documentPath({ database, name, softDelete }: Collection, id: string): string {
  const deleted = softDelete === undefined ? "" : "?deleted=include";
  return `${database}/${name}/${encodeURIComponent(id)}${deleted}`;
}

/** Milliseconds for an answer. */
const patience = 10_000;

class Server {
  readonly #base: URL;
  readonly #key: string;

  constructor(url: string, key: string) {
    const base = URL.canParse(url) ? new URL(url) : undefined;
    if (base === undefined || !/^https?:$/.test(base.protocol))
      throw new UsageError(`--url is no address of a server: ${url} (for example http://localhost:8080)`);
    this.#base = new URL(base.href.endsWith("/") ? base.href : `${base.href}/`);
    this.#key = key;
  }

  async get(path: string, what: string): Promise<JsonObject> {
    return (await this.answer(path, what)).body;
  }

  /** @returns the body, and when it was answered: RFC 3339 */
  async answer(path: string, what: string): Promise<{ readonly body: JsonObject; readonly at: string }> {
    const address = new URL(path, this.#base);
    let response: Response;
    let text: string;
    try {
      response = await fetch(address, {
        headers: { authorization: `Bearer ${this.#key}` },
        // The key is for this server alone.
        redirect: "error",
        signal: AbortSignal.timeout(patience),
      });
      text = await response.text();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new ServerUnusable(`${address.origin} cannot be asked: ${reasonOf(cause)}`);
    }
    const body = parsed(text);
    if (response.ok && isJsonObject(body)) {
      const date = Date.parse(response.headers.get("date") ?? "");
      return { body, at: new Date(Number.isNaN(date) ? Date.now() : date).toISOString() };
    }
    throw refused(response.status, what, address);
  }
}

function refused(status: number, what: string, { origin, pathname }: URL): Error {
  if (status === 404) return new UsageError(`${origin} has not ${what} (404 for ${pathname})`);
  if (status === 401) return new ServerUnusable(`${origin} does not accept the key in REALMC_KEY`);
  if (status === 403)
    return new ServerUnusable(
      `the key in REALMC_KEY may not read ${what}: it needs the areas users and data of administration`,
    );
  return new ServerUnusable(`${origin} answered ${status} for ${pathname}`);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer in ${patience / 1_000} s`;
  return error instanceof Error ? error.message : String(error);
}

/** @throws ServerUnusable where the server answers something else than one of ours */
function contextIn(answer: JsonObject, appConfig: JsonObject): RuleContext {
  const { user, now, organizations } = answer;
  if (!isRuleUser(user) || typeof now !== "string" || !Array.isArray(organizations))
    throw new ServerUnusable("the server is of another version: what rules see of a user has another form");
  const memberships = organizations.flatMap((each): readonly Membership[] => {
    if (!isJsonObject(each) || typeof each["id"] !== "string") return [];
    const { id, roles, teams, team_roles, claims } = each;
    const held = isJsonObject(team_roles) ? Object.entries(team_roles) : [];
    return [
      {
        org: id,
        roles: textsIn(roles),
        teams: textsIn(teams),
        teamRoles: new Map(held.map(([team, own]) => [team, textsIn(own)] as const)),
        claims: isJsonObject(claims) ? claims : {},
      },
    ];
  });
  return { user, now, appConfig, memberships: new Map(memberships.map((each) => [each.org, each])) };
}

function isRuleUser(value: unknown): value is RuleUser {
  if (typeof value !== "object" || value === null) return false;
  const types = {
    id: "string",
    email: "string",
    email_verified: "boolean",
    mfa: "boolean",
    created_at: "string",
  };
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(value));
  return (
    Object.entries(types).every(([name, type]) => typeof given.get(name) === type) &&
    Array.isArray(given.get("roles"))
  );
}

function textsIn(value: JsonValue | undefined): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((each) => typeof each === "string") : []);
}
