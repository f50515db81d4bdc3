import type { Collection, RealmFunction } from "../../compiler/model/model.ts";
import type { Schema } from "../../compiler/schema/place.ts";
import { validatorCode } from "../../compiler/schema/validator.ts";
import {
  code,
  type EmittedFile,
  emitModule,
  importedType,
  imports,
  lines,
  madeElsewhere,
} from "../print/code.ts";
import { collectionPath, functionPath, runtime } from "./names.ts";

/** `validate.js` and its declaration: whether a document fits the collection's schema. */
export function validateModules(collection: Collection): readonly EmittedFile[] {
  return validatorModules(`${collectionPath(collection)}/validate`, collection.schema);
}

/** `profile.validate.js` and its declaration: whether a user's profile fits the realm's. */
export function profileModules(realm: string, profile: Schema): readonly EmittedFile[] {
  return validatorModules(`${realm}/profile.validate`, profile);
}

/** `input.validate.js`, `output.validate.js` and their declarations: whether what a call takes and returns fits. */
export function callModules(fn: RealmFunction): readonly EmittedFile[] {
  const parts = [["input", fn.input?.schema] as const, ["output", fn.output] as const];
  return parts.flatMap(([name, schema]) =>
    schema === undefined ? [] : validatorModules(`${functionPath(fn)}/${name}.validate`, schema),
  );
}

function validatorModules(path: string, schema: Schema): readonly EmittedFile[] {
  const sources = schema.files.map((file) => file.path);
  const { text, helpers } = validatorCode(schema);
  return [
    emitModule({
      path: `${path}.js`,
      sources,
      body: lines([...helpers.map((helper) => imports(helper, runtime)), madeElsewhere(text)]),
    }),
    emitModule({
      path: `${path}.d.ts`,
      sources,
      body: code`export declare const validate: ${importedType("Validator", runtime)};`,
    }),
  ];
}
