import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import { addressOf } from "../../people.ts";
import type { Received } from "../../security/send.ts";
import type { Bound, Operation } from "./operations.ts";
import type { Tenants } from "./tenants.ts";
import { accountOf, type Caller, type World } from "./world.ts";

/** The server's ids and tokens of what operations made, by handle. */
export class Handles {
  readonly #ids = new Map<string, string>();

  bind(handle: string, id: JsonValue | undefined): void {
    if (typeof id === "string") this.#ids.set(handle, id);
  }

  /** An id of nothing where the handle stands for nothing. */
  id(handle: string): string {
    return this.#ids.get(handle) ?? nothing;
  }

  token(handle: string): string {
    return this.#ids.get(tokenHandle(handle)) ?? `svi_${"a".repeat(43)}`;
  }

  bindToken(handle: string, token: JsonValue | undefined): void {
    this.bind(tokenHandle(handle), token);
  }
}

const nothing = "0".repeat(20);
const tokenHandle = (handle: string): string => `token ${handle}`;

/** How an operation is sent. */
interface Request {
  readonly caller: Caller | "administrator";
  readonly method: string;
  /** Below the realm. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly proof?: boolean;
}

/** Does an operation on a server; answers the status and the code of an error. */
export async function perform(
  server: Tenants,
  world: World,
  handles: Handles,
  operation: Operation,
): Promise<string> {
  if (operation.kind === "wait") {
    server.clock.advance(operation.minutes * 60_000);
    return "204";
  }
  if (operation.kind === "account" && operation.to === "anew") {
    const { id, person, status } = accountOf(world, operation.person);
    if (status === "deleted") await server.join(`${person}${Number(id.slice(person.length)) + 1}`, person);
    return "204";
  }
  const { caller, method, path, body, proof } = requestOf(world, handles, operation);
  const mailed = (await server.mailed()).length;
  const headers = proof && caller !== "administrator" ? await server.proof(caller, world) : {};
  const answer = await server.send(caller, world, method, path, { headers, ...(body && { body }) });
  if (answer.status < 300) await note(server, world, handles, operation, answer, mailed);
  return answer.outcome;
}

function requestOf(world: World, handles: Handles, operation: Exclude<Operation, { kind: "wait" }>): Request {
  const userOf = ({ person }: Extract<Operation, { person: unknown }>) => accountOf(world, person).id;
  const administrator = (method: string, path: string, body?: JsonObject): Request => ({
    caller: "administrator",
    method,
    path: `/_admin${path}`,
    ...(body && { body }),
  });
  const id = (handle: string) => handles.id(handle);
  const org = "org" in operation && operation.org !== undefined ? `/_orgs/${id(operation.org)}` : "";
  const team =
    "team" in operation && operation.team !== undefined ? `${org}/teams/${id(operation.team)}` : "";
  switch (operation.kind) {
    case "create": {
      const { by: caller, name, slug } = operation;
      return { caller, method: "POST", path: "/_orgs", body: { name, ...(slug && { slug }) } };
    }
    case "patch": {
      const { by: caller, name, slug, requireMfa, proof } = operation;
      const body = {
        ...(name && { name }),
        ...(slug && { slug }),
        ...(requireMfa !== undefined && { require_mfa: requireMfa }),
      };
      return { caller, method: "PATCH", path: org, body, proof };
    }
    case "delete":
      return { caller: operation.by, method: "DELETE", path: org, proof: operation.proof };
    case "roles": {
      const path = `${org}/members/${userOf(operation)}`;
      return { caller: operation.by, method: "PATCH", path, body: { roles: operation.roles } };
    }
    case "remove":
      return { caller: operation.by, method: "DELETE", path: `${org}/members/${userOf(operation)}` };
    case "leave":
      return { caller: operation.by, method: "POST", path: `${org}/leave` };
    case "team": {
      const { by: caller, name, roles } = operation;
      return { caller, method: "POST", path: `${org}/teams`, body: { name, roles } };
    }
    case "team patch": {
      const { by: caller, name, roles } = operation;
      return {
        caller,
        method: "PATCH",
        path: team,
        body: { ...(name && { name }), ...(roles && { roles }) },
      };
    }
    case "team delete":
      return { caller: operation.by, method: "DELETE", path: team };
    case "team add":
    case "team drop": {
      const method = operation.kind === "team add" ? "PUT" : "DELETE";
      return { caller: operation.by, method, path: `${team}/members/${userOf(operation)}` };
    }
    case "role give":
    case "role change":
    case "role take": {
      const { by: caller, role, from, until } = operation;
      const window = {
        ...(from !== undefined && { from: instant(world, from) }),
        ...(until !== undefined && { until: instant(world, until) }),
      };
      const method = { "role give": "POST", "role change": "PATCH", "role take": "DELETE" }[operation.kind];
      const body = { user: userOf(operation), role, ...(method !== "DELETE" && window) };
      return { caller, method, path: `${team}/roles`, body };
    }
    case "invite":
      return {
        caller: operation.by,
        method: "POST",
        path: `${org}/invitations`,
        body: invitation(world, handles, operation),
      };
    case "admin invite":
      return administrator(
        "POST",
        `/orgs/${id(operation.org)}/invitations`,
        invitation(world, handles, operation),
      );
    case "revoke":
      return {
        caller: operation.by,
        method: "DELETE",
        path: `${org}/invitations/${id(operation.invitation)}`,
      };
    case "link":
    case "send": {
      const path = `${org}/invitations/${id(operation.invitation)}/${operation.kind}`;
      return { caller: operation.by, method: "POST", path };
    }
    case "preview":
    case "accept": {
      const body = { token: handles.token(operation.token) };
      return { caller: operation.by, method: "POST", path: `/_orgs/invitations/${operation.kind}`, body };
    }
    case "admin create": {
      const { name, slug } = operation;
      return administrator("POST", "/orgs", { name, owner: userOf(operation), ...(slug && { slug }) });
    }
    case "admin delete":
      return administrator("DELETE", `/orgs/${id(operation.org)}`);
    case "admin reactivate": {
      const { slug } = operation;
      return administrator(
        "POST",
        `/orgs/${id(operation.org)}/reactivate`,
        slug === undefined ? undefined : { slug },
      );
    }
    case "admin put":
      return administrator("PUT", `/orgs/${id(operation.org)}/members/${userOf(operation)}`, {
        roles: operation.roles,
      });
    case "admin remove":
      return administrator("DELETE", `/orgs/${id(operation.org)}/members/${userOf(operation)}`);
    case "admin claims":
      return administrator(
        "PUT",
        `/orgs/${id(operation.org)}/claims`,
        operation.plan === undefined ? {} : { plan: operation.plan },
      );
    case "admin manager":
      return administrator("PUT", `/orgs/${id(operation.org)}/manager`, { user: userOf(operation) });
    case "account": {
      const path = `/users/${userOf(operation)}`;
      if (operation.to === "deleted") return administrator("DELETE", path);
      return administrator("PATCH", path, { disabled: operation.to === "disabled" });
    }
    case "write": {
      const query = new URLSearchParams({
        ...(operation.org && { org: id(operation.org) }),
        ...(operation.team && { team: id(operation.team) }),
      });
      const path = `/main/${operation.collection}?${query}`;
      return { caller: operation.by, method: "POST", path, body: { title: operation.document } };
    }
    case "read":
    case "update": {
      const path = pathOf(world, handles, operation.document);
      if (operation.kind === "read") return { caller: operation.by, method: "GET", path };
      return { caller: operation.by, method: "PATCH", path, body: { title: "again" } };
    }
  }
}

/** Of documents that never were in any collection. */
function pathOf(world: World, handles: Handles, document: string): string {
  return `/main/${world.documents.get(document)?.collection ?? "tasks"}/${handles.id(document)}`;
}

function instant({ now }: World, bound: NonNullable<Bound> | null): string | null {
  return bound === null ? null : new Date(now + bound * 60_000).toISOString();
}

function invitation(
  world: World,
  handles: Handles,
  operation: Extract<Operation, { kind: "invite" | "admin invite" }>,
): JsonObject {
  const { binding, person, roles, teams, maxUses, lifetime } = operation;
  return {
    binding,
    ...(binding === "user" && { user: accountOf(world, person).id }),
    ...(binding === "email" && { email: addressOf(person) }),
    ...(binding === "none" && { max_uses: maxUses }),
    roles,
    teams: teams.map((team) => handles.id(team)),
    expires_in: `${lifetime}m`,
  };
}

/** Keeps what a success made. */
async function note(
  server: Tenants,
  world: World,
  handles: Handles,
  operation: Operation,
  { body }: Received,
  mailed: number,
): Promise<void> {
  switch (operation.kind) {
    case "create":
    case "admin create":
      handles.bind(operation.org, body["id"]);
      break;
    case "team":
      handles.bind(operation.team, body["id"]);
      break;
    case "write":
      handles.bind(operation.document, body["id"]);
      break;
    case "invite":
    case "admin invite":
      handles.bind(operation.invitation, body["id"]);
      handles.bindToken(operation.invitation, body["token"]);
      break;
    case "link":
      handles.bindToken(operation.token, body["token"]);
      break;
    case "send": {
      const text = (await server.mailed()).slice(mailed).at(-1)?.text ?? "";
      handles.bindToken(operation.token, /svi_[A-Za-z0-9_-]{43}/.exec(text)?.[0]);
      break;
    }
    case "account":
      if (operation.to === "enabled") await server.admit(accountOf(world, operation.person).id);
      break;
  }
}
