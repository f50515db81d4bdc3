/** What can be wrong with the fields of `files`, one by one. */
import { alwaysProxied, versionedTypes } from "../../../runtime/realm/files.ts";
import { printSize } from "../../../runtime/units.ts";
import type { Diagnostic, Span } from "../../diagnostics/diagnostic.ts";
import { reservedFields } from "../../model/fields.ts";
import { declaredField } from "../../model/known-fields.ts";
import type { FileSetting } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import { type CollectionCheck, type CollectionSubject, isReliable } from "../subject.ts";
import { diagnose } from "./codes.ts";
import { covers, typeProblem, unusualType } from "./media-types.ts";

/** A check of one field. */
type FileCheck = (field: FileSetting, subject: CollectionSubject, places: Places) => readonly Diagnostic[];

/** Where something in the field stands, and whether it can be relied on. */
interface Places {
  readonly at: (...path: readonly (string | number)[]) => Span;
  readonly isSure: (...path: readonly string[]) => boolean;
}

/** What an instance takes in one upload unless it is told otherwise: `SVC_MAX_UPLOAD_BYTES`. */
const proxiedUnlessTold = 100 * 1024 ** 2;

/** What servers that speak S3 take in one request. */
const directMost = 5 * 1024 ** 3;

export const fileFields: CollectionCheck = (subject) => {
  const { collection, collectionFile: file } = subject;
  if (file === undefined) return [];
  return (collection.files ?? []).flatMap((field) => {
    const places: Places = {
      at: (...path) => locate(file, ["files", field.name, ...path]),
      isSure: (...path) => isReliable(subject, ["files", field.name, ...path]),
    };
    return fileChecks.flatMap((check) => check(field, subject, places));
  });
};

export const storageThere: CollectionCheck = (subject) => {
  const { collection, realm, collectionFile: file, settings, faults } = subject;
  if (file === undefined || collection.files === undefined || realm.storage !== undefined) return [];
  if (faults.touch(settings.path, ["storage"])) return [];
  return [diagnose("files-without-storage", locate(file, ["files"], "key"), {})];
};

const nameTaken: FileCheck = ({ name, span }, { collection }) => {
  const taken = (problem: string, related: Diagnostic["related"] = []): readonly Diagnostic[] => [
    diagnose("file-name-taken", span, { name, problem }, { related }),
  ];
  if (reservedFields.has(name)) return taken("it belongs to the server");
  const declared = declaredField(collection, name);
  if (declared !== undefined)
    return taken("schema.json declares a field of this name", [
      { message: "the field is declared here", span: declared.span },
    ]);
  const reference = collection.references.find((each) => each.name === name);
  if (reference === undefined) return [];
  return taken("it is the name of a reference", [
    { message: "the reference is declared here", span: reference.span },
  ]);
};

const types: FileCheck = ({ accept }, _, { at, isSure }) => {
  if (!isSure("accept")) return [];
  return accept.flatMap((type, index) => {
    const wrong = typeProblem(type);
    const span = at("accept", index);
    if (wrong !== undefined)
      return [diagnose("file-type", span, { type, problem: wrong.problem }, { hint: wrong.hint })];
    const unusual = unusualType(type);
    if (unusual !== undefined) return [diagnose("file-type-unusual", span, { type }, { hint: unusual })];
    const other = accept.find((each) => each !== type && covers(each, type));
    return other === undefined ? [] : [diagnose("file-type-covered", span, { type, other })];
  });
};

const versions: FileCheck = ({ name, accept, versions: own }, _, { at, isSure }) => {
  if (own === undefined || !isSure("accept")) return [];
  if (!accept.some((type) => versionedTypes.some((image) => image === type || covers(type, image))))
    return [diagnose("file-versions-without-image", at("versions"), { name })];
  return Object.entries(own).flatMap(([version, { width, height, fit }]) => {
    if (!isSure("versions", version)) return [];
    if (width === undefined && height === undefined)
      return [diagnose("file-version-side", at("versions", version), { version })];
    if (fit === "inside" || (width !== undefined && height !== undefined)) return [];
    const side = width === undefined ? "width" : "height";
    return [diagnose("file-version-fit", at("versions", version, "fit"), { version, fit, side })];
  });
};

const sizes: FileCheck = ({ name, maxSize, upload }, { realm: { storage } }, { at, isSure }) => {
  if (!isSure("max_size") || !isSure("upload")) return [];
  const found: Diagnostic[] = [];
  const size = printSize(maxSize);
  if (upload === "proxy" && maxSize > proxiedUnlessTold)
    found.push(diagnose("file-size-proxy", at("max_size"), { size, limit: printSize(proxiedUnlessTold) }));
  if (upload === "direct" && storage?.driver.kind === "s3" && maxSize > directMost)
    found.push(diagnose("file-size-direct", at("max_size"), { name, size }));
  const quotas = [["quota", storage?.quota] as const, ["quota_per_org", storage?.quotaPerOrg] as const];
  for (const [quota, limit] of quotas)
    if (limit !== undefined && limit < maxSize)
      found.push(diagnose("file-size-quota", at("max_size"), { size, quota, limit: printSize(limit) }));
  return found;
};

const requiredUpload: FileCheck = ({ name, maxSize, required, upload }, _, { at, isSure }) => {
  if (required !== true || upload === "proxy" || upload === "any" || maxSize <= alwaysProxied) return [];
  return isSure("upload") && isSure("max_size")
    ? [diagnose("file-required-upload", at("upload"), { name, upload })]
    : [];
};

const fileChecks: readonly FileCheck[] = [nameTaken, types, versions, sizes, requiredUpload];
