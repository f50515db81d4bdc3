/** `expand`: limits of expansion below the instance's. */
import { limitKeys } from "../../../runtime/documents/expand/limits.ts";
import type { ExpandLimits } from "../../../runtime/realm/definition.ts";
import type { Span } from "../../diagnostics/diagnostic.ts";
import { number, object, present } from "../../model/given.ts";
import type { Collection } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { limitChange } from "../limits.ts";
import { collectionSetting } from "../setting.ts";
import { type CollectionCheck, isReliable } from "../subject.ts";
import { diagnose } from "./codes.ts";

declare module "../../model/model.ts" {
  interface Collection {
    readonly expand?: Partial<ExpandLimits> & { readonly span: Span };
  }
}

export const changes = {
  "expansion-lowered": {
    kind: "breaking",
    message: "was {old} and is {new}",
    why: "Expansions that were answered are cut short or refused.",
  },
  "expansion-raised": { kind: "additive", message: "was {old} and is {new}", why: "More can be expanded." },
} as const satisfies Changes;

/** Limits where there is nothing to expand. */
const unused: CollectionCheck = (subject) => {
  const { collection } = subject;
  if (collection.expand === undefined || collection.references.length > 0) return [];
  return isReliable(subject, ["references"]) ? [diagnose("expand-unused", collection.expand.span, {})] : [];
};

export const expand = collectionSetting({
  changes,
  checks: [unused],
  compare: (old, now, place, report) => {
    for (const [limit, key] of limitKeys) {
      const change = limitChange(old.expand?.[limit], now.expand?.[limit]);
      if (change !== undefined) report(`expansion-${change.way}`, `${place} expand.${key}`, change.limits);
    }
  },
  read: ({ file, given }): Pick<Collection, "expand"> => {
    if (given.find("expand", object) === undefined) return {};
    const settings = given.in("expand");
    const lowered = present({
      maxDepth: settings.find("max_depth", number),
      maxPaths: settings.find("max_paths", number),
      maxArray: settings.find("max_array", number),
      maxDocs: settings.find("max_docs", number),
    });
    return { expand: { ...lowered, span: locate(file, ["expand"]) } };
  },
  definition: ({ collection: { expand: lowered } }) => ({
    expand: lowered && present({ ...lowered, span: undefined }),
  }),
  effective: ({ collection: { expand: lowered } }) => ({
    expand: present(Object.fromEntries(limitKeys.map(([limit, key]) => [key, lowered?.[limit]]))),
  }),
});
