/**
 * What everybody sees of the organizations: as the server shows it, and as the model says. Both are JSON of the same
 * form, with the server's ids.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { askingOf, sees } from "./documents.ts";
import {
  effectiveRoles,
  invitationEntry,
  isIn,
  managed,
  membersOf,
  organization,
  teamsOf,
  windows,
} from "./entries.ts";
import type { Handles } from "./requests.ts";
import { enter } from "./standing.ts";
import type { Looked, Tenants } from "./tenants.ts";
import {
  accountOf,
  type Caller,
  collectionNames,
  type Doc,
  manageable,
  type Org,
  people,
  Refused,
  strengthened,
  usesFactor,
  type World,
} from "./world.ts";

/** By what was asked, and by whom. */
export type Views = Readonly<Record<string, JsonValue>>;

/** One thing to look at. */
interface Look {
  readonly title: string;
  readonly caller: Caller | "administrator";
  /** Below the realm. */
  readonly path: string;
  /** What of an answer with 200 is compared. */
  readonly part: (body: JsonObject) => JsonValue;
  /** What there is to see; may throw Refused. */
  readonly expected: () => JsonValue;
}

/** @param near organizations that are looked into; of the others only what everybody's lists say */
export async function observed(
  server: Tenants,
  world: World,
  handles: Handles,
  near: ReadonlySet<string>,
): Promise<Views> {
  const views: Record<string, JsonValue> = {};
  await Promise.all(
    looks(world, handles, near).map(async ({ title, caller, path, part }) => {
      const { status, body } = await server.look(caller, path, world);
      views[title] = status === 200 ? part(body) : outcomeOf({ status, body });
    }),
  );
  return views;
}

export function expected(world: World, handles: Handles, near: ReadonlySet<string>): Views {
  return Object.fromEntries(
    looks(world, handles, near).map(({ title, expected }) => [title, told(expected)] as const),
  );
}

