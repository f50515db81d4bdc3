/** `files`: fields of documents that hold files. */
import type { JsonObject } from "../../../runtime/json.ts";
import type { ImageVersion } from "../../../runtime/realm/files.ts";
import { printSize } from "../../../runtime/units.ts";
import { flag, type Given, number, object, oneOf, present, size, texts } from "../../model/given.ts";
import type { Collection, FileSetting } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import { collectionSetting } from "../setting.ts";
import { fileFields, storageThere } from "./checks.ts";
import { codes } from "./codes.ts";
import { changes, compareFiles } from "./compare.ts";

function versionsOf(given: Given): Readonly<Record<string, ImageVersion>> | undefined {
  if (given.find("versions", object) === undefined) return undefined;
  return Object.fromEntries(
    given
      .in("versions")
      .named()
      .map(([name, version]) => [
        name,
        {
          ...present({ width: version.find("width", number), height: version.find("height", number) }),
          fit: version.read("fit", oneOf("inside", "cover", "contain")),
        },
      ]),
  );
}

function effectiveOf({ accept, maxSize, maxFiles, required, upload, versions }: FileSetting): JsonObject {
  return {
    accept,
    max_size: printSize(maxSize),
    max_files: maxFiles,
    required: required === true,
    upload,
    ...(versions !== undefined && {
      versions: Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, { ...version }])),
    }),
  };
}

export const files = collectionSetting({
  codes,
  changes,
  checks: [storageThere, fileFields],
  compare: compareFiles,
  read: ({ file, given }): Pick<Collection, "files"> => {
    const fields = given.in("files").named();
    if (fields.length === 0) return {};
    return {
      files: fields.map(
        ([name, own]): FileSetting => ({
          name,
          accept: own.find("accept", texts) ?? [],
          maxSize: own.read("max_size", size),
          maxFiles: own.read("max_files", number),
          ...(own.read("required", flag) ? { required: true } : {}),
          upload: own.read("upload", oneOf("proxy", "direct", "resumable", "any")),
          ...present({ versions: versionsOf(own) }),
          span: locate(file, ["files", name], "key"),
        }),
      ),
    };
  },
  definition: ({ collection }) => ({ files: collection.files?.map(({ span: _, ...field }) => field) }),
  effective: ({ collection }) =>
    collection.files === undefined
      ? {}
      : { files: Object.fromEntries(collection.files.map((field) => [field.name, effectiveOf(field)])) },
});
