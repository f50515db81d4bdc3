import {
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
} from "../compiler/emit/code.ts";
import { schemaTypes, typeName } from "../compiler/emit/schema/types.ts";
import type { Collection } from "../compiler/model/model.ts";
import { collectionPath, runtime } from "./names.ts";

/** `types.ts`: what a collection's documents, creates and patches look like. */
export async function typesModule(collection: Collection, auth: boolean): Promise<EmittedFile> {
  const name = typeName(collection.name);
  const content = identifier(name);
  const metas = [
    importedType("DocumentMeta", runtime),
    when(auth, () => importedType("OwnershipMeta", runtime)),
    given(collection.softDelete, () => code`Partial<${importedType("DeletionMeta", runtime)}>`),
  ];
  const customId = given(collection.customId, () => code` & { id: string }`);
  return emitModule({
    path: `${collectionPath(collection)}/types.ts`,
    sources: collection.schema.files.map((file) => file.path),
    body: lines([
      madeElsewhere(await schemaTypes(collection.schema, name)),
      code`${docComment("As responses carry it.")}export type ${identifier(`${name}Document`)} = ${content} & {
        id: string;
        _meta: ${join(metas, code` & `)};
      };\n`,
      code`${docComment("As a create sends it.")}export type ${identifier(`${name}Create`)} = ${content}${customId};\n`,
      code`${docComment("As a merge patch (RFC 7396) sends it.")}export type ${identifier(`${name}Patch`)} =
        ${importedType("MergePatch", runtime)}<${content}>;`,
    ]),
  });
}
