import { collections as accounts } from "../auth/collections.ts";
import type { Access } from "../documents/access.ts";
import type { FeedChange } from "../feed/change.ts";
import { kept } from "../kept.ts";
import { collections as organizations } from "../organizations/collections.ts";
import { userOfMember } from "../organizations/records.ts";
import { assuranceOf } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";

/** Whoever has to look at its access again when a record changes that this depends on. */
export interface Watched {
  /** Told before it is offered any change that was made later. */
  invalidate(why: "record" | "organization"): void;
}

/**
 * The records that the access of open streams depends on, by the changes that the feed tells of them, whichever instance
 * made them.
 */
export class Watch {
  readonly #watched = new Map<string, Set<Watched>>();

  add(watched: Watched, subjects: Iterable<string>): void {
    for (const subject of subjects) kept(this.#watched, subject, () => new Set()).add(watched);
  }

  delete(watched: Watched, subjects: Iterable<string>): void {
    for (const subject of subjects) {
      const all = this.#watched.get(subject);
      all?.delete(watched);
      if (all?.size === 0) this.#watched.delete(subject);
    }
  }

  /** A change of any collection. */
  take({ collection, id }: Pick<FeedChange, "collection" | "id">): void {
    const subject = subjectOf(collection, id);
    if (subject === undefined) return;
    const why = ofOrganizations.has(collection) ? "organization" : "record";
    for (const watched of [...(this.#watched.get(subject) ?? [])]) watched.invalidate(why);
  }

  /** Nobody knows what has changed. */
  lost(): void {
    const all = new Set([...this.#watched.values()].flatMap((watched) => [...watched]));
    for (const watched of all) watched.invalidate("record");
  }
}

/** Where what happens in organizations is stored: who is a member, and which of them are withheld, too. */
const ofOrganizations: ReadonlySet<string> = new Set([
  organizations.organizations,
  organizations.members,
  organizations.marks,
]);

function subjectOf(collection: string, id: string): string | undefined {
  switch (collection) {
    case accounts.users:
      return `user ${id}`;
    case accounts.sessions:
      return `session ${id}`;
    case accounts.keys:
      return "keys";
    case accounts.config:
      return "config";
    case organizations.organizations:
      return `org ${id}`;
    case organizations.members:
      return `user ${userOfMember(id)}`;
    case organizations.marks:
      return "withheld";
    default:
      return undefined;
  }
}

/** What the access of a caller to collections depends on. */
export async function subjectsOf(
  { definition, organizations }: Pick<RealmInstance, "definition" | "organizations">,
  { caller, context, withheld }: Access,
): Promise<readonly string[]> {
  const subjects = context === undefined || definition.readsAppConfig !== true ? [] : ["config"];
  if (withheld !== undefined) subjects.push("withheld");
  if (caller?.kind === "key") subjects.push("keys");
  if (caller?.kind !== "user") return subjects;
  const { user, credential } = caller;
  subjects.push(`user ${user.id}`);
  subjects.push(credential.kind === "session" ? `session ${credential.hash}` : "keys");
  if (organizations === undefined) return subjects;
  // Those too that do not count for want of a second factor, which they may ask for no longer.
  const isAll = assuranceOf(caller) === "factor";
  const all = isAll ? context?.memberships : await organizations.membershipsOf(user.id, "factor");
  for (const org of all?.keys() ?? []) subjects.push(`org ${org}`);
  return subjects;
}
