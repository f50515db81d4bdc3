/**
 * How each operation of the realm names organizations, and what is in them. An operation that stands nowhere here is one
 * that nobody has thought about.
 */
import type { Operation } from "../../conformance/description.ts";
import { type Ask, type Asks, bodies } from "./ask.ts";
import { batch, documentAsks } from "./documents.ts";
import { streams } from "./streams.ts";
import type { Names } from "./town.ts";

/** Organizations and what is in them by their ids, in paths and bodies. */
const named: Readonly<Record<string, Asks>> = {
  "GET /_orgs/{org}": ({ org }) => [{ path: `/_orgs/${org}` }],
  "PATCH /_orgs/{org}": ({ org }) => bodies(`/_orgs/${org}`, { name: "Mine", require_mfa: true }),
  "DELETE /_orgs/{org}": ({ org }) => [{ path: `/_orgs/${org}` }],
  "POST /_orgs/{org}/leave": ({ org }) => [{ path: `/_orgs/${org}/leave` }],
  "GET /_orgs/{org}/members": ({ org, user }) => [
    { path: `/_orgs/${org}/members` },
    { path: `/_orgs/${org}/members?limit=0` },
    { path: `/_orgs/${org}/members?after=${user}` },
  ],
  "PATCH /_orgs/{org}/members/{user}": ({ org, user }) =>
    bodies(`/_orgs/${org}/members/${user}`, { roles: ["guest"] }),
  "DELETE /_orgs/{org}/members/{user}": ({ org, user }) => [{ path: `/_orgs/${org}/members/${user}` }],
  "GET /_orgs/{org}/teams": ({ org }) => [{ path: `/_orgs/${org}/teams` }],
  "POST /_orgs/{org}/teams": ({ org }) => bodies(`/_orgs/${org}/teams`, { name: "red", roles: ["owner"] }),
  "PATCH /_orgs/{org}/teams/{team}": ({ org, team }) =>
    bodies(`/_orgs/${org}/teams/${team}`, { name: "red", roles: [] }),
  "DELETE /_orgs/{org}/teams/{team}": ({ org, team }) => [{ path: `/_orgs/${org}/teams/${team}` }],
  "GET /_orgs/{org}/teams/{team}/members": ({ org, team }) => [
    { path: `/_orgs/${org}/teams/${team}/members` },
    { path: `/_orgs/${org}/teams/${team}/members?role=lead` },
    { path: `/_orgs/${org}/teams/${team}/members?role=none` },
  ],
  "PUT /_orgs/{org}/teams/{team}/members/{user}": ({ org, team, user }) => [
    { path: `/_orgs/${org}/teams/${team}/members/${user}` },
  ],
  "DELETE /_orgs/{org}/teams/{team}/members/{user}": ({ org, team, user }) => [
    { path: `/_orgs/${org}/teams/${team}/members/${user}` },
  ],
  "POST /_orgs/{org}/teams/{team}/roles": teamRole,
  "PATCH /_orgs/{org}/teams/{team}/roles": teamRole,
  "DELETE /_orgs/{org}/teams/{team}/roles": teamRole,
  "GET /_orgs/{org}/invitations": ({ org }) => [{ path: `/_orgs/${org}/invitations` }],
  "POST /_orgs/{org}/invitations": ({ org, team, user }) =>
    bodies(`/_orgs/${org}/invitations`, { user, roles: ["guest"], teams: [team] }),
  "DELETE /_orgs/{org}/invitations/{id}": (names) => [{ path: invitationOf(names) }],
  "POST /_orgs/{org}/invitations/{id}/link": (names) => [{ path: `${invitationOf(names)}/link` }],
  "POST /_orgs/{org}/invitations/{id}/send": (names) => [{ path: `${invitationOf(names)}/send` }],
  "GET /_orgs/{org}/keys": ({ org }) => [
    { path: `/_orgs/${org}/keys` },
    { path: `/_orgs/${org}/keys?limit=0` },
  ],
  "POST /_orgs/{org}/keys": ({ org, team }) =>
    bodies(`/_orgs/${org}/keys`, { name: "program", roles: ["guest"], teams: [team] }),
  "DELETE /_orgs/{org}/keys/{id}": ({ org, key }) => [{ path: `/_orgs/${org}/keys/${key}` }],
  "POST /_orgs/{org}/keys/{id}/rotate": ({ org, key }) =>
    bodies(`/_orgs/${org}/keys/${key}/rotate`, { overlap: "1h" }),
  "GET /_admin/orgs": ({ org }) => [{ path: `/_admin/orgs?q=${org}` }, { path: "/_admin/orgs?q=acme" }],
  "POST /_admin/orgs": ({ user }) => bodies("/_admin/orgs", { name: "Acme", slug: "acme", owner: user }),
  "GET /_admin/orgs/{org}": ({ org }) => [{ path: `/_admin/orgs/${org}` }],
  "DELETE /_admin/orgs/{org}": ({ org }) => [{ path: `/_admin/orgs/${org}` }],
  "GET /_admin/orgs/{org}/owned": ({ org }) => [{ path: `/_admin/orgs/${org}/owned` }],
  "POST /_admin/orgs/{org}/reactivate": ({ org }) => bodies(`/_admin/orgs/${org}/reactivate`, { slug: "x" }),
  "PUT /_admin/orgs/{org}/claims": ({ org }) => bodies(`/_admin/orgs/${org}/claims`, { plan: "pro" }),
  "PUT /_admin/orgs/{org}/manager": ({ org, user }) => bodies(`/_admin/orgs/${org}/manager`, { user }),
  "PUT /_admin/orgs/{org}/members/{user}": ({ org, user }) =>
    bodies(`/_admin/orgs/${org}/members/${user}`, { roles: [] }),
  "DELETE /_admin/orgs/{org}/members/{user}": ({ org, user }) => [
    { path: `/_admin/orgs/${org}/members/${user}` },
  ],
  "POST /_admin/orgs/{org}/invitations": ({ org }) =>
    bodies(`/_admin/orgs/${org}/invitations`, { roles: ["owner"] }),
  "GET /_admin/audit": ({ org }) => [{ path: `/_admin/audit?actor=user:${org}` }],
  "POST /_realtime": streams,
  "POST /main/_batch": batch,
  "POST /_admin/data/main/_batch": (names) =>
    batch(names).map((ask) => ({ ...ask, path: `/_admin/data${ask.path}` })),
};

