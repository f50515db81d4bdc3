import type { Detail } from "../errors.ts";
import { type JsonBody, problemsNamed } from "../http/body.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import { undeclaredIntegers } from "./large-integers.ts";
import { type NamedOrganization, organizationsNamed } from "./organizations.ts";

/** A document, or a patch of one, as a client sent it. */
export interface Draft {
  /** The `id` in it; only a create looks at it. */
  readonly id: JsonValue | undefined;
  /** Organizations that it names, where that is looked at: by updates. */
  readonly organizations: readonly NamedOrganization[];
  /** What a client may say: without the members that the server owns (spec: Document 1). */
  readonly members: JsonObject;
  /** Well-formed JSON that no document may hold, found when the body was read. */
  readonly problems: readonly Detail[];
  /** Members for file fields, which no body changes; absent: there are none. */
  readonly files?: JsonObject;
  /** Integers beyond ±(2^53 - 1) in it. */
  readonly large: ReadonlySet<number>;
  /** The members fit the schema as they are, and their dates are in their stored form. */
  readonly fits?: true;
}

/** @param org the organization that the request's `?org=` names */
export function draftOf(
  value: JsonObject,
  { problems, large }: Pick<JsonBody, "problems" | "large">,
  org?: string,
): Draft {
  return {
    id: value["id"],
    organizations: organizationsNamed(value, org),
    members: ownMembers(value),
    problems: problems.length === 0 ? problems : ownProblems(problems),
    large: large.values,
  };
}

/** What no document of the collection may hold. */
export function problemsOf(
  { fields }: Pick<CollectionDefinition, "fields">,
  { members, problems, large }: Draft,
): readonly Detail[] {
  const beyond = undeclaredIntegers(members, fields, large);
  return beyond.length === 0 ? problems : [...problems, ...beyond];
}

/** The members of a document that the server does not own: the very object where it has no others. */
export function ownMembers(document: JsonObject): JsonObject {
  if (!serverOwned.some((name) => Object.hasOwn(document, name))) return document;
  const { id, _id, _meta, _expanded, ...members } = document;
  return members;
}

/** Leaves out what is wrong inside members that are ignored, unless so much is wrong that not all of it is named. */
function ownProblems(problems: readonly Detail[]): readonly Detail[] {
  return problems.length < problemsNamed ? problems.filter(({ path }) => !isServerOwned(path)) : problems;
}

const serverOwned: readonly string[] = ["id", "_id", "_meta", "_expanded"];

function isServerOwned(path: string): boolean {
  return serverOwned.includes(path.split(".", 1)[0] ?? "");
}
