/** Judges what migrations, beside updates and kills, have made of documents. */

import { kept } from "../../../runtime/kept.ts";

/** A document of `main/people` in the end. */
export interface Person {
  readonly id: string;
  readonly first?: unknown;
  readonly last?: unknown;
  readonly name?: unknown;
  readonly steps?: unknown;
  readonly serial?: unknown;
  readonly version: number;
}

/** An update that was sent; what a killed server was asked for has no version, and may have been done. */
export interface Update {
  readonly id: string;
  readonly serial: number;
  readonly version?: number | undefined;
}

/** What is wrong; empty when every document was migrated once, and no update is lost or was done twice. */
export function wrongIn(
  ids: readonly string[],
  updates: readonly Update[],
  stored: readonly Person[],
): readonly string[] {
  const byId = new Map(stored.map((person) => [person.id, person] as const));
  const sent = new Map<string, Update[]>();
  for (const update of updates) kept(sent, update.id, () => []).push(update);
  return ids.flatMap((id) => {
    const person = byId.get(id);
    return person === undefined ? [`${id} is gone`] : wrongWith(person, sent.get(id) ?? []);
  });
}

function wrongWith(person: Person, updates: readonly Update[]): readonly string[] {
  const { id, first, last, name, steps, serial, version } = person;
  const found: string[] = [];
  if (first !== `first-${id}` || last !== `last-${id}` || name !== undefined || steps !== 2)
    found.push(`${id} is not in the newest form, or more than once: ${JSON.stringify(person)}`);
  const known = updates.flatMap((update) => (update.version === undefined ? [] : [update.version]));
  const unknown = updates.filter((update) => update.version === undefined);
  if (new Set(known).size < known.length) found.push(`${id} has two updates of one version`);
  const newest = Math.max(1, ...known);
  if (version < newest) found.push(`${id} has version ${version}, and ${newest} was acknowledged`);
  // The first write migrates it, be it an update or the pass; it is no update's where it is the pass's.
  const others = version - 1 - known.length;
  const isPassed = updates.length === 0 ? 1 : 0;
  if (others < isPassed || others > 1 + unknown.length)
    found.push(`${id} has version ${version} after ${known.length} updates and ${unknown.length} unknown`);
  const latest = updates.find((update) => update.version === newest);
  const possible = [...unknown, ...(latest === undefined ? [] : [latest])].map((update) => update.serial);
  const isUntouched = serial === undefined && latest === undefined;
  if (!isUntouched && !possible.some((one) => one === serial))
    found.push(`${id} holds ${JSON.stringify(serial)}, not what was last written: ${possible.join(" or ")}`);
  return found;
}