/** These take nothing that could be of an organization. */
const unnamed: readonly RegExp[] = [
  /^\w+ \/_auth\//,
  /^\w+ \/_admin\/(?:users|invitations|keys|secrets|config|jobs|migrations)(?:\/|$)/,
  /^GET \/_openapi\.json$/,
  // Whoever has a link may follow it; how it ends is tested by itself.
  /^(?:GET|PUT) \/_files\/\{signed\}$/,
  // Only of the caller's own.
  /^(?:GET|POST) \/_orgs$/,
  // A token is told only to whom it was given; what it may tell is tested by itself.
  /^POST \/_orgs\/invitations\/(?:preview|accept|signup)$/,
  /^\w+ \/_admin\/data\/main\/shelf(?:\/|$)/,
];

/** `GET /_orgs/{org}`. */
export function titleOf({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method} ${path.split("/").slice(3).join("/").replace(/^/, "/")}`;
}

/**
 * The requests by which an operation can name what is in organizations; none for those that cannot.
 * @throws Error for an operation that nobody has thought about, or thought wrong about
 */
export function asksOf(operation: Operation): Asks {
  const title = titleOf(operation);
  const asks = named[title] ?? documentAsks(title);
  const names =
    /\{(?:org|team)\}/.test(title) || operation.query.some(({ name }) => /^(?:org|team)$/.test(name));
  if (asks !== undefined) return asks;
  if (names || !unnamed.some((pattern) => pattern.test(title))) {
    throw new Error(`nobody has said how ${title} names organizations`);
  }
  return () => [];
}

/** What is asked for nothing that the operations know: another method, and the methods themselves. */
export function methodsOf({ method }: Operation): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

function teamRole({ org, team, user }: Names): readonly Ask[] {
  return bodies(`/_orgs/${org}/teams/${team}/roles`, { user, role: "reviewer" });
}

function invitationOf({ org, invitation }: Names): string {
  return `/_orgs/${org}/invitations/${invitation}`;
}
