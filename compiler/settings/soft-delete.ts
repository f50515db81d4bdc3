/** `soft_delete`: deleted documents can be restored. */
import { deletionFields } from "../../runtime/filter/fields.ts";
import { printDuration } from "../../runtime/units.ts";
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import { anything, duration, object, present } from "../model/given.ts";
import type { Collection } from "../model/model.ts";
import { locate, nodeAt } from "../source/source.ts";
import type { Changes, Report } from "./change.ts";
import { collectionSetting } from "./setting.ts";
import { type CollectionCheck, isReliable } from "./subject.ts";

declare module "../model/model.ts" {
  interface Collection {
    /** Milliseconds until a deleted document is purged; absent: never. */
    readonly softDelete?: { readonly retention?: number };
  }
}

const codes = {
  "rule-without-soft-delete": {
    severity: "error",
    summary: "A restore or purge rule in a collection without soft delete.",
    message: "the rule '{rule}' needs soft_delete: documents of this collection are removed at once",
    hint: "add soft_delete: true, or remove the rule",
    explanation: "Without `soft_delete` there is nothing to restore and nothing to purge.",
    wrong: { "collection.yaml": "rules: { read: true, restore: hasRole('editor') }" },
    right: { "collection.yaml": "soft_delete: true\nrules: { read: true, restore: hasRole('editor') }" },
  },
} as const satisfies Codes;

const changes = {
  "soft-delete-disabled": {
    kind: "breaking",
    message:
      "deletes are final: the route restore, the parameters deleted and purge and _meta.deleted_at are gone",
    why: "Clients that restore, purge or look into the trash cannot.",
  },
  "soft-delete-enabled": {
    kind: "additive",
    message:
      "deletes can be undone: the route restore, the parameters deleted and purge and _meta.deleted_at are new",
    why: "Requests that worked go on working; deleted documents are kept.",
  },
  "retention-shortened": {
    kind: "breaking",
    message: "deleted documents were kept {old}, are kept {new}",
    why: "A document that could still be restored is gone.",
  },
  "retention-lengthened": {
    kind: "additive",
    message: "deleted documents were kept {old}, are kept {new}",
    why: "They can be restored for longer.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

const rulesWithoutSoftDelete: CollectionCheck = (subject) => {
  const { collection, collectionFile: file } = subject;
  if (file === undefined || collection.softDelete !== undefined || !isReliable(subject, ["soft_delete"]))
    return [];
  return ["restore", "purge"]
    .filter((rule) => nodeAt(file, ["rules", rule]) !== undefined)
    .map((rule) => diagnose("rule-without-soft-delete", locate(file, ["rules", rule], "key"), { rule }));
};

function compare(
  { softDelete: old }: Collection,
  { softDelete: now }: Collection,
  place: string,
  report: Report<typeof changes>,
): void {
  const where = `${place} soft_delete`;
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("soft-delete-disabled", where, {});
    if (now !== undefined) report("soft-delete-enabled", where, {});
    return;
  }
  const [before = Number.POSITIVE_INFINITY, after = Number.POSITIVE_INFINITY] = [
    old.retention,
    now.retention,
  ];
  if (before === after) return;
  const kept = (time: number): string => (Number.isFinite(time) ? `for ${printDuration(time)}` : "for ever");
  report(after < before ? "retention-shortened" : "retention-lengthened", where, {
    old: kept(before),
    new: kept(after),
  });
}

export const softDelete = collectionSetting({
  codes,
  changes,
  checks: [rulesWithoutSoftDelete],
  brings: { soft_delete: Object.keys(deletionFields) },
  compare,
  read: ({ given }): Pick<Collection, "softDelete"> => {
    const value = given.read("soft_delete", anything);
    if (value !== true && object(value) === undefined) return {};
    return { softDelete: present({ retention: given.in("soft_delete").find("retention", duration) }) };
  },
  definition: ({ collection }) => ({ softDelete: collection.softDelete }),
  traits: (collection) => (collection.softDelete === undefined ? [] : ["trash"]),
  effective: ({ collection: { softDelete: deletion } }) => ({
    soft_delete: deletion !== undefined && {
      retention: deletion.retention === undefined ? null : printDuration(deletion.retention),
    },
  }),
});
