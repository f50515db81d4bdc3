import { documentFields } from "../filter/fields.ts";
import type { OrganizationAsks, OrganizationMarks } from "../realm/exchange.ts";
import type { ChainStep } from "../store/contract/chain.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import { collections, memberFields } from "./collections.ts";
import { withheldMark } from "./records.ts";

/** Memberships whose marks are read at once; whoever has more is asked for all of them every time. */
const most = 1_000;

/**
 * What tells, on a store that several instances share, whether what is known of organizations still stands: of a user's
 * memberships the versions of all of them and of their organizations, whose records are written anew with whatever
 * changes in them. Read along with the caller, in one command.
 */
export class Marks implements OrganizationMarks {
  memberships: string | undefined;
  withheld: number | undefined;
  readonly #asks: OrganizationAsks;
  /** Whether memberships were asked for: keys have none. */
  #ofUser = false;

  constructor(asks: OrganizationAsks) {
    this.#asks = asks;
  }

  steps(user: ChainStep["value"] | undefined, at: number): readonly ChainStep[] {
    this.#ofUser = this.#asks.memberships && user !== undefined;
    return [
      ...(this.#asks.withheld ? [withheldStep] : []),
      ...(this.#asks.memberships && user !== undefined
        ? membershipSteps(user, this.#asks.withheld ? at + 1 : at)
        : []),
    ];
  }

  found(found: readonly (readonly StoredDocument[])[]): void {
    const [first = [], ...others] = found;
    if (this.#asks.withheld) this.withheld = first[0]?.version ?? 0;
    if (!this.#ofUser) return;
    const [members = [], organizations = []] = this.#asks.withheld ? others : found;
    if (members.length <= most) this.memberships = marksOf(members, organizations);
  }
}

const withheldStep: ChainStep = {
  collection: collections.marks,
  key: documentFields.id,
  value: withheldMark,
  limit: 1,
  versions: true,
};

function membershipSteps(user: ChainStep["value"], at: number): readonly ChainStep[] {
  const limited = { limit: most + 1, versions: true } as const;
  const org = { step: at, field: memberFields.org };
  return [
    { collection: collections.members, key: memberFields.user, value: user, ...limited },
    { collection: collections.organizations, key: documentFields.id, value: org, ...limited },
  ];
}

/** What tells whether a record is still the one that was read. */
export type Version = Pick<StoredDocument, "id" | "version">;

/** Of all memberships of a user, in any order. */
export function marksOf(members: readonly Version[], organizations: readonly Version[]): string {
  return `${versions(members)} of ${versions(organizations)}`;
}

/** Ids hold no spaces. */
function versions(documents: readonly Version[]): string {
  const all = documents.map(({ id, version }) => `${id} ${version}`);
  return all.sort().join(" ");
}
