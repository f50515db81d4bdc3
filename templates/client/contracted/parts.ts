/** What clients are made of for fixed routes: at each place a class, and more of it in realms that have more. */
import type { RealmTraits } from "../../../runtime/contract/traits.ts";
import { clientMethods, type Method } from "./methods.ts";
import { type Kind, kindOf } from "./realms.ts";

/** A place in clients. */
interface Place {
  readonly path: `$${string}`;
  /** What it is for, where clients tell of themselves. */
  readonly serves: string;
  /** Each goes on from the one before, or from one written by hand; realms have the last that is for their kind. */
  readonly classes: readonly Class[];
}

interface Class {
  readonly type: string;
  /** Realms that have it. */
  readonly kind: Kind;
  readonly about: string;
  /** The class written by hand that it goes on from, in `runtime/client`. */
  readonly base?: { readonly type: string; readonly module: string };
}

/** In the order in which a client has them. A new place is an entry here. */
const places: readonly Place[] = [
  {
    path: "$auth",
    serves: "the caller's account",
    classes: [
      {
        type: "Accounts",
        kind: 1,
        about:
          "The caller's own account and sessions. A session signed in to is used by this client until `logOut`.",
      },
    ],
  },
  {
    path: "$orgs",
    serves: "organizations",
    classes: [
      {
        type: "Organizations",
        kind: 2,
        about: "The organizations that the caller is a member of; `org` is an organization's id.",
      },
    ],
  },
  {
    path: "$orgs.teams",
    serves: "teams",
    classes: [{ type: "Teams", kind: 2, about: "The teams of organizations; `org` and `team` are ids." }],
  },
  {
    path: "$admin",
    serves: "administrators",
    classes: [
      {
        type: "Administration",
        kind: 0,
        about: "The administration that every realm has.",
        base: { type: "DocumentChecks", module: "document-checks" },
      },
      { type: "PeopleAdministration", kind: 1, about: "The administration of a realm with accounts." },
      {
        type: "OrganizationAdministration",
        kind: 2,
        about: "The administration of a realm with organizations; `org` is an organization's id.",
        base: { type: "DocumentTransfers", module: "document-transfers" },
      },
    ],
  },
];

/** A class at its place. */
export interface Part extends Class, Omit<Place, "classes"> {
  /** What clients call its type: as the first class of the place. */
  readonly name: string;
}

export const parts: readonly Part[] = places.flatMap(({ classes, ...place }) =>
  classes.map((each) => ({ ...place, ...each, name: classes[0]?.type ?? each.type })),
);

/** What stands in the client of a realm: each place of which the realm answers anything. */
export function partsOf(realm: RealmTraits): readonly Part[] {
  const answered = clientMethods().methods.filter(({ route }) => route.when?.(realm) !== false);
  const mine = parts.filter(
    ({ path, kind }) => kind <= kindOf(realm) && answered.some(({ part }) => part === path),
  );
  return [...new Map(mine.map((part) => [part.path, part])).values()];
}

/** Whether it stands in another. */
export function isInner({ path }: Part): boolean {
  return path.includes(".");
}

/** What makes one. */
export function factoryOf({ type }: Pick<Part, "type">): string {
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
}

/** The module of its class, in `runtime/client/contracted`. */
export function moduleOf({ type }: Part): string {
  return type.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
}

/** Modules of the types of each kind of realm. */
export const typeModules = ["types", "account-types", "organization-types"] as const;

/** All that clients of a kind of realm are made of, for fixed routes. */
export function modulesOf(realm: Pick<RealmTraits, "auth" | "organizations">): readonly string[] {
  const kind = kindOf(realm);
  return [...typeModules.slice(0, kind + 1), ...parts.filter((part) => part.kind <= kind).map(moduleOf)];
}

export function methodsIn({ path, kind }: Part): readonly Method[] {
  return clientMethods().methods.filter((method) => method.part === path && method.kind === kind);
}

/** What its type is called where it leaves out what the realm does not answer. */
export function typeIn(part: Part): string {
  return isPartial(part) ? `${part.type}Of` : part.type;
}

/** Whether some realms that have the place do not answer all of it. */
export function isPartial({ path }: Part): boolean {
  return clientMethods().methods.some(({ part, route }) => part === path && route.when !== undefined);
}

/** Methods that a realm does not answer, of those that its kind of realm has. */
export function unansweredIn(realm: RealmTraits): readonly string[] {
  return clientMethods()
    .methods.filter(({ kind, route }) => kind <= kindOf(realm) && route.when?.(realm) === false)
    .map(({ part, name }) => `${part}.${name}`);
}
