/** Fields of files with their versions, as the configuration declares them: worked out once, when a realm starts. */
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { FileField, ImageVersion } from "../realm/files.ts";
import { specHash } from "./content/images.ts";

/** A version, and what tells its bytes from those of other versions of an image. */
export interface DeclaredVersion {
  readonly image: ImageVersion;
  readonly spec: string;
}

export interface DeclaredField {
  readonly field: FileField;
  /** By name. */
  readonly versions: ReadonlyMap<string, DeclaredVersion>;
}

export function declaredVersion(image: ImageVersion): DeclaredVersion {
  return { image, spec: specHash(image) };
}

export function declaredField(field: FileField): DeclaredField {
  const versions = Object.entries(field.versions ?? {}).map(
    ([name, image]) => [name, declaredVersion(image)] as const,
  );
  return { field, versions: new Map(versions) };
}

/** Those of a realm, by the name of their collection in the store and their own. */
export function declaredFields(
  collections: readonly CollectionDefinition[],
): (collection: string, field: string) => DeclaredField | undefined {
  const byCollection = new Map(
    collections.map((definition) => [
      storeNameOf(definition),
      new Map((definition.files ?? []).map((field) => [field.name, declaredField(field)])),
    ]),
  );
  return (collection, field) => byCollection.get(collection)?.get(field);
}
