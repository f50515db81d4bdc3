/** Random callers and documents brought into a row of the matrix: written down from its definition in docs/matrix.md. */
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import type { Membership } from "../../../runtime/realm/memberships.ts";
import type { World } from "../../rules/testing/random-values.ts";

/** A world of each act: creates have no document. */
export interface RowWorlds {
  readonly create: World;
  readonly stored: World;
  /** The same of a document in the trash. */
  readonly trashed: World;
}

/** What the documents of a collection belong to, and the roles that every member of an organization has. */
export interface Belongs {
  readonly organization: boolean;
  readonly teams: boolean;
  readonly defaultRoles: readonly string[];
}

/** Undefined where a random world cannot be made one of the row. */
export function worldsOf(
  row: string,
  random: World,
  { organization, teams, defaultRoles }: Belongs,
): RowWorlds | undefined {
  const { user, memberships: held } = random.context;
  if (row === "anonymous") {
    const context = { ...random.context, user: undefined, memberships: new Map<string, Membership>() };
    return pair({ ...random, context }, {});
  }
  if (user === undefined) return undefined;
  const role = /^role (.*)$/.exec(row)?.[1];
  const orgRole = /^org role (.*)$/.exec(row)?.[1];
  const teamRole = /^team role (.*)$/.exec(row)?.[1];
  const isMember = row === "member" || orgRole !== undefined || row === "team" || teamRole !== undefined;
  const isInTeam = row === "team" || teamRole !== undefined;
  const [org, team] = ["o2", "t3"];
  const membership: Membership = {
    org,
    roles: new Set([...defaultRoles, ...(orgRole === undefined ? [] : [orgRole])]),
    teams: new Set(isInTeam ? [team] : []),
    teamRoles: new Map(teamRole === undefined ? [] : [[team, new Set([teamRole])]]),
    claims: [...held.values()][0]?.claims ?? {},
  };
  const context = {
    ...random.context,
    user: { ...user, roles: role === undefined ? [] : [role] },
    memberships: new Map(isMember ? [[org, membership]] : []),
  };
  const meta = metaOf(random.document);
  const owner =
    row === "owner" ? user.id : row === "signed in" && meta["owner"] === user.id ? "u9" : meta["owner"];
  const belonging = {
    ...(isMember && organization ? { org } : {}),
    ...(isInTeam && organization && teams ? { team } : {}),
  };
  const document = {
    ...random.document,
    _meta: { ...meta, ...(owner === undefined ? {} : { owner }), ...belonging },
  };
  return pair({ ...random, context, document }, belonging);
}

/** What is written where the caller creates, and what a document keeps in updates. */
function pair(world: World, belonging: JsonObject): RowWorlds {
  const meta = metaOf(world.document);
  const { org, team } = meta;
  const { user } = world.context;
  const stays: JsonObject = {
    ...(org === undefined ? {} : { org }),
    ...(team === undefined ? {} : { team }),
  };
  const data = { ...world.data, _meta: stays };
  const deleted = { ...world.document, _meta: { ...meta, deleted_at: "2026-02-28T00:00:00.000Z" } };
  return {
    // Where ids are those of users, it is the caller's; no random rule asks for one.
    create: {
      ...world,
      document: { _meta: {} },
      data: { ...world.data, ...(user && { id: user.id }), _meta: belonging },
    },
    stored: { ...world, data },
    trashed: { ...world, document: deleted, data },
  };
}

function metaOf({ _meta: meta }: JsonObject): JsonObject {
  return isJsonObject(meta) ? meta : {};
}
