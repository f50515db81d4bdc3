import { schemaTypes, typeName } from "../compiler/emit/schema/types.ts";
import type { Collection } from "../compiler/model/model.ts";
import { collectionPath, runtime } from "./names.ts";
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
  madeElsewhere,
  when,
} from "./print/code.ts";

/** `types.ts`: what a collection's documents, creates and patches look like. */
export async function typesModule(collection: Collection, auth: boolean): Promise<EmittedFile> {
  const name = typeName(collection.name);
  return emitModule({
    path: `${collectionPath(collection)}/types.ts`,
    sources: collection.schema.files.map((file) => file.path),
    body: lines([
      madeElsewhere(await schemaTypes(collection.schema, name)),
      documentTypes(collection, auth, name, (type) => importedType(type, runtime)),
    ]),
  });
}

/** What the types of a collection's documents and requests end in. */
export const documentEndings = ["", "Document", "Create", "Patch"];

/**
 * The types of a collection's documents, creates and patches, made of the one that its schema has.
 *
 * @param name of that type
 * @param shared a type of `runtime/documents/shape.ts`
 * @param seen what a caller may see of the content; default: all
 */
export function documentTypes(
  collection: Collection,
  auth: boolean,
  name: string,
  shared: (type: string) => Code,
  seen: Code = identifier(name),
): Code {
  const content = identifier(name);
  const metas = [
    shared("DocumentMeta"),
    when(auth, () => shared("OwnershipMeta")),
    given(collection.softDelete, () => code`Partial<${shared("DeletionMeta")}>`),
    given(collection.organization, ({ required }) => belonging("OrganizationMeta", required)),
    given(collection.organization?.teams, (teams) => belonging("TeamMeta", teams === "required")),
  ];
  function belonging(meta: string, required: boolean): Code {
    return required ? shared(meta) : code`Partial<${shared(meta)}>`;
  }
  const customId = given(collection.customId, () => code` & { id: string }`);
  return lines([
    code`${docComment("As responses carry it.")}export type ${identifier(`${name}Document`)} = ${seen} & {
        id: string;
        _meta: ${join(metas, code` & `)};
      };\n`,
    code`${docComment("As a create sends it.")}export type ${identifier(`${name}Create`)} = ${content}${customId};\n`,
    code`${docComment("As a merge patch (RFC 7396) sends it.")}export type ${identifier(`${name}Patch`)} =
        ${shared("MergePatch")}<${content}>;`,
  ]);
}
