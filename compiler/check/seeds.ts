/** Documents of seeds, checked as an import checks them. */
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../runtime/clock.ts";
import { type Incoming, NoDocument } from "../../runtime/documents/importing/incoming.ts";
import { DocumentMaker } from "../../runtime/documents/importing/maker.ts";
import { Rejected } from "../../runtime/documents/importing/rejected.ts";
import { type FieldTable, field } from "../../runtime/filter/fields.ts";
import { readObject } from "../../runtime/http/body.ts";
import { columnsOf } from "../../runtime/instance/transfer/csv-columns.ts";
import { csvDocuments } from "../../runtime/instance/transfer/csv-input.ts";
import { InputRefused } from "../../runtime/instance/transfer/input.ts";
import { ndjsonDocuments } from "../../runtime/instance/transfer/ndjson-input.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import { closest } from "../../runtime/suggest.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import { type Collection, collectionOf, type Realm } from "../model/model.ts";
import { schemaValidator } from "../schema/validator.ts";
import { evaluatedDefaults } from "../settings/defaults.ts";
import { toJson } from "../source/node.ts";
import type { SeedFile } from "../source/seed-files.ts";
import { lineStartsOf, spanOf } from "../source/source.ts";
import { parseYaml } from "../source/yaml.ts";

/** Documents of one seed that are told. */
const TOLD = 10;

/** What is wrong with the seeds of a realm whose model has no mistakes. @param root the configuration folder */
export async function checkSeeds(
  root: string,
  realm: Realm,
  seeds: readonly SeedFile[],
): Promise<readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  for (const seed of seeds) {
    const collection = collectionOf(realm, seed.database, seed.collection);
    if (collection === undefined) diagnostics.push(nowhere(realm, seed));
    else diagnostics.push(...(await misfits(root, seed, collection)));
  }
  return diagnostics;
}

function nowhere({ databases }: Realm, { path, database, collection }: SeedFile): Diagnostic {
  const called = `${database}/${collection}`;
  const all = databases.flatMap(({ name, collections }) => collections.map((each) => `${name}/${each.name}`));
  const meant = closest(called, all);
  const hint = meant === undefined ? undefined : `did you mean '${meant}'?`;
  return diagnose("seed-collection", fileSpan(path), { collection: called }, { hint });
}

async function misfits(root: string, seed: SeedFile, collection: Collection): Promise<readonly Diagnostic[]> {
  const definition = definitionOf(collection);
  const maker = new DocumentMaker({
    ...{ definition, author: undefined, meta: false, mode: "create", clock: systemClock },
  });
  const called = `${seed.database}/${seed.collection}`;
  const diagnostics: Diagnostic[] = [];
  const lines = new Map<string, number>();
  try {
    for await (const some of seedDocuments(root, seed, definition)) {
      for (const { span, incoming } of some) {
        const problem = problemOf(maker, incoming, lines);
        if (problem === undefined) continue;
        diagnostics.push(diagnose("seed-misfit", span, { collection: called, problem }));
        if (diagnostics.length === TOLD) return diagnostics;
      }
    }
  } catch (error) {
    if (error instanceof Unreadable) return [...diagnostics, ...error.diagnostics];
    if (!(error instanceof InputRefused)) throw error;
    const problem = error.message.replace(`${seed.path}: `, "");
    return [...diagnostics, diagnose("seed-unreadable", fileSpan(seed.path), { problem })];
  }
  return diagnostics;
}

function problemOf(maker: DocumentMaker, incoming: Incoming, lines: Map<string, number>): string | undefined {
  try {
    const draft = maker.draft(incoming);
    maker.prepared(draft, undefined);
    const before = lines.get(draft.id);
    if (before !== undefined) return `line ${before} has a document of the id ${draft.id}`;
    lines.set(draft.id, incoming.line);
    return undefined;
  } catch (error) {
    if (error instanceof Rejected) return error.message;
    throw error;
  }
}

/** A document of a seed, and where it stands. */
export interface SeedDocument {
  readonly span: Span;
  readonly incoming: Incoming;
}

/** It is no seed at all. */
class Unreadable extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super("the seed cannot be read");
    this.diagnostics = diagnostics;
  }
}

async function* seedDocuments(
  root: string,
  seed: SeedFile,
  definition: CollectionDefinition,
): AsyncGenerator<readonly SeedDocument[]> {
  const { path, kind } = seed;
  if (kind === "yaml") {
    yield yamlDocuments(path, readFileSync(join(root, path), "utf8"));
    return;
  }
  const chunks = createReadStream(join(root, path));
  const read =
    kind === "csv" ? csvDocuments(path, chunks, columnsOf(definition, false)) : ndjsonDocuments(path, chunks);
  for await (const some of read)
    yield some.map((incoming) => ({ span: lineSpan(path, incoming.line), incoming }));
}

function lineSpan(file: string, line: number): Span {
  return { file, line, column: 1, endLine: line, endColumn: 1 };
}

/** @throws Unreadable */
function yamlDocuments(path: string, text: string): readonly SeedDocument[] {
  const { root, diagnostics } = parseYaml(path, text);
  if (diagnostics.length > 0) throw new Unreadable(diagnostics);
  if (root === undefined) return [];
  if (root.kind !== "list")
    throw new Unreadable([
      diagnose("seed-unreadable", fileSpan(path), { problem: "it must be a list of documents" }),
    ]);
  const lineStarts = lineStartsOf(text);
  return root.items.map((node) => {
    const span = spanOf({ path, lineStarts }, node);
    const json = JSON.stringify(toJson(node));
    const read = () => {
      if (node.kind !== "object") throw new NoDocument("it must be an object");
      return readObject(json);
    };
    return { span: lineSpan(path, span.line), incoming: { line: span.line, raw: json, read } };
  });
}

/** A seed in YAML as NDJSON. */
export function ndjsonOf(path: string, text: string): string {
  return yamlDocuments(path, text)
    .map(({ incoming }) => `${String(incoming.raw)}\n`)
    .join("");
}

/** As much of a collection as documents are checked by. */
function definitionOf(collection: Collection): CollectionDefinition {
  const { realm, database, name, schema, customId, files = [] } = collection;
  const fields: FieldTable = Object.fromEntries(
    collection.fields.map(({ path, kinds, nullable, arrays }) => [
      path,
      field(path, nullable ? [...kinds, "null"] : kinds, arrays),
    ]),
  );
  return {
    ...{ realm, database, name, fields, indexes: [], validate: schemaValidator(schema), files },
    ...evaluatedDefaults(collection),
    ...(customId !== undefined && {
      customId: {
        duplicateLimit: 1,
        ...(customId.pattern !== undefined && { pattern: new RegExp(customId.pattern, "u") }),
      },
    }),
  };
}
