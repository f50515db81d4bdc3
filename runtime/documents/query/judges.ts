import type { RouteContract } from "../../contract/contract.ts";
import { parameter } from "../../contract/parameters.ts";
import { isMade } from "../../contract/schema.ts";
import { inRealm, type RealmTraits } from "../../contract/traits.ts";
import type { Detail } from "../../errors.ts";
import { isLocale } from "../../filter/search/locales.ts";
import { parameters } from "../../http/parameters.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import { versionNames } from "../../realm/files.ts";

/** Says what is wrong with a parameter's value. */
export type Judge = (value: string) => string | undefined;

/** By the parameter's name. */
export type Judges = Readonly<Record<string, Judge>>;

/** Which documents a read shows, beside the live ones: `only` the deleted ones, or these too. */
export type Deleted = "only" | "include";

/** Of the links that reads add to files (files.md, The file object). */
export function judgeLinks({ files = [] }: CollectionDefinition): Judges {
  const versions = new Set(versionNames(files));
  return {
    file_links: (value) =>
      value === "true" && files.length === 0
        ? "is not available: documents here have no files"
        : judgeBoolean(value),
    version: (value) => (versions.has(value) ? undefined : "must be a version of images of the collection"),
  };
}

/** The links that a read asks for. */
export interface AskedLinks {
  /** Of an image; undefined: of the files themselves. */
  readonly version: string | undefined;
}

/** Undefined where it asks for none. */
export function linksOf(values: ReadonlyMap<string, string>): AskedLinks | undefined {
  return values.get("file_links") === "true" ? { version: values.get("version") } : undefined;
}

export function judgeBoolean(value: string): string | undefined {
  return value === "true" || value === "false" ? undefined : "must be true or false";
}

export function judgeInteger(least: number, most: number): Judge {
  return (value) =>
    /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`;
}

/** Of the parameters of a route, as far as their schemas say all that there is to judge. */
export function judgesOf(route: RouteContract, traits: RealmTraits): Judges {
  const judges = inRealm(route.query ?? [], traits).flatMap((each) => {
    const { name, schema } = parameter(each);
    if (isMade(schema)) return [];
    const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
    if (type === "integer") return [[name, judgeInteger(minimum, maximum)] as const];
    return type === "boolean" ? [[name, judgeBoolean] as const] : [];
  });
  return Object.fromEntries(judges);
}

export function judgeLanguage(value: string): string | undefined {
  return isLocale(value) ? undefined : "must be a locale code such as en or de-CH";
}

export function judgeDeleted({ softDelete }: CollectionDefinition): Judge {
  if (softDelete === undefined) return () => "is not available: the collection has no soft delete";
  return (value) => (isDeleted(value) ? undefined : "must be only or include");
}

function isDeleted(value: string | undefined): value is Deleted {
  return value === "only" || value === "include";
}

export function deletedOf(values: ReadonlyMap<string, string>): Deleted | undefined {
  const value = values.get("deleted");
  return isDeleted(value) ? value : undefined;
}

/** What is wrong with the values of parameters, each judged alone. */
export function problemsOf(values: ReadonlyMap<string, string>, judges: Judges): readonly Detail[] {
  const problems: Detail[] = [];
  for (const [path, value] of values) {
    const reason = judges[path]?.(value);
    if (reason !== undefined) problems.push({ path, reason });
  }
  return problems;
}

/**
 * @param names the parameters of a route
 * @param parsed as of `parameters`
 * @returns reads its query string, or throws ApiError `invalid_query` with one detail per problem
 */
export function reader(
  names: readonly string[],
  judges: Judges,
  parsed?: readonly string[],
): (search: string) => ReadonlyMap<string, string> {
  return (search) => parameters(search, names, (values) => problemsOf(values, judges), parsed);
}
