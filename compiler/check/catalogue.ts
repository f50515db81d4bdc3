/** Every diagnostic that the compiler can give: code -> severity, texts, examples. `docs/diagnostics.md` is printed from it. */
import { chapters as general } from "../diagnostics/catalogue.ts";
import type { Codes } from "../diagnostics/diagnose.ts";
import { collectionSettings } from "../settings/collection.ts";
import { functionSettings } from "../settings/function.ts";
import { realmSettings } from "../settings/realm.ts";

/** In the order of the documentation. */
export const chapters: Readonly<Record<string, Codes>> = Object.fromEntries(
  Object.entries(general).map(([chapter, codes]) => [chapter, { ...codes, ...ofSettings(chapter) }]),
);

function ofSettings(chapter: string): Codes {
  const own: readonly { readonly codes: Codes }[] =
    chapter === "Functions"
      ? functionSettings
      : [...realmSettings, ...collectionSettings].filter((setting) => setting.chapter === chapter);
  return Object.assign({}, ...own.map(({ codes }) => codes));
}

export const catalogue: Codes = Object.assign({}, ...Object.values(chapters));
