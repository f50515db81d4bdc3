/**
 * The files that a schema reaches by `$ref`, and whether every `$ref` leads somewhere. json-schema-ref-parser follows and
 * resolves them; which files may be read, and where in the text each `$ref` stands, is ours.
 */
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../../runtime/json.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { placeAt, schemaKeys, type Target, targetOf, valueAt } from "../schema/place.ts";
import { leadsToSchema, schemasIn } from "../schema/walk.ts";
import { isInside } from "../source/folders.ts";
import type { Reader } from "../source/reader.ts";
import { locate, pathOf, type SourceFile } from "../source/source.ts";

export interface RealmFiles {
  /** The configuration folder. */
  readonly root: string;
  /** Its folder's name. */
  readonly realm: string;
  /** The realm's folder, free of symbolic links. */
  readonly realPath: string;
  readonly reader: Reader;
}

export interface SchemaFiles {
  /** Every file reached, the first one among them; sorted by path. */
  readonly files: readonly SourceFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** Where `$ref`s stand that lead nowhere, or to a file that cannot be read. */
  readonly broken: readonly { readonly path: string; readonly at: readonly string[] }[];
}

/** A `$ref` as it stands in a file. */
interface Link {
  readonly file: SourceFile;
  readonly at: readonly string[];
  readonly ref: string;
}

/** Where a link leads, or why it must not or does not; without a diagnostic where the file's own mistakes say it. */
type Verdict =
  | { readonly target: Target }
  | { readonly target?: undefined; readonly diagnostic?: Diagnostic };

/** Resolves `path#pointer`; throws where there is nothing. */
type Resolve = (target: Target) => void;

/** `at`: the schema's place in the file, which is not the whole file for the profile of realm.yaml. */
export async function schemaFiles(
  first: SourceFile,
  at: readonly string[],
  realm: RealmFiles,
): Promise<SchemaFiles> {
  const links = linksOf(first, at);
  if (links.length === 0) return { files: [first], diagnostics: [], broken: [] };
  const resolve = await resolver(first, realm);
  const files = new Map([[first.path, first]]);
  const diagnostics: Diagnostic[] = [];
  const broken: SchemaFiles["broken"][number][] = [];
  for (let link = links.shift(); link !== undefined; link = links.shift()) {
    const verdict = judge(link, realm, resolve);
    const file = verdict.target === undefined ? undefined : realm.reader.read(verdict.target.path);
    if (verdict.target === undefined && verdict.diagnostic !== undefined)
      diagnostics.push(verdict.diagnostic);
    if (file === undefined) broken.push({ path: link.file.path, at: link.at });
    else if (!files.has(file.path)) {
      files.set(file.path, file);
      links.push(...linksOf(file, []));
    }
  }
  const byPath = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: byPath, diagnostics, broken };
}

function linksOf(file: SourceFile, at: readonly string[]): Link[] {
  const place = placeAt(() => file.value, file.path, at);
  return [...(place === undefined ? [] : schemasIn(place))].flatMap(({ at, schema: { $ref: ref } }) =>
    typeof ref === "string" ? [{ file, at: [...at, "$ref"], ref }] : [],
  );
}

function judge(link: Link, realm: RealmFiles, resolve: Resolve): Verdict {
  const span = locate(link.file, link.at);
  const { ref } = link;
  const target = targetOf(ref, link.file.path);
  if (target === undefined) {
    const problem = "what follows # must be a JSON pointer, such as #/$defs/name";
    return {
      diagnostic: isRemote(ref)
        ? diagnose("ref-remote", span, { ref })
        : diagnose("ref-target", span, { problem }),
    };
  }
  if (!target.path.startsWith(`${realm.realm}/`))
    return { diagnostic: diagnose("ref-outside", span, { ref }) };
  const location = whereIs(target.path, realm);
  if (location !== "inside") {
    return {
      diagnostic:
        location === "outside"
          ? diagnose("ref-outside", span, { ref })
          : diagnose("ref-file", span, { file: target.path }),
    };
  }
  const file = realm.reader.read(target.path);
  if (file === undefined) return {};
  const problem = targetProblem(file, target, resolve);
  return problem === undefined
    ? { target }
    : { diagnostic: diagnose("ref-target", span, { problem: problem.text }, problem) };
}

function isRemote(ref: string): boolean {
  const file = ref.replace(/#.*/s, "");
  return file !== "" && targetOf(file, "x/y.json") === undefined;
}

function whereIs(path: string, realm: RealmFiles): "inside" | "outside" | "nowhere" {
  try {
    const location = realpathSync(join(realm.root, path));
    if (!isInside(location, realm.realPath)) return "outside";
    return statSync(location).isFile() ? "inside" : "nowhere";
  } catch {
    return "nowhere";
  }
}

function targetProblem(
  file: SourceFile,
  target: Target,
  resolve: Resolve,
): { text: string; hint?: string | undefined } | undefined {
  const value = valueAt(file.value, target.pointer);
  // A target that is a $ref itself is judged where it stands: the parser would follow it, all the way.
  const isLink = isJsonObject(value) && value.$ref !== undefined;
  if (value === undefined || (!isLink && !resolves(target, resolve))) {
    const last = pathOf(target.pointer).at(-1) ?? "";
    const parent = valueAt(file.value, target.pointer.slice(0, target.pointer.lastIndexOf("/")));
    const hint = isJsonObject(parent) ? didYouMean(last, Object.keys(parent)) : undefined;
    return { text: `there is no ${target.pointer} in ${file.path}`, hint };
  }
  const isSchema = typeof value === "boolean" || isJsonObject(value);
  if (isSchema && isSchemaPlace(file, pathOf(target.pointer))) return undefined;
  return { text: `${target.pointer} in ${file.path} is no schema` };
}

/** Whether schemas can stand there: `#/$defs/x`, not `#/examples/0` or another key of realm.yaml than its profile. */
function isSchemaPlace(file: SourceFile, steps: readonly string[]): boolean {
  const keys = schemaKeys(file.path);
  if (keys === undefined) return leadsToSchema(steps);
  const [first = "", ...others] = steps;
  return keys.includes(first) && leadsToSchema(others);
}

function resolves(target: Target, resolve: Resolve): boolean {
  try {
    resolve(target);
    return true;
  } catch {
    return false;
  }
}

/** Files stand under a root of their own, so that neither the disk nor the working folder plays a part. */
const BASE = "/";

async function resolver(first: SourceFile, realm: RealmFiles): Promise<Resolve> {
  const { $RefParser } = await import("@apidevtools/json-schema-ref-parser");
  const parser = new $RefParser();
  const read = ({ url }: { url: string }): object => {
    const path = decodeURIComponent(url.slice(BASE.length));
    const inside = path.startsWith(`${realm.realm}/`) && whereIs(path, realm) === "inside";
    const value = inside ? realm.reader.read(path)?.value : undefined;
    if (value === undefined) throw new Error("not a file of this realm");
    return value;
  };
  const options = {
    continueOnError: true,
    resolve: { file: false, http: false, realm: { order: 1, canRead: true, read } },
    parse: {
      json: false,
      yaml: false,
      text: false,
      binary: false,
      realm: { order: 1, canParse: true, parse: ({ data }: { data: unknown }) => data },
    },
  };
  // What cannot be resolved is found again, with its place, when each link is judged.
  await parser.resolve(BASE + encodeURI(first.path), first.value, options).catch(() => undefined);
  return ({ path, pointer }) => {
    parser.$refs.get(`${BASE}${encodeURI(path)}#${encodeURI(pointer)}`);
  };
}
