/** Whether what imported documents name is there: documents that they refer to, organizations and teams. */

import { TRUE } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { collections } from "../../organizations/collections.ts";
import { readOrganization } from "../../organizations/records.ts";
import {
  type CollectionDefinition,
  type RealmDefinition,
  type ReferenceDefinition,
  storeNameOf,
} from "../../realm/definition.ts";
import type { Store } from "../../store/contract/store.ts";
import { valueAt } from "../paths.ts";
import type { Prepared } from "./maker.ts";
import { Rejected } from "./rejected.ts";

/** What is in inputs that are not imported yet. */
export interface Upcoming {
  /** Whether the input of a collection has a document whose `key` has the value. */
  has(collection: string, key: string, value: string): boolean;
}

/** Values that were found and are remembered. */
const REMEMBERED = 50_000;
/** Values of one query. */
const ASKED = 500;

interface Followed {
  readonly name: string;
  readonly reference: ReferenceDefinition;
  /** As the store names it. */
  readonly target: string;
  readonly found: Set<string>;
}

export class Targets {
  readonly #store: Store;
  readonly #definition: CollectionDefinition;
  readonly #followed: readonly Followed[];
  readonly #keys: (followed: Followed) => CollectionDefinition["fields"][string] | undefined;
  readonly #upcoming: Upcoming;
  readonly #teams = new Map<string, ReadonlySet<string> | undefined>();

  constructor(
    store: Store,
    realm: Pick<RealmDefinition, "collections">,
    definition: CollectionDefinition,
    upcoming: Upcoming,
  ) {
    this.#store = store;
    this.#definition = definition;
    this.#upcoming = upcoming;
    this.#followed = Object.entries(definition.references ?? {}).map(([name, reference]) => ({
      ...{ name, reference, found: new Set<string>() },
      target: storeNameOf({ database: reference.database, name: reference.collection }),
    }));
    this.#keys = ({ target, reference: { key } }) =>
      key === "id"
        ? documentFields.id
        : realm.collections.find((each) => storeNameOf(each) === target)?.fields[key];
  }

  /** Why documents cannot be imported, by their lines: of those that name what is not there. */
  async missing(prepared: readonly Prepared[]): Promise<ReadonlyMap<number, Rejected>> {
    const refused = new Map<number, Rejected>();
    // Of deleted documents much that they named may be gone.
    const live = prepared.filter(({ document }) => document.deletedAt === undefined);
    for (const followed of this.#followed) {
      const named = live.map((one) => ({ one, values: valuesOf(one.members, followed.reference) }));
      await this.#find(followed, new Set(named.flatMap(({ values }) => values)));
      const there = (value: string) =>
        followed.found.has(value) || this.#upcoming.has(followed.target, followed.reference.key, value);
      for (const { one, values } of named) {
        const lost = values.filter((value) => !there(value));
        if (lost.length > 0) refused.set(one.line, dangling(one, followed.reference, lost));
      }
      if (followed.found.size > REMEMBERED) followed.found.clear();
    }
    for (const one of prepared) {
      const reason = await this.#belongingReason(one);
      if (reason !== undefined) refused.set(one.line, new Rejected(one.document.id, reason));
    }
    return refused;
  }

  async #find(followed: Followed, values: ReadonlySet<string>): Promise<void> {
    const key = this.#keys(followed);
    if (key === undefined) return;
    const unknown = [...values].filter((value) => !followed.found.has(value));
    const target = this.#store.collection(followed.target);
    for (let at = 0; at < unknown.length; at += ASKED) {
      const asked = unknown.slice(at, at + ASKED);
      for (const { text } of await target.lookup({ key, values: asked, filter: TRUE, limit: asked.length })) {
        const value = valueAt(JSON.parse(text), key.path.split("."));
        if (typeof value === "string") followed.found.add(value);
      }
    }
  }

  async #belongingReason({ belonging: { org, team }, expected }: Prepared): Promise<string | undefined> {
    const { organization } = this.#definition;
    if (organization === undefined) {
      if (org === undefined && team === undefined) return undefined;
      return "_meta.org is not allowed: documents here do not belong to organizations";
    }
    if (org === undefined) {
      if (organization.required && expected === undefined)
        return "_meta.org is required: documents here belong to an organization";
      return team === undefined ? undefined : "_meta.team is not allowed without _meta.org";
    }
    const teams = await this.#teamsOf(org);
    if (teams === undefined) return `_meta.org: there is no organization ${org}`;
    if (team === undefined)
      return organization.teams === "required"
        ? "_meta.team is required: documents here belong to a team"
        : undefined;
    if (organization.teams === undefined) return "_meta.team is not allowed: there are no teams here";
    return teams.has(team) ? undefined : `_meta.team: the organization has no team ${team}`;
  }

  async #teamsOf(org: string): Promise<ReadonlySet<string> | undefined> {
    if (this.#teams.has(org)) return this.#teams.get(org);
    const found = await this.#store.collection(collections.organizations).get(org, "live");
    const record = found && readOrganization(found).record;
    const isThere = record !== undefined && record.status !== "deleted";
    const teams = isThere ? new Set(record.teams.map(({ id }) => id)) : undefined;
    if (this.#teams.size > REMEMBERED) this.#teams.clear();
    this.#teams.set(org, teams);
    return teams;
  }
}

/** What a document's reference holds: only texts lead anywhere. */
export function valuesOf(members: JsonObject, { field, many }: ReferenceDefinition): readonly string[] {
  const value = valueAt(members, field.path.split("."));
  const values: readonly (JsonValue | undefined)[] = many && Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === "string");
}

function dangling(
  { document }: Prepared,
  { field, database, collection, key }: ReferenceDefinition,
  lost: readonly string[],
): Rejected {
  const named = lost.slice(0, 3).map((value) => JSON.stringify(value));
  const more = lost.length > named.length ? " and others" : "";
  return new Rejected(
    document.id,
    `${field.path}: there is no document of ${database}/${collection} whose ${key} is ${named.join(", ")}${more}`,
  );
}
