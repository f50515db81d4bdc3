/** What `_meta` of an imported document may say. */
import type { Detail } from "../../errors.ts";
import { storedDate } from "../../filter/dates.ts";
import { isId } from "../../ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";

export interface MetaRules {
  readonly definition: CollectionDefinition;
  /** Documents say who wrote them. */
  readonly authored: boolean;
}

/** What hinders that a document is stored with a `_meta` as it is. */
export function metaProblems(meta: JsonObject, { definition, authored }: MetaRules): readonly Detail[] {
  const problems: Detail[] = [];
  for (const [name, value] of Object.entries(meta)) {
    const path = `_meta.${name}`;
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined) problems.push({ path, reason: "is not allowed" });
    else if (!member.fits(value)) problems.push({ path, reason: `must be ${member.is}` });
    else if (member.of === "authors" && !authored)
      problems.push({ path, reason: "is not allowed: the realm has no accounts" });
    else if (member.of === "deletion" && definition.softDelete === undefined)
      problems.push({ path, reason: "is not allowed: deleted documents are not kept here" });
  }
  if (meta["deleted_at"] === undefined && meta["purge_at"] !== undefined)
    problems.push({ path: "_meta.purge_at", reason: "is not allowed without deleted_at" });
  if (meta["created_at"] === undefined && meta["version"] !== undefined)
    problems.push({ path: "_meta.created_at", reason: "is required" });
  return problems;
}

interface Member {
  readonly fits: (value: JsonValue | undefined) => boolean;
  readonly is: string;
  /** Which collections have it; absent: all, or as `belongings` says. */
  readonly of?: "authors" | "deletion";
}

const time: Member = {
  fits: (value) => typeof value === "string" && storedDate(value, "date-time") === value,
  is: "a time in UTC such as 2026-01-31T08:00:00.000Z",
};
const actor: Member = {
  fits: (value) => typeof value === "string" && value !== "" && value.length <= 300,
  is: "user:<id>, key:<name> or anonymous",
  of: "authors",
};
const reference: Member = { fits: (value) => typeof value === "string" && isId(value), is: "an id" };

const members: Readonly<Record<string, Member>> = {
  created_at: time,
  updated_at: time,
  deleted_at: { ...time, of: "deletion" },
  purge_at: { ...time, of: "deletion" },
  version: { fits: (value) => isCount(value), is: "an integer from 1" },
  owner: {
    fits: (value) => value === null || reference.fits(value),
    is: "the id of a user, or null",
    of: "authors",
  },
  created_by: actor,
  updated_by: actor,
  deleted_by: actor,
  org: reference,
  team: reference,
  chain: {
    fits: (value) => isJsonObject(value) && typeof value["root"] === "string" && isCount(value["depth"]),
    is: "an object of root and depth",
    of: "authors",
  },
};

function isCount(value: JsonValue | undefined): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
