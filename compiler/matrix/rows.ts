/** The rows of the matrix: who asks, each one thing more than somebody with an account and nothing else. */
import type { Realm } from "../model/model.ts";

export interface Row {
  /** `anonymous`, `role lead`, `org role agent`. */
  readonly name: string;
  readonly who: Who;
}

export type Who =
  /** An API key without limits, that is nobody in particular: rules are not asked. */
  { readonly kind: "key" } | { readonly kind: "anonymous" } | User;

export interface User {
  readonly kind: "user";
  /** All realm roles that they hold. */
  readonly roles: readonly string[];
  /** Whether the document is theirs; undefined: it may be, or not. */
  readonly owns: boolean | undefined;
  /** What they are in the one organization that they are in: the document's, where it belongs to one. */
  readonly member?: Member;
}

export interface Member {
  /** Organization roles, those that every member has among them. */
  readonly roles: readonly string[];
  /** Of the one team that they are in, which is the document's where it belongs to one; undefined: they are in none. */
  readonly team?: { readonly roles: readonly string[] };
}

/** In the order in which they are shown. */
export function rowsOf({ auth, roles, organizations }: Realm): readonly Row[] {
  const anonymous: Row = { name: "anonymous", who: { kind: "anonymous" } };
  const key: Row = { name: "key", who: { kind: "key" } };
  if (!auth) return [anonymous, key];
  return [
    anonymous,
    { name: "signed in", who: user({ owns: false }) },
    { name: "owner", who: user({ owns: true }) },
    ...roles.map(({ name }) => ({ name: `role ${name}`, who: user({ roles: [name] }) })),
    ...(organizations === undefined ? [] : membersIn(organizations)),
    key,
  ];
}

function membersIn({ roles, teamRoles, defaultRoles }: NonNullable<Realm["organizations"]>): readonly Row[] {
  const member = (name: string, own: readonly string[], team?: Member["team"]): Row => {
    const held = [...new Set([...defaultRoles, ...own])];
    return { name, who: user({ member: { roles: held, ...(team && { team }) } }) };
  };
  return [
    member("member", []),
    ...roles.map(({ name }) => member(`org role ${name}`, [name])),
    member("team", [], { roles: [] }),
    ...teamRoles.map(({ name }) => member(`team role ${name}`, [], { roles: [name] })),
  ];
}

function user(further: Partial<User>): User {
  return { kind: "user", roles: [], owns: undefined, ...further };
}
