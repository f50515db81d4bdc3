/** What changes of `files` are to clients. */
import type { ImageVersion } from "../../../runtime/realm/files.ts";
import { printSize } from "../../../runtime/units.ts";
import type { Collection, FileSetting } from "../../model/model.ts";
import type { Changes, Report as ReportOf } from "../change.ts";
import { pairs, turnover } from "../words.ts";
import { covers } from "./media-types.ts";

export const changes = {
  "file-field-removed": {
    kind: "breaking",
    message: "documents have no file there any longer",
    why: "Its routes answer 404, and what was uploaded is not answered any longer: its bytes are kept while documents name them.",
  },
  "file-field-added": {
    kind: "additive",
    message: "documents can have a file there",
    why: "Requests that worked go on working, but for bodies with a member of that name, which the schema did not declare.",
  },
  "file-types-narrowed": {
    kind: "breaking",
    message: "{types} is not taken any longer",
    why: "Uploads that were taken are refused (`unsupported_file_type`). What is stored stays.",
  },
  "file-types-widened": {
    kind: "additive",
    message: "{types} is taken",
    why: "More uploads are taken; readers may meet files of types that they did not.",
  },
  "file-size-lowered": {
    kind: "breaking",
    message: "files had at most {old}, have {new}",
    why: "Uploads that were taken are refused (`payload_too_large`). What is stored stays.",
  },
  "file-size-raised": {
    kind: "additive",
    message: "files had at most {old}, have {new}",
    why: "More uploads are taken.",
  },
  "file-count-lowered": {
    kind: "breaking",
    message: "held {old} files, holds {new}",
    why: "Uploads that were taken are refused (`too_many_files`). Documents keep what they have.",
  },
  "file-count-raised": {
    kind: "additive",
    message: "held {old} files, holds {new}",
    why: "More uploads are taken.",
  },
  "file-list-changed": {
    kind: "breaking",
    message: "was {old} and is {new}",
    why: "Documents have an array where they had an object, or the other way round, and so do queries and rules. Documents that have files there are answered as they were stored.",
  },
  "file-now-required": {
    kind: "breaking",
    message: "documents are created with a file there",
    why: "Creates without one are refused (`validation_error`), all but those by `_form`, and so is the removal of the last one. Documents without stay as they are.",
  },
  "file-not-required": {
    kind: "additive",
    message: "documents may be created without a file there",
    why: "More creates are taken; readers may meet documents without one.",
  },
  "file-upload-removed": {
    kind: "breaking",
    message: "files cannot be uploaded by {modes} any longer",
    why: "Uploads of that kind are refused (`upload_mode_mismatch`); of at most 1 MiB they may always go through the server.",
  },
  "file-upload-added": {
    kind: "additive",
    message: "files can be uploaded by {modes}",
    why: "Clients may do as they did, or otherwise.",
  },
  "file-version-removed": {
    kind: "breaking",
    message: "there is no version {versions} any longer",
    why: "Requests for it are refused.",
  },
  "file-version-added": {
    kind: "additive",
    message: "there is a version {versions}",
    why: "Of files that are stored already it is made when it is first asked for.",
  },
  "file-version-changed": {
    kind: "additive",
    message: "the version {version} was {old} and is {new}",
    why: "It has the same address and other pixels; of files that are stored already it is made anew.",
  },
} as const satisfies Changes;

type Report = ReportOf<typeof changes>;

export function compareFiles(
  { files: old = [] }: Collection,
  { files: now = [] }: Collection,
  place: string,
  report: Report,
): void {
  for (const { name, before, after } of pairs(old, now)) {
    const where = `${place} files.${name}`;
    if (before === undefined) report("file-field-added", where, {});
    else if (after === undefined) report("file-field-removed", where, {});
    else compareFields(before, after, where, report);
  }
}

function compareFields(old: FileSetting, now: FileSetting, where: string, report: Report): void {
  compareTypes(old.accept, now.accept, where, report);
  if (old.maxSize !== now.maxSize)
    report(now.maxSize < old.maxSize ? "file-size-lowered" : "file-size-raised", `${where}.max_size`, {
      old: printSize(old.maxSize),
      new: printSize(now.maxSize),
    });
  compareCounts(old.maxFiles, now.maxFiles, `${where}.max_files`, report);
  if (old.required !== now.required)
    report(now.required ? "file-now-required" : "file-not-required", `${where}.required`, {});
  const { gone, added } = turnover(modesOf(old), modesOf(now));
  if (gone) report("file-upload-removed", `${where}.upload`, { modes: gone });
  if (added) report("file-upload-added", `${where}.upload`, { modes: added });
  compareVersions(old.versions ?? {}, now.versions ?? {}, `${where}.versions`, report);
}

/** Types that one side takes and no entry of the other covers. */
function compareTypes(old: readonly string[], now: readonly string[], where: string, report: Report): void {
  const beyond = (some: readonly string[], others: readonly string[]): string =>
    some.filter((type) => !others.some((other) => other === type || covers(other, type))).join(", ");
  const [gone, added] = [beyond(old, now), beyond(now, old)];
  if (gone) report("file-types-narrowed", `${where}.accept`, { types: gone });
  if (added) report("file-types-widened", `${where}.accept`, { types: added });
}

function compareCounts(old: number, now: number, where: string, report: Report): void {
  if (old === now) return;
  const holds = (count: number): string => (count === 1 ? "a file" : "an array of files");
  if (old === 1 || now === 1) report("file-list-changed", where, { old: holds(old), new: holds(now) });
  else report(now < old ? "file-count-lowered" : "file-count-raised", where, { old, new: now });
}

/** How files of any size are uploaded. */
function modesOf({ upload }: FileSetting): readonly string[] {
  return upload === "any" ? ["proxy", "direct", "resumable"] : [upload];
}

type Versions = Readonly<Record<string, ImageVersion>>;

function compareVersions(old: Versions, now: Versions, where: string, report: Report): void {
  const { gone, added } = turnover(Object.keys(old), Object.keys(now));
  if (gone) report("file-version-removed", where, { versions: gone });
  if (added) report("file-version-added", where, { versions: added });
  for (const [version, after] of Object.entries(now)) {
    const before = Object.hasOwn(old, version) ? old[version] : undefined;
    if (before === undefined) continue;
    const [was, is] = [before, after].map(printed);
    if (was !== is) report("file-version-changed", where, { version, old: was ?? "", new: is ?? "" });
  }
}

function printed({ width, height, fit }: ImageVersion): string {
  return `${width ?? "any"} x ${height ?? "any"}, ${fit}`;
}
