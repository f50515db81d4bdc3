import type { Case, Sketch } from "./case.ts";

const stored = (more = ""): string => `auth: disabled\nstorage: { driver: local${more} }\n`;
const notes = (files: string, realm = stored()): Sketch => ({ realm, collection: `files: ${files}\n` });
const photo = (more: string, name = "photo"): Sketch => notes(`{ ${name}: { accept: [image/png]${more} } }`);
const types = (accept: string): Sketch => notes(`{ photo: { accept: ${accept} } }`);
const versions = (some: string): Sketch => photo(`, versions: { ${some} }`);
const thumb = "thumb: { width: 200 }";
const kept = (more: string): Sketch => notes("{ photo: { accept: [image/png] } }", stored(more));

export const fileCases: Readonly<Record<string, Case>> = {
  "storage-added": {
    old: {},
    now: photo(""),
    line: "storage: documents can have files",
    also: ["file-field-added"],
  },
  "storage-removed": {
    old: photo(""),
    now: {},
    line: "storage: there are no files any longer",
    also: ["file-field-removed"],
  },
  "storage-moved": {
    old: photo(""),
    now: notes(
      "{ photo: { accept: [image/png] } }",
      "auth: disabled\nstorage: { driver: s3, bucket: acme-files, prefix: notes/ }\n",
    ),
    line: "storage: files were kept in the data folder, are looked for in the bucket acme-files/notes/",
  },
  "quota-lowered": {
    old: kept(""),
    now: kept(", quota: 10GiB"),
    line: "storage.quota: was none and is 10GiB",
  },
  "quota-raised": {
    old: kept(", quota: 10GiB"),
    now: kept(", quota: 20GiB"),
    line: "storage.quota: was 10GiB and is 20GiB",
  },
  "file-field-removed": {
    old: notes("{ photo: { accept: [image/png] }, cover: { accept: [image/png] } }"),
    now: photo(""),
    line: "db/notes files.cover: documents have no file there any longer",
  },
  "file-field-added": {
    old: photo(""),
    now: notes("{ photo: { accept: [image/png] }, cover: { accept: [image/png] } }"),
    line: "db/notes files.cover: documents can have a file there",
  },
  "file-types-narrowed": {
    old: types("['image/*', application/pdf]"),
    now: types("[image/png, application/pdf]"),
    line: "db/notes files.photo.accept: image/* is not taken any longer",
  },
  "file-types-widened": {
    old: types("[image/png]"),
    now: types("['image/*', application/pdf]"),
    line: "db/notes files.photo.accept: image/*, application/pdf is taken",
  },
  "file-size-lowered": {
    old: photo(""),
    now: photo(", max_size: 5MiB"),
    line: "db/notes files.photo.max_size: files had at most 10MiB, have 5MiB",
  },
  "file-size-raised": {
    old: photo(""),
    now: photo(", max_size: 20MiB"),
    line: "db/notes files.photo.max_size: files had at most 10MiB, have 20MiB",
  },
  "file-count-lowered": {
    old: photo(", max_files: 10"),
    now: photo(", max_files: 5"),
    line: "db/notes files.photo.max_files: held 10 files, holds 5",
  },
  "file-count-raised": {
    old: photo(", max_files: 10"),
    now: photo(", max_files: 20"),
    line: "db/notes files.photo.max_files: held 10 files, holds 20",
  },
  "file-now-required": {
    old: photo(""),
    now: photo(", required: true"),
    line: "db/notes files.photo.required: documents are created with a file there",
  },
  "file-not-required": {
    old: photo(", required: true"),
    now: photo(""),
    line: "db/notes files.photo.required: documents may be created without a file there",
  },
  "file-list-changed": {
    old: photo(""),
    now: photo(", max_files: 2"),
    line: "db/notes files.photo.max_files: was a file and is an array of files",
  },
  "file-upload-removed": {
    old: photo(", upload: any"),
    now: photo(", upload: direct"),
    line: "db/notes files.photo.upload: files cannot be uploaded by proxy, resumable any longer",
  },
  "file-upload-added": {
    old: photo(""),
    now: photo(", upload: any"),
    line: "db/notes files.photo.upload: files can be uploaded by direct, resumable",
  },
  "file-version-removed": {
    old: versions(`${thumb}, large: { width: 1600 }`),
    now: versions(thumb),
    line: "db/notes files.photo.versions: there is no version large any longer",
  },
  "file-version-added": {
    old: photo(""),
    now: versions(thumb),
    line: "db/notes files.photo.versions: there is a version thumb",
  },
  "file-version-changed": {
    old: versions(thumb),
    now: versions("thumb: { width: 200, height: 100, fit: cover }"),
    line: "db/notes files.photo.versions: the version thumb was 200 x any, inside and is 200 x 100, cover",
  },
};
