import { exists, type Filter, isIn, not, or, TRUE } from "../../filter/algebra.ts";
import { organizationFields } from "../../filter/fields.ts";
import type { Reference } from "./references.ts";
import { type Followed, keyOf, type Parsed, type Source, sourcesOf } from "./source.ts";

/**
 * A document of an organization never leads to one of another organization, whoever asks (spec: Reference expansion 4).
 * One that belongs to none leads, and is led to, from everywhere.
 */

/** What sources may lead to. */
export interface Bounds {
  /** Holds of every document that one of them may lead to. */
  readonly filter: Filter;
  /** Whether each of them may lead to all that the filter holds of: otherwise see {@link withinOrganizations}. */
  readonly exact: boolean;
}

const boundless: Bounds = { filter: TRUE, exact: true };
const org = organizationFields["_meta.org"];

export function boundsOf({ apart }: Reference, sources: readonly Source[]): Bounds {
  if (!apart) return boundless;
  const organizations = new Set(sources.map(({ organization }) => organization));
  if (organizations.has(undefined)) return { filter: TRUE, exact: organizations.size === 1 };
  const filter = or(not(exists(org)), isIn(org, [...organizations]));
  return { filter, exact: organizations.size === 1 };
}

/** What was found for sources, each within its organization. */
export interface Within {
  readonly followed: readonly Followed[];
  /** Documents that some source leads to. */
  readonly found: readonly Source[];
}

/** Takes back what leads from one organization to another: it is as if nothing were there. */
export function withinOrganizations(
  reference: Reference,
  sources: readonly Source[],
  followed: readonly Followed[],
  found: readonly Source[],
  parsed: Parsed,
): Within {
  const targets = new Map(found.map((target) => [keyOf(reference, target), target]));
  const reached = new Set<Source>();
  const reach = (source: Source | undefined, value: string | undefined) => {
    const target = value === undefined ? undefined : targets.get(value);
    if (target === undefined || !isWithin(source?.organization, target.organization)) return undefined;
    reached.add(target);
    return value;
  };
  const within = followed.map(({ kind, values }, at) => ({
    kind,
    values: values.map((value) => reach(sources[at], value)),
  }));
  if (reached.size === found.length) return { followed: within, found };
  const kept = found.filter((target) => reached.has(target));
  return {
    followed: within,
    found: sourcesOf(
      parsed,
      kept.map(({ stored }) => stored),
    ),
  };
}

function isWithin(source: string | undefined, target: string | undefined): boolean {
  return source === undefined || target === undefined || source === target;
}
