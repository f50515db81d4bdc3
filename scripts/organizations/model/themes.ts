import type { Operation } from "./operations.ts";

export type Kind = Operation["kind"];

type Weights = Partial<Readonly<Record<Kind, number>>>;

/** What sequences are mostly about: how often each kind of operation is drawn. */
const themes: readonly Weights[] = [
  // Organizations and who is in them.
  {
    create: 5,
    patch: 6,
    delete: 3,
    roles: 10,
    remove: 6,
    leave: 7,
    account: 8,
    "admin create": 2,
    "admin delete": 2,
    "admin reactivate": 4,
    "admin put": 8,
    "admin remove": 3,
    "admin claims": 3,
    "admin manager": 5,
    team: 3,
    "team add": 3,
    write: 4,
    read: 2,
    update: 3,
  },
  // Teams, what is in them, and roles that come and go with time.
  {
    team: 6,
    "team patch": 4,
    "team delete": 2,
    "team add": 14,
    "team drop": 3,
    "role give": 10,
    "role change": 4,
    "role take": 2,
    roles: 3,
    remove: 1,
    leave: 1,
    "admin put": 5,
    account: 2,
    wait: 8,
    write: 14,
    read: 3,
    update: 5,
  },
  // Invitations, and what they give by the time they are accepted.
  {
    invite: 14,
    "admin invite": 3,
    revoke: 3,
    link: 4,
    send: 3,
    preview: 3,
    accept: 20,
    team: 5,
    "team patch": 10,
    "team delete": 2,
    "team add": 4,
    roles: 3,
    remove: 3,
    leave: 3,
    patch: 3,
    account: 3,
    wait: 3,
  },
  // Everything.
  {
    create: 3,
    patch: 5,
    delete: 1,
    roles: 6,
    remove: 3,
    leave: 4,
    team: 5,
    "team patch": 4,
    "team delete": 2,
    "team add": 8,
    "team drop": 2,
    "role give": 6,
    "role change": 2,
    "role take": 1,
    invite: 8,
    revoke: 1,
    link: 1,
    preview: 1,
    accept: 10,
    "admin reactivate": 2,
    "admin put": 5,
    "admin claims": 3,
    "admin manager": 2,
    account: 6,
    wait: 4,
    write: 10,
    read: 3,
    update: 5,
  },
];

/** The kinds of one theme, each as often as it is to be drawn; themes take turns by the seed. */
export function kindsOf(seed: number): readonly Kind[] {
  const theme = themes[seed % themes.length] ?? {};
  return Object.entries(theme).flatMap(([kind, weight]) =>
    isKind(theme, kind) ? Array.from({ length: weight }, () => kind) : [],
  );
}

function isKind(theme: Weights, kind: string): kind is Kind {
  return kind in theme;
}
