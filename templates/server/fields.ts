import type { Collection, DeclaredField, FileSetting } from "../../compiler/model/model.ts";
import { type FieldRealm, serverFieldTables } from "../../compiler/model/server-fields.ts";
import type { FieldType } from "../../runtime/filter/fields.ts";
import {
  array,
  type Code,
  code,
  docComment,
  type EmittedFile,
  emitModule,
  imported,
  join,
  lines,
  literal,
  member,
  object,
  property,
  when,
} from "../print/code.ts";
import { collectionPath, runtime } from "./names.ts";
import { documentTypeOf } from "./types.ts";

/** `fields.ts`: the paths that filters may name, and how dates among them are stored. */
export function fieldsModule(collection: Collection, realm: FieldRealm): EmittedFile {
  const dates = dateFields(collection);
  return emitModule({
    path: `${collectionPath(collection)}/fields.ts`,
    sources: collection.schema.files.map((file) => file.path),
    body: lines([
      code`export const fields = ${imported("fieldsOf", runtime)}<${documentTypeOf(collection)}>()(${object([
        ...serverFieldTables(realm, collection).map((name) => code`...${imported(name, runtime)}`),
        ...(collection.files ?? []).map(filesCode),
        ...collection.fields.map((field) => property(field.path, fieldDeclaration(field))),
      ])});\n`,
      when(dates.length > 0, () => normalizer(dates)),
    ]),
  });
}

function filesCode({ name, maxFiles }: FileSetting): Code {
  const many = when(maxFiles > 1, () => code`, ${literal("many")}`);
  return code`...${imported("fileFields", runtime)}(${literal(name)}${many})`;
}

/** Fields that a collection stores as dates, in the order of their paths. */
export function dateFields(collection: Collection): readonly DeclaredField[] {
  return collection.fields.filter(({ kinds }) => kinds.includes("date") || kinds.includes("date-time"));
}

function fieldDeclaration({ path, kinds, nullable, arrays }: DeclaredField): Code {
  const types: readonly FieldType[] = nullable ? [...kinds, "null"] : kinds;
  const [only] = types;
  const type = types.length === 1 && only !== undefined ? literal(only) : array(types.map(literal));
  return arrays.includes(path) ? code`{ array: ${type} }` : type;
}

function normalizer(dates: readonly DeclaredField[]): Code {
  const fields = dates.map(({ path }) => member(code`fields`, path));
  return code`${docComment("Brings the fields under `x-svc-store: date` into the form in which they are stored, in place.")}export const normalizeDates = ${imported("dateNormalizer", runtime)}(${join(fields)});`;
}