function told(expected: Look["expected"]): JsonValue {
  try {
    return expected();
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
}

function outcomeOf({ status, body: { error } }: Looked): string {
  return `${status} ${isJsonObject(error) ? error["code"] : ""}`;
}

const items = ({ items }: JsonObject): JsonValue => items ?? null;

function looks(world: World, handles: Handles, near: ReadonlySet<string>): readonly Look[] {
  const callers = callersOf(world);
  return [
    administrators(world, handles),
    ...callers.filter(({ kind }) => kind === "session").map((caller) => own(world, handles, caller)),
    ...[...world.orgs].filter(([id]) => near.has(id)).flatMap(([id, org]) => inside(world, handles, id, org)),
    ...[...callers, { kind: "key" } as const].flatMap((caller, at) =>
      // What acts for somebody sees what their session does: one collection after another will do.
      collectionNames
        .filter((_, which) => caller.kind !== "delegate" || which === (at + world.documents.size) % 5)
        .map((collection) => list(world, handles, caller, collection)),
    ),
  ];
}

/** Of everybody whose account is there: their sessions, and a key that acts for them. */
function callersOf(world: World): readonly Caller[] {
  return people
    .filter((person) => accountOf(world, person).status === "active")
    .flatMap((person): readonly Caller[] => [
      { kind: "session", person, mfa: false },
      ...(strengthened.includes(person) ? [{ kind: "session", person, mfa: true } as const] : []),
      { kind: "delegate", person },
    ]);
}

function nameOf(caller: Caller): string {
  if (caller.kind === "key" || caller.kind === "anonymous") return caller.kind;
  if (caller.kind === "delegate") return `a key for ${caller.person}`;
  return caller.mfa ? `${caller.person} with a second factor` : caller.person;
}

/** Every organization, as administrators see it. */
function administrators(world: World, handles: Handles): Look {
  return {
    title: "every organization",
    caller: "administrator",
    path: "/_admin/orgs?limit=100",
    part: ({ items }) => sorted(items),
    expected: () =>
      sorted(
        [...world.orgs].map(([id, org]) => ({
          ...organization(handles, id, org),
          member_count: org.members.size,
        })),
      ),
  };
}

/** The organizations of somebody; of one whose second factor their session lacks only that they are in it. */
function own(world: World, handles: Handles, caller: Caller): Look {
  return {
    title: `organizations of ${nameOf(caller)}`,
    caller,
    path: "/_orgs?limit=100",
    part: ({ items }) => sorted(items),
    expected: () => {
      if (caller.kind !== "session") return null;
      const account = accountOf(world, caller.person).id;
      return sorted(
        [...world.orgs].flatMap(([id, org]) => {
          const member = org.members.get(account);
          if (member === undefined || org.status === "deleted") return [];
          const met = usesFactor(caller) || !org.requireMfa;
          return [
            {
              ...organization(handles, id, org),
              ...(!met && { claims: {} }),
              roles: member.roles,
              effective_roles: met ? effectiveRoles(org, member) : [],
              teams: teamsOf(handles, org, member),
              mfa_met: met,
            },
          ];
        }),
      );
    },
  };
}

/** An organization as everybody finds it: some are shown it, the others refused. */
function inside(world: World, handles: Handles, id: string, org: Org): readonly Look[] {
  const sessions = callersOf(world).filter(({ kind }) => kind === "session");
  const path = `/_orgs/${handles.id(id)}`;
  const view = (
    title: string,
    caller: Caller,
    below: string,
    expected: Look["expected"],
    part = items,
  ): Look => ({
    title: `${title} of ${id}, for ${nameOf(caller)}`,
    caller,
    path: path + below,
    part,
    expected: () => {
      enter(world, caller, id);
      return expected();
    },
  });
  const doors = sessions.map((caller) =>
    view(
      "the record",
      caller,
      "",
      () => organization(handles, id, org),
      (body) => body,
    ),
  );
  return [
    ...doors,
    ...observers(world, org, sessions).flatMap((caller): readonly Look[] => {
      const manage = managed(world, org, caller);
      const members = () => membersOf(world, handles, org, manage);
      return [
        view("members", caller, "/members?limit=100", members),
        view("teams", caller, "/teams?limit=100", () =>
          [...org.teams].map(([team, { name, roles }]) => ({ id: handles.id(team), name, roles })),
        ),
        view(
          "invitations",
          caller,
          "/invitations?limit=100",
          () => {
            enter(world, caller, id, { manage: manageable });
            return sorted([...org.invitations].map((each) => invitationEntry(world, handles, ...each)));
          },
          ({ items }) => sorted(withoutTimes(items)),
        ),
        ...[...org.teams.keys()].map((team) =>
          view(`members of ${team}`, caller, `/teams/${handles.id(team)}/members?limit=100`, () =>
            members()
              .filter(({ user }) => isIn(org.members.get(user), team))
              .map(({ user, ...entry }) => ({
                user,
                ...entry,
                team_roles: windows(org.members.get(user)?.teamRoles ?? [], team),
              })),
          ),
        ),
      ];
    }),
  ];
}

/** One who manages something in the organization, and one who manages nothing, where there are such; an outsider. */
function observers(world: World, org: Org, sessions: readonly Caller[]): readonly Caller[] {
  const strongest = sessions.toReversed();
  const manager = strongest.find((caller) => managed(world, org, caller).size > 0);
  const member = strongest.find((caller) => caller !== manager && managed(world, org, caller).size === 0);
  return [manager, member].flatMap((caller) => (caller === undefined ? [] : [caller]));
}

function withoutTimes(items: JsonValue | undefined): JsonValue {
  if (!Array.isArray(items)) return null;
  return items
    .filter(isJsonObject)
    .map(({ created_at: _, created_by: __, ...entry }: JsonObject): JsonObject => entry);
}

function list(world: World, handles: Handles, caller: Caller, collection: Doc["collection"]): Look {
  return {
    title: `${collection} for ${nameOf(caller)}`,
    caller,
    path: `/main/${collection}?limit=100&count=true`,
    part: ({ items, total }) => [total ?? null, ...idsIn(items)],
    expected: () => {
      const asking = askingOf(world, caller);
      const seen = [...world.documents].filter(
        ([, document]) => document.collection === collection && sees(world, asking, document),
      );
      return [seen.length, ...seen.map(([handle]) => handles.id(handle)).sort()];
    },
  };
}

function idsIn(items: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) => (isJsonObject(item) ? [String(item["id"])] : [])).sort();
}

function sorted(items: JsonValue | undefined): JsonValue {
  if (!Array.isArray(items)) return null;
  return items.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

function idOf(item: JsonValue): string {
  return isJsonObject(item) ? String(item["id"]) : "";
}
