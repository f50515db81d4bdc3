import type { Collection, FileSetting } from "../../compiler/model/model.ts";
import {
  belongingTables,
  type FieldRealm,
  type ServerFieldTable,
  serverFieldTables,
} from "../../compiler/model/server-fields.ts";
import type { Schema } from "../../compiler/schema/place.ts";
import { schemaTypes, typeName, typesOf } from "../../compiler/schema/types.ts";
import { looserInput } from "../../compiler/settings/defaults.ts";
import {
  type Code,
  code,
  docComment,
  type EmittedFile,
  emitModule,
  given,
  identifier,
  importedType,
  join,
  lines,
  literal,
  madeElsewhere,
  propertyKey,
  when,
} from "../print/code.ts";
import { Names } from "../print/names.ts";
import { collectionPath, runtime } from "./names.ts";

/** `types.ts`: what a collection's documents, creates and patches look like; the other modules are checked against it. */
export async function typesModule(collection: Collection, realm: FieldRealm): Promise<EmittedFile> {
  const name = typeName(collection.name);
  const input = looserInput(collection);
  return emitModule({
    path: `${collectionPath(collection)}/types.ts`,
    sources: collection.schema.files.map((file) => file.path),
    body: lines([
      madeElsewhere(
        await (input === undefined
          ? schemaTypes(collection.schema, name)
          : schemaAndInputTypes(collection.schema, input, name)),
      ),
      documentTypes(collection, realm, name, shared),
      when(realm.auth, () => dataType(collection, name)),
    ]),
  });
}

function shared(type: string): Code {
  return importedType(type, runtime);
}

/** `TicketsDocument` of `types.ts`, for the modules beside it. @param from its folder, for others */
export function documentTypeOf(collection: Collection, from = "."): Code {
  return importedType(`${typeName(collection.name)}Document`, `${from}/types.ts`);
}

/** `TicketsData` of `types.ts`, in realms with rules. */
export function dataTypeOf(collection: Collection): Code {
  return importedType(`${typeName(collection.name)}Data`, "./types.ts");
}

/** The types of a schema, and of what writers may leave out of it. */
function schemaAndInputTypes(schema: Schema, input: Schema, name: string): Promise<string> {
  const taken = new Names();
  for (const ending of [...documentEndings, "Data", inputEnding]) taken.claim(name + ending);
  const both = [
    { name, schema },
    { name: name + inputEnding, schema: input },
  ];
  return typesOf(both, taken).then((text) => `${text}\n`);
}

/** What is written, as rules see it: where it belongs is said beside it. */
function dataType(collection: Collection, name: string): Code {
  const metas = belongingTables(collection).map((table) => metaType(table, collection, shared));
  const meta = when(metas.length > 0, () => code` & { _meta: ${join(metas, code` & `)} }`);
  // With the defaults of what the request leaves out.
  const whole = code`${identifier(name)}${customIdType(collection)}`;
  const written = looserInput(collection) === undefined ? identifier(`${name}Create`) : whole;
  return code`\n${docComment("What is written, as rules see it.")}export type ${identifier(`${name}Data`)} = ${written}${meta};`;
}

/** What the types of a collection's documents and requests end in. */
const documentEndings = ["", "Document", "Create", "Patch"];
const inputEnding = "Input";

/** The same, with that of creates and replacements where they may leave out what documents have. */
export function typeEndings(collection: Collection): readonly string[] {
  return looserInput(collection) === undefined ? documentEndings : [...documentEndings, inputEnding];
}

/** Of those, what the shape of a collection is made of. */
export function shapeEndings(collection: Collection): readonly string[] {
  const isLooser = looserInput(collection) !== undefined;
  return typeEndings(collection).filter((ending) => !(isLooser && ending === ""));
}

/** The type of creates and replacements. @param name of that of the content */
export function inputType(collection: Collection, name: string): Code {
  return identifier(looserInput(collection) === undefined ? name : name + inputEnding);
}

/**
 * The types of a collection's documents, creates and patches, made of the one that its schema has.
 *
 * @param name of that type
 * @param shared a type of `runtime/documents/shape.ts`
 * @param seen what a caller may see of the content; default: all
 */
export function documentTypes(
  collection: Collection,
  realm: FieldRealm,
  name: string,
  shared: (type: string) => Code,
  seen: Code = identifier(name),
): Code {
  const content = identifier(name);
  const metas = serverFieldTables(realm, collection).map((table) => metaType(table, collection, shared));
  const sent = code`${inputType(collection, name)}${customIdType(collection)}`;
  const files = (collection.files ?? []).map(
    (field) => code`${propertyKey(field.name)}?: ${fileType(field, shared)};`,
  );
  return lines([
    code`${docComment("As responses carry it.")}export type ${identifier(`${name}Document`)} = ${seen} & {
        id: string;
        ${lines(files)}
        _meta: ${join(metas, code` & `)};
      };\n`,
    code`${docComment("As a create sends it.")}export type ${identifier(`${name}Create`)} = ${sent};\n`,
    code`${docComment("As a PATCH sends it: a merge patch (RFC 7396), `application/merge-patch+json`.")}export type ${identifier(`${name}Patch`)} =
        ${shared("MergePatch")}<${content}>;`,
  ]);
}

function customIdType({ customId }: Collection): Code {
  return given(customId, () => code` & { id: string }`);
}

/** A file, or several, with the versions that the field declares. */
function fileType({ maxFiles, versions }: FileSetting, shared: (type: string) => Code): Code {
  const names = Object.keys(versions ?? {}).map(literal);
  const one = code`${shared("FileObject")}<${names.length === 0 ? code`never` : join(names, code` | `)}>`;
  return maxFiles > 1 ? code`readonly ${one}[]` : one;
}

/** What documents have of a table of the server's fields. */
function metaType(
  table: ServerFieldTable,
  { organization }: Collection,
  shared: (type: string) => Code,
): Code {
  const belonging = (meta: string, isRequired: boolean | undefined): Code =>
    isRequired ? shared(meta) : code`Partial<${shared(meta)}>`;
  switch (table) {
    case "documentFields":
      return shared("DocumentMeta");
    case "ownershipFields":
      return shared("OwnershipMeta");
    case "deletionFields":
      return code`Partial<${shared("DeletionMeta")}>`;
    case "unownedDeletionFields":
      return code`Partial<Omit<${shared("DeletionMeta")}, "deleted_by">>`;
    case "organizationFields":
      return belonging("OrganizationMeta", organization?.required);
    case "teamFields":
      return belonging("TeamMeta", organization?.teams === "required");
    case "chainFields":
      return code`Partial<${shared("ChainMeta")}>`;
  }
}
