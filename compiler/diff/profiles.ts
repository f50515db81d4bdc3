/** Two versions of the profiles of a realm's users. */
import type { Realm } from "../model/model.ts";
import type { Schema } from "../schema/place.ts";
import type { Report } from "./catalogue.ts";
import { compareSchemas } from "./schema/compare.ts";

/** Without a profile schema any object is one. */
export function compareProfiles(old: Realm, now: Realm, report: Report): void {
  if (old.profile === undefined && now.profile === undefined) return;
  const any: Schema = { path: "", pointer: "", document: { type: "object" }, files: [] };
  const [before, after] = [old, now].map(({ profile }) => profile ?? any);
  if (before !== undefined && after !== undefined) compareSchemas(before, after, "profile", report);
}
