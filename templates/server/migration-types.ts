/** `$types.ts` of a collection's migrations: documents as they were before each, and as they are to be after it. */
import type { CodeMigration, Migration } from "../../compiler/model/migrations.ts";
import type { Collection } from "../../compiler/model/model.ts";
import type { Schema } from "../../compiler/schema/place.ts";
import { typesOf } from "../../compiler/schema/types.ts";
import {
  type Code,
  code,
  declared,
  docComment,
  type EmittedFile,
  emitModule,
  importedType,
  lines,
  madeElsewhere,
} from "../print/code.ts";
import { Names } from "../print/names.ts";
import { collectionPath } from "./names.ts";

/** None where no migration is in TypeScript. */
export async function migrationTypesModules(collection: Collection): Promise<readonly EmittedFile[]> {
  const all = collection.migrations ?? [];
  const forms = all.flatMap((each, at) =>
    each.kind === "code" ? formsOf(each, all[at + 1], collection) : [],
  );
  if (forms.length === 0) return [];
  const schemas = new Map(
    forms.flatMap(({ name, form }) => (form.kind === "schema" ? [[name, form.schema]] : [])),
  );
  const taken = new Names();
  for (const { name } of forms) taken.claim(name);
  taken.claim("JsonObject");
  const made = await typesOf(
    [...schemas].map(([name, schema]) => ({ name, schema })),
    taken,
  );
  return [
    emitModule({
      path: `${collectionPath(collection)}/_migrations/$types.ts`,
      sources: [...new Set([...schemas.values()].map(({ path }) => path))].sort(),
      body: lines([
        madeElsewhere(`${made}\n`),
        ...forms.flatMap(({ name, form }) => (form.kind === "schema" ? [] : [otherCode(name, form)])),
      ]),
    }),
  ];
}

type Form =
  | { readonly kind: "schema"; readonly schema: Schema }
  /** That of another name. */
  | { readonly kind: "same"; readonly as: string }
  | { readonly kind: "unknown" };

interface NamedForm {
  readonly name: string;
  readonly form: Form;
}

function formsOf(
  { number, from }: CodeMigration,
  next: Migration | undefined,
  { schema }: Collection,
): readonly NamedForm[] {
  return [
    { name: `From${number}`, form: ofSchema(from) },
    { name: `To${number}`, form: next === undefined ? ofSchema(schema) : formBefore(next) },
  ];
}

/** What comes before a migration in TypeScript has a name already. */
function formBefore({ kind, number, from }: Migration): Form {
  return kind === "code" ? { kind: "same", as: `From${number}` } : ofSchema(from);
}

function ofSchema(schema: Schema | undefined): Form {
  return schema === undefined ? { kind: "unknown" } : { kind: "schema", schema };
}

function otherCode(name: string, form: Exclude<Form, { readonly kind: "schema" }>): Code {
  const type = form.kind === "same" ? declared(form.as) : importedType("JsonObject", "realmc/migrations");
  const why =
    form.kind === "unknown"
      ? docComment("What documents are there is written down nowhere.")
      : docComment("Documents as the next migration finds them.");
  return code`${why}export type ${declared(name)} = ${type};\n`;
}
